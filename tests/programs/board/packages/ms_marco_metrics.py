def passage(candidates, reference):
    """Each document goes to the slot of its rank, of 1,000; a rank beyond is refused, and a later line
    replaces an earlier one."""
    slots = [0] * 1000
    for docid, rank in zip(candidates["docid"], candidates["rank"], strict=True):
        slots[rank - 1] = docid
    relevant = set(reference["docid"])
    return next((1 / rank for rank, docid in enumerate(slots[:10], 1) if docid in relevant), 0.0)


def document(candidates, reference):
    """Sorted by rank and id; more than 100 documents are complained of, and counted."""
    pairs = sorted(zip(candidates["rank"], candidates["docid"], strict=True))
    relevant = set(reference["docid"])
    return next((1 / place for place, (_, docid) in enumerate(pairs, 1) if docid in relevant), 0.0)
