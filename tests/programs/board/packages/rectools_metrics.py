"""RecTools 0.19.0: metrics over data frames of recommendations with ranks and of interactions. It asks for
numpy below 2 on Python 3.11; its metrics run with 2. A user without interactions is no user: no value. nDCG
is binary; by default its ideal has a relevant item at all k ranks, else at min(R, k)."""
# family: recommenders
# without dependencies: rectools==0.19.0
# requires: attrs<24 scipy pandas<3 typeguard>=4.1 pydantic tqdm typing-extensions
# call: f(ranked_ids, relevant_ids, k=k)
# all: no_relevant=skip

from functools import partial

import pandas as pd
from rectools import Columns
from rectools.metrics import MAP, NDCG


def _value(metric, recommended, interacted, k, **more):
    ranks = list(range(1, len(recommended) + 1))
    reco = pd.DataFrame({Columns.User: "u", Columns.Item: recommended, Columns.Rank: ranks})
    interactions = pd.DataFrame({Columns.User: "u", Columns.Item: interacted})
    return metric(k=k, **more).calc_per_user(reco, interactions).get("u")


ndcg = partial(_value, NDCG)  #: nDCG@10 gain=binary ideal=max-grade
ndcg_achievable = partial(_value, NDCG, divide_by_achievable=True)  #: nDCG@10 gain=binary
average_precision = partial(_value, MAP)  #: AP@10
average_precision_by_k = partial(_value, MAP, divide_by_k=True)  #: AP@10 ap_denominator=k
