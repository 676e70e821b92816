"""The inputs of audits, kept as checksums; ``python -m tests.inputs.test_battery`` writes them."""

from pathlib import Path
from zlib import crc32

from crosscheck.inputs import battery, laws, realistic
from crosscheck.names import parse_measure

KEPT = Path(__file__).parent / "battery.txt"
_MEASURES = ("nDCG@10", "P@1", "R@1000", "AP", "ERR@5")


def _drawn(seed):
    """(name, inputs) of all that an audit of this seed draws."""
    for measure in map(parse_measure, _MEASURES):
        k = measure.cutoff
        for together, means in ((True, True), (True, False), (False, False)):
            yield (
                f"battery {measure} {together:d}{means:d}",
                battery.battery(seed, measure, together=together, means=means),
            )
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


def _checksums():
    for seed in (0, 7):
        for name, inputs in _drawn(seed):
            every = [*inputs]
            yield f"seed {seed}, {name}: {len(every)} inputs, {crc32(repr(every).encode()):08x}"


def test_a_seed_draws_the_same_inputs_everywhere():
    """On every machine and in every version, unless the change is meant: then write them anew."""
    assert [*_checksums()] == KEPT.read_text("utf-8").splitlines()


if __name__ == "__main__":
    KEPT.write_text("\n".join(_checksums()) + "\n", "utf-8")
