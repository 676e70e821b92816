"""The tools that profiles describe: their names, and the measures that they have."""

from __future__ import annotations

import re

from crosscheck.conventions import Profile, profiles
from crosscheck.model import Measure
from crosscheck.names.trec_eval import trec_eval_name

__all__ = ["describes", "software"]


def software(profile: Profile) -> str:
    """The tool and version of a profile, with the profile's name unless it is the tool's first profile."""
    named = [one.name for one in profiles().values() if _source(one) == _source(profile)]
    return _source(profile) + ("" if named[0] == profile.name else f" (profile {profile.name})")


def _source(profile: Profile) -> str:
    return re.split(r" \(|[,;]", profile.source)[0]


def describes(profile: Profile, measure: Measure) -> bool:
    """Whether a profile describes how its tool computes a measure; a relevance level may be set."""
    plain = measure._replace(rel=None)
    if profile.measures is None:
        return trec_eval_name(plain) is not None
    at_any = f"{plain._replace(cutoff=None)}@k" if plain.cutoff is not None else str(plain)
    return not {str(plain), at_any}.isdisjoint(profile.measures)
