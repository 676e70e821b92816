"""A metric as a program for ``exec:``: ``python -m tests.programs.metrics.program RULES MEASURE``."""

import json
import sys

from tests.programs.metrics.calls import Computed


def main(rules: str, measure: str) -> None:
    metric = Computed(rules, measure)
    for line in sys.stdin:
        request = json.loads(line)
        match request["cmd"]:
            case "start":
                reply = {"name": rules, "measures": [measure]}
            case "measure":
                run = {
                    topic: {docno: float(score) for docno, score in lines.items()}
                    for topic, lines in request["run"].items()
                }
                reply = {"seq": request["seq"], "values": {measure: metric.values(request["qrels"], run)}}
            case _:
                return
        print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
