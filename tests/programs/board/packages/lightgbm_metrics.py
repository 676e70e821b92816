from functools import partial

import lightgbm
import numpy as np
from shapes import binary


def _value(metric, y_true, y_score, k):
    train = lightgbm.Dataset(np.arange(40.0).reshape(-1, 1), label=np.zeros(40), group=[40])
    rows, scores = np.zeros((len(y_true), 1)), np.array(y_score, float)
    given = train.create_valid(rows, label=y_true, group=[len(y_true)], init_score=scores)
    asked = {"objective": "lambdarank", "metric": metric, "eval_at": [k], "verbose": -1, "num_threads": 1}
    model = lightgbm.Booster(asked, train)
    model.add_valid(given, "given")
    return model.eval_valid()[0][2]


ndcg = partial(_value, "ndcg")


def average_precision(y_true, y_score, k=10):
    return _value("map", binary(y_true), y_score, k)
