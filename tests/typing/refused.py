"""What mypy must refuse: each marked line has this error."""

import crosscheck
from crosscheck import vectors
from crosscheck.testing import assert_agrees

QRELS, RUN = {"1": {"a": 1}}, {"1": {"a": 0.5}}

crosscheck.evaluate(QRELS, RUN, [10])  # type: ignore[list-item]
crosscheck.evaluate(QRELS, RUN)  # type: ignore[call-overload]
crosscheck.evaluate(QRELS, RUN, ["AP"], mean="yes")  # type: ignore[call-overload]
crosscheck.evaluate(QRELS, 5, ["AP"])  # type: ignore[call-overload]
crosscheck.evaluate(QRELS, RUN, ["AP"], convention="trec_eval-10")  # type: ignore[call-overload]
crosscheck.evaluate(QRELS, RUN, ["AP"])["1"].causes  # type: ignore[attr-defined]
crosscheck.evaluate(QRELS, RUN, ["AP"], mean=True)["AP"] + 1  # type: ignore[operator]
crosscheck.diagnose(QRELS, RUN, "AP", {"1": 0.5}).causes  # type: ignore[union-attr]
crosscheck.diagnose(QRELS, RUN, ["AP"], {"1": 0.5})  # type: ignore[arg-type]
crosscheck.run({"qrels": QRELS, "runs": {"bm25": RUN}}, backends=[5])  # type: ignore[list-item]
crosscheck.audit("native")  # type: ignore[call-arg]
crosscheck.audit(5, "AP")  # type: ignore[arg-type]
crosscheck.gate(QRELS, RUN, RUN, ["AP"], test="anova")  # type: ignore[arg-type]
crosscheck.tools(QRELS, RUN, ["AP"]).verdict  # type: ignore[attr-defined]
crosscheck.nothing_of_this_name  # type: ignore[attr-defined]
vectors.precision_at_k(["a", "b"], 2)  # type: ignore[list-item]
assert_agrees(max, "AP", allow=["gain"])  # type: ignore[arg-type]
