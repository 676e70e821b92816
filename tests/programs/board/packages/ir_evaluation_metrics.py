"""ir-evaluation 1.1.0: plain functions over relevant and ranked ids. A list shorter than k raises, but in its
precision and recall, and in RR where it holds something relevant; recall raises where nothing is relevant."""
# family: IR
# without dependencies: ir-evaluation==1.1.0
# call: f(relevant_ids, ranked_ids, k)

from ir_evaluation import metrics

precision = metrics.precision  #: P@10
recall = metrics.recall  #: R@10
average_precision = metrics.average_precision  #: AP@10 ap_denominator=retrieved-relevant +refuses-input
ndcg = metrics.ndcg  #: nDCG@10 gain=binary +refuses-input
reciprocal_rank = metrics.reciprocal_rank  #: RR@10 +refuses-input
