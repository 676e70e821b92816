"""RecTools 0.19.0: metrics over data frames of recommendations with ranks and of interactions. It asks for
numpy below 2 on Python 3.11; its metrics run with 2. A user without interactions is no user: no value."""
# family: recommenders
# without dependencies: rectools==0.19.0
# requires: attrs<24 scipy pandas<3 typeguard>=4.1 pydantic tqdm typing-extensions
# call: f(ranked_ids, relevant_ids, k=k)

import pandas as pd
from rectools import Columns
from rectools.metrics import MAP, NDCG


def _value(metric, recommended, interacted):
    ranks = list(range(1, len(recommended) + 1))
    reco = pd.DataFrame({Columns.User: "u", Columns.Item: recommended, Columns.Rank: ranks})
    interactions = pd.DataFrame({Columns.User: "u", Columns.Item: interacted})
    return metric.calc_per_user(reco, interactions).get("u")


#: nDCG@10 gain=binary ideal=max-grade no_relevant=skip
def ndcg(recommended, interacted, k=10):
    """Binary; by default the ideal has a relevant item at all k ranks."""
    return _value(NDCG(k=k), recommended, interacted)


#: nDCG@10 gain=binary no_relevant=skip
def ndcg_achievable(recommended, interacted, k=10):
    """Binary; the ideal of min(R, k)."""
    return _value(NDCG(k=k, divide_by_achievable=True), recommended, interacted)


#: AP@10 no_relevant=skip
def average_precision(recommended, interacted, k=10):
    return _value(MAP(k=k), recommended, interacted)


#: AP@10 ap_denominator=k no_relevant=skip
def average_precision_by_k(recommended, interacted, k=10):
    return _value(MAP(k=k, divide_by_k=True), recommended, interacted)
