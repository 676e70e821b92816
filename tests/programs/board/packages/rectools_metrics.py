from functools import partial

import pandas as pd
from rectools import Columns
from rectools.metrics import MAP, NDCG


def _value(metric, recommended, interacted, k, **more):
    ranks = list(range(1, len(recommended) + 1))
    reco = pd.DataFrame({Columns.User: "u", Columns.Item: recommended, Columns.Rank: ranks})
    interactions = pd.DataFrame({Columns.User: "u", Columns.Item: interacted})
    return metric(k=k, **more).calc_per_user(reco, interactions).get("u")


ndcg = partial(_value, NDCG)
ndcg_achievable = partial(_value, NDCG, divide_by_achievable=True)
average_precision = partial(_value, MAP)
average_precision_by_k = partial(_value, MAP, divide_by_k=True)
