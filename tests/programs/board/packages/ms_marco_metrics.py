"""The scripts of MS MARCO, written anew from their behaviour: the rank column decides, every listed document
is relevant, whatever its level, and all listed queries are averaged. They take numbers as ids, which is
left out."""
# family: IR
# title: MS MARCO scripts
# requires: pandas<3
# read: ms_marco_eval.py of MSMARCO-Passage-Ranking (2ec0d6f) and of MSMARCO-Document-Ranking (1e08f4d)
# call: f(ranked_df, judged_df)


#: RR@10 order=rank-column relevance_level=none +refuses-input @ms-marco-passage
def passage(candidates, reference):
    """Each document goes to the slot of its rank, of 1,000; a rank beyond is refused, and a later line
    replaces an earlier one."""
    slots = [0] * 1000
    for docid, rank in zip(candidates["docid"], candidates["rank"], strict=True):
        slots[rank - 1] = docid
    relevant = set(reference["docid"])
    return next((1 / rank for rank, docid in enumerate(slots[:10], 1) if docid in relevant), 0.0)


#: RR order=rank-column ties=docid-asc relevance_level=none @ms-marco-document
def document(candidates, reference):
    """Sorted by rank and id; more than 100 documents are complained of, and counted."""
    pairs = sorted(zip(candidates["rank"], candidates["docid"], strict=True))
    relevant = set(reference["docid"])
    return next((1 / place for place, (_, docid) in enumerate(pairs, 1) if docid in relevant), 0.0)
