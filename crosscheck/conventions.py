"""Sets of conventions, and profiles, which are named sets.

A :class:`Conventions` defines, axis by axis, how a measure is computed. The native measures take no other
options. A profile is a named :class:`Conventions` of a known tool; profiles are stored in ``profiles.toml``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Set
from functools import cache
from operator import attrgetter
from typing import Any, NoReturn, final

from msgspec import UNSET, Struct

from crosscheck.axes import axis as axis_named
from crosscheck.axes.base import Axis, AxisValue, Family, Stage, V, plain
from crosscheck.errors import ArgumentError, UsageError, in_short, no_such, quoted

__all__ = ["UNKNOWN", "AxisValue", "Conventions", "Profile", "conventions", "plain", "profiles"]

#: Value in a profile for an axis that was not observed in the tool.
UNKNOWN = "unknown"
#: What stands for it in conventions.
_UNKNOWN: Any = UNSET


@final
class Conventions:
    """How a measure is computed, axis by axis. Immutable; equal if all values are equal.

    ``conventions[GAIN]`` is the value of an axis. Without arguments the values are trec_eval 9.0.8's; each
    argument changes an axis, by its text or number: ``Conventions(gain="exponential")``.

    Attributes:
        unknown: axes without a value, because their value was not observed in the tool.
        profile: name of the profile from which the conventions come. Empty if they come from no profile, or
            if ``missing_queries`` was changed afterwards. Ignored when conventions are compared.

    Raises:
        UsageError: an axis or value does not exist; the message lists the existing ones.
    """

    # Only values other than trec_eval 9.0.8's are stored. There are few, so comparing sets is fast.
    __slots__ = ("_hash", "_parts", "_values", "profile")
    _hash: int
    _parts: dict[tuple[Stage, ...], Conventions]
    _values: Mapping[Axis[Any], Any]
    profile: str

    def __init__(self, **changes: AxisValue) -> None:
        self._keep(_changed({axis: axis.parse(value) for axis, value in _named(changes)}))

    def _keep(self, values: Mapping[Axis[Any], Any], profile: str = "") -> None:
        """Store the values of the axes that differ from trec_eval 9.0.8's."""
        object.__setattr__(self, "_values", values)
        object.__setattr__(self, "_parts", {})
        object.__setattr__(self, "profile", profile)

    def __getitem__(self, axis: Axis[V]) -> V:
        """The value of an axis.

        Raises:
            UsageError: the value of the axis is unknown.
        """
        value: V = self._values.get(axis, axis.default)
        if value is _UNKNOWN:
            problem = f"the conventions leave {axis.name} open, and the measure depends on it"
            usual = "none" if axis.default is None else axis.default
            raise UsageError(problem, hint=f"set it, for example {axis.name}={usual}")
        return value

    @property
    def changed(self) -> Set[Axis[Any]]:
        """The axes whose value is not trec_eval's, or is unknown."""
        return self._values.keys()

    @property
    def unknown(self) -> list[Axis[Any]]:
        """The axes whose value was not observed."""
        return [axis for axis, value in self._values.items() if value is _UNKNOWN]

    def plain(self, name: str) -> AxisValue:
        """The value of an axis as text, number or None; ``unknown`` if its value was not observed.

        Raises:
            UsageError: there is no such axis.
        """
        axis = axis_named(name)
        value = self._values.get(axis, axis.default)
        return UNKNOWN if value is _UNKNOWN else plain(value)

    def with_changes(self, **changes: AxisValue) -> Conventions:
        """A copy with some axes changed, each given as its text or number.

        Raises:
            UsageError: an axis or value does not exist; the message lists the existing ones.
        """
        return self.with_values(_named(changes))

    def with_values(self, values: Iterable[tuple[Axis[Any], Any]]) -> Conventions:
        """A copy with some axes changed. Values are texts, numbers, or values of the axis's type."""
        changes = {axis: axis.parse(value) for axis, value in values}
        profile = "" if any(axis.name == "missing_queries" for axis in changes) else self.profile
        return _made(_changed({**self._values, **changes}), profile) if changes else self

    def having(self, axis: Axis[V], value: V) -> Conventions:
        """A copy with one axis changed."""
        return _made(_changed({**self._values, axis: value}))

    def taking(self, stage: Stage, other: Conventions) -> Conventions:
        """A copy in which the axes of one stage have the values of ``other``."""
        kept = {axis: value for axis, value in self._values.items() if axis.stage is not stage}
        return _made({**kept, **other.of(stage)._values}, self.profile)

    def known(self, family: Family) -> Conventions:
        """A copy in which unknown axes that do not affect this family of measures have trec_eval's values.

        Raises:
            UsageError: an unknown axis affects the family.
        """
        for axis in sorted(self.unknown, key=Axis.place):
            if axis.read_by(family):
                self[axis]  # which raises
        return _made({axis: value for axis, value in self._values.items() if axis not in self.unknown})

    def of(self, *stages: Stage) -> Conventions:
        """Conventions with the values of these stages, and trec_eval's values for all other stages."""
        if not self._values:
            return self
        if stages not in self._parts:
            kept = {axis: value for axis, value in self._values.items() if axis.stage in stages}
            self._parts[stages] = self if len(kept) == len(self._values) else _made(kept)
        return self._parts[stages]

    def changes_from(self, base: Conventions) -> dict[str, AxisValue]:
        """Axes on which ``self`` differs from ``base``, with the values of ``self``, in the order of the
        axes."""
        axes = sorted({**self._values, **base._values}, key=Axis.place)
        return {a.name: self.plain(a.name) for a in axes if self.plain(a.name) != base.plain(a.name)}

    def __eq__(self, other: object) -> bool:
        return self._values == other._values if isinstance(other, Conventions) else NotImplemented

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:
            object.__setattr__(self, "_hash", hash(frozenset(self._values.items())))
            return self._hash

    def __repr__(self) -> str:
        changes = self.changes_from(_DEFAULTS).items()
        return f"Conventions({', '.join(f'{name}={value!r}' for name, value in changes)})"

    def __setattr__(self, name: str, value: object) -> NoReturn:
        way = f"with_changes({name}=...) returns a changed copy"
        raise AttributeError(f"a Conventions object cannot be changed; {way}")

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (dict(self._values), self.profile)


def _changed(values: Mapping[Axis[Any], Any]) -> Mapping[Axis[Any], Any]:
    """The entries of ``values`` that differ from trec_eval's."""
    return {axis: value for axis, value in values.items() if value != axis.default}


def _made(values: Mapping[Axis[Any], Any], profile: str = "") -> Conventions:
    """Conventions from the values of the axes that differ from trec_eval's."""
    made = object.__new__(Conventions)
    made._keep(values, profile)
    return made


def _named(changes: Mapping[str, AxisValue]) -> list[tuple[Axis[Any], AxisValue]]:
    return [(axis_named(name), value) for name, value in changes.items()]


_DEFAULTS = Conventions()


class Profile(Struct, frozen=True, kw_only=True, eq=False):
    """The conventions of a tool in one version, for each of its measures; or of a part of a tool, for some
    of the tool's measures.

    Attributes:
        name: such as ``trec_eval-9.0.8``.
        conventions: the usual axis values of the tool; single measures may differ (see ``measures``).
        description: one sentence.
        evidence: ``run`` (observed by running the tool) or ``read`` (taken from its source).
        source: tool and version from which it was taken.
        measures: name of a measure, with ``@k`` for a cutoff -> its conventions. ``trec_eval`` stands for all
            measures that trec_eval 9 has, and :data:`ANY` for all measures that trec_eval does not have.
        tool: name of the whole tool, if this profile is a part of a tool.
        fails: kinds of queries for which the tool ends with an error: ``missing`` (judged, without results),
            ``extra`` (in the run, without judgements), ``single`` (one document), ``words`` (an id with
            characters besides digits and hyphens). ``MEASURE:KIND`` concerns one measure, whose value cannot
            be predicted for such queries: ``bpref:barren`` (no relevant document).
        leaks: measures of which the value of a query depends on other queries, so that nothing is predicted.
        mean_of: ``rounded values`` if the tool's mean is the mean of its rounded values; ``values`` if it is
            the mean of exact values, rounded afterwards if the tool rounds.

    An axis that was not observed is ``unknown`` in ``conventions``, which does not mean "as in trec_eval".
    """

    name: str
    conventions: Conventions
    description: str
    evidence: str
    source: str
    measures: dict[str, Conventions]
    tool: str = ""
    fails: tuple[str, ...] = ()
    leaks: tuple[str, ...] = ()
    mean_of: str = "values"


#: Keys in ``Profile.measures`` for all measures that trec_eval 9 has, and for all other measures.
ALL_OF_TREC_EVAL, ANY = "trec_eval", "*"


@cache
def profiles() -> dict[str, Profile]:
    """All named profiles, in the order of ``profiles.toml``."""
    import tomllib

    with open(os.path.join(os.path.dirname(__file__), "profiles.toml"), "rb") as file:
        table = tomllib.load(file)
    by_name: dict[str, Profile] = {}
    for name, entry in table.items():
        by_name[name] = profile = _profile(name, entry, by_name)
        if profile.tool:
            for measure, own in profile.measures.items():
                by_name[profile.tool].measures.setdefault(measure, own)
    return by_name


def _profile(name: str, entry: dict[str, Any], earlier: Mapping[str, Profile]) -> Profile:
    """The profile made from an entry of ``profiles.toml`` and the profiles before this entry."""
    tool = earlier.get(entry.get("tool", ""))
    base = earlier[entry.pop("base")] if "base" in entry else tool
    about: dict[str, Any] = {} if tool is None else {"evidence": tool.evidence, "source": tool.source}
    about |= {key: entry.pop(key) for key in Profile.__struct_fields__ if key in entry}
    about |= {key: tuple(about.get(key, "").split()) for key in ("fails", "leaks")}

    def changed(start: Conventions) -> Conventions:
        unknown = {axis_named(axis): _UNKNOWN for axis, value in entry.items() if value == UNKNOWN}
        known = {axis: value for axis, value in entry.items() if value != UNKNOWN}
        return _made(_changed({**start.with_changes(**known)._values, **unknown}), name)

    own, listed = changed(Conventions() if base is None else base.conventions), "measures" in about
    measures = dict.fromkeys(about.pop("measures", f"{ALL_OF_TREC_EVAL} {ANY}").split(), own)
    if base is not None and not listed:
        measures = {name: changed(of_base) if entry else of_base for name, of_base in base.measures.items()}
    return Profile(name=name, conventions=own, measures=measures, **about)


def conventions(
    spec: str | Conventions, chosen: Callable[[Profile], Conventions] = attrgetter("conventions")
) -> Conventions:
    """Conventions from a text: a profile name, axis settings, or both, separated by commas.

    ``"trec_eval-10"``, ``"gain=exponential"``, ``"trec_eval-9.0.8,missing_queries=zero"``. Settings
    without a profile start from ``trec_eval-9.0.8``. The conventions of a measure are those of
    :func:`crosscheck.names.conventions_for`: a tool may compute its measures in different ways.

    Args:
        chosen: returns the conventions to use for a profile named in the text.

    Raises:
        UsageError: an unknown profile, axis or value, an axis twice, a profile that is not the first part, or
            something that is no text.
    """
    if isinstance(spec, Conventions):
        return spec
    if not isinstance(spec, str):
        raise ArgumentError(f"conventions must be a text such as 'gain=exponential', not {in_short(spec)}")
    result = _DEFAULTS
    if spec == "trec_eval-9.0.8":
        return result  # without reading all the others
    # Values such as min(R,k) hold commas: a comma separates only if a profile or an axis follows.
    parts: list[str] = []
    for part in spec.split(","):
        if parts and "=" not in part and part not in profiles():
            parts[-1] += "," + part
        else:
            parts.append(part)
    given = set[str]()
    for place, part in enumerate(parts):
        axis, equals, value = part.partition("=")
        axis = axis.strip().replace("-", "_")
        if equals and axis in given:
            raise UsageError(f"the axis {axis} is given twice in {quoted(spec)}", hint="give it one value")
        if equals:
            given.add(axis)
            result = result.with_changes(**{axis: value.strip()})
        elif part in profiles() and place:
            problem = f"the profile {part} is not at the beginning of {quoted(spec)}"
            raise UsageError(problem, hint="begin with one profile, and add axes: PROFILE,AXIS=VALUE")
        elif part in profiles():
            result = chosen(profiles()[part])
        else:
            raise no_such("profile", part, profiles())
    return result
