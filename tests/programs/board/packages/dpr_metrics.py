def top_k_accuracy(hits, k):
    best = next((place for place, hit in enumerate(hits) if hit), None)
    return float(best is not None and best < k)
