"""The inputs of audits, kept as checksums: a seed draws the same on every machine and in every version."""

from zlib import crc32

from crosscheck.auditing.metric import NO_VALUES, Asked
from crosscheck.conventions import Conventions
from crosscheck.inputs import battery, laws, realistic
from crosscheck.names import parse_measure
from tests.support.kept import Kept


def _drawn(seed, names):
    """(name, inputs) of all that an audit of this seed draws."""
    for measure in map(parse_measure, names):
        k = measure.cutoff
        for together, means in ((True, True), (True, False), (False, False)):
            of = battery.battery(seed, measure, together=together, means=means)
            yield f"battery {measure} {together:d}{means:d}", of
        yield f"more {measure}", battery.more_queries(seed, measure)
        for few in (False, True):
            yield f"fresh {measure} {few:d}", realistic.fresh_probes(seed, k, few=few)
        setting = laws.Setting(k or 0, 1, values=True, means=True)
        yield f"ordinary {measure}", laws.ordinary_queries(setting, seed)
        yield f"telling {measure}", laws.telling_queries(setting, seed)
    yield "long", realistic.long_probes(seed)
    yield "crowd", [realistic.crowd(seed)]
    for levels in (True, False):
        yield f"extreme {levels:d}", realistic.extreme_probes(seed, levels=levels)
    yield "small", battery.small_queries(seed)
    yield "several", battery.several_queries()


def drawn(seed, *names):
    """The number of inputs of each kind, and a checksum."""
    every = [(name, [*inputs]) for name, inputs in _drawn(seed, names)]
    return "\n".join(f"{name}: {len(of)} inputs, {crc32(repr(of).encode()):08x}" for name, of in every)


def told(name, **changes):
    """The inputs, of one query each, that have another value under these conventions."""
    measure, other = parse_measure(name), Conventions().with_changes(**changes)
    probes = battery.battery(0, measure, together=False, means=False)
    asked = (Asked(probe, NO_VALUES, measure) for probe in probes)
    return "\n".join(one.probe.about for one in asked if one.predicted(other) != one.predicted(Conventions()))


DRAWN = Kept(__file__, drawn=drawn, told=told)
test_a_seed_draws_the_same_inputs_everywhere = DRAWN.test()
