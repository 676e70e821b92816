"""lightgbm 4.7.0: the metrics of a model without trees, over the given scores. Only the list's
own documents exist; levels below 0 are refused."""
# family: learning to rank
# title: LightGBM
# requires: lightgbm==4.7.0
# environment: ir
# call: f(y_true, y_score, k=k)

import lightgbm
import numpy as np


def _value(metric, y_true, y_score, k):
    train = lightgbm.Dataset(np.arange(40.0).reshape(-1, 1), label=np.zeros(40), group=[40])
    rows, scores = np.zeros((len(y_true), 1)), np.array(y_score, float)
    given = train.create_valid(rows, label=y_true, group=[len(y_true)], init_score=scores)
    asked = {"objective": "lambdarank", "metric": metric, "eval_at": [k], "verbose": -1, "num_threads": 1}
    model = lightgbm.Booster(asked, train)
    model.add_valid(given, "given")
    return model.eval_valid()[0][2]


#: nDCG@10 gain=exponential ties=input score_precision=float64 universe=retrieved no_relevant=one
#:   +refuses-input @lightgbm
def ndcg(y_true, y_score, k=10):
    """label_gain is 2^level - 1; 1 where nothing is relevant. More than 10,000 documents are refused."""
    return _value("ndcg", y_true, y_score, k)


#: AP@10 ap_denominator=min(R,k) ties=input score_precision=float64 universe=retrieved no_relevant=one
#:   @lightgbm
def average_precision(y_true, y_score, k=10):
    return _value("map", (np.array(y_true) > 0).astype(int), y_score, k)
