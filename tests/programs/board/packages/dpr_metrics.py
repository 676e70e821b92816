"""The top-k accuracy of DPR, written anew from its behaviour: whether one of the first k passages holds an
answer. An answer is a text that is found in the passage there, and a judgement here."""
# family: RAG
# title: DPR
# read: calculate_matches in dpr/data/qa_validation.py of DPR (10ca720)


#: Success@20 call f(binary, k)
def top_k_accuracy(hits, k):
    best = next((place for place, hit in enumerate(hits) if hit), None)
    return float(best is not None and best < k)
