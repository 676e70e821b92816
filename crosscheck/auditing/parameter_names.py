"""The words of a call that a parameter may mean, from its name, its annotation and its docstring.

A name decides first: its parts, such as "retrieved" and "docs", speak of the system's side, of the
judgements, of relevance levels or of scores. The annotation or the docstring says in what container the
values are expected.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from crosscheck.auditing.calls import LABELLED
from crosscheck.auditing.columns import columns_meant
from crosscheck.names.spelling import measure_parameter

__all__ = ["UNKNOWN", "Container", "Parameter", "parameters_of"]

Container: TypeAlias = Literal[
    "list",
    "lists",
    "pairs",
    "rows",
    "set",
    "dict",
    "dicts",
    "lists by query",
    "pairs by query",
    "array",
    "tensor",
    "series",
    "frame",
    "number",
]

#: Costs of a word: the name of the parameter says the word; it may be used for the word; it is unknown.
KNOWN, POSSIBLE, UNKNOWN = 0, 1, 3


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Parts of names that speak of what a system returned, also in Portuguese and Spanish.
_SYSTEM = _set(
    "pd pred preds predict predicted predictions prediction recommend recommended recommendation "
    "recommendations rec recs reco recos rs retrieved retrieval returned ranked ranking rankings ranklist "
    "rank result results res output outputs top topk topn candidate candidates search searched run "
    "response suggested suggestions hyp hypothesis system sorted ordered order hat found hits proposed "
    "generated selected shown ranks guess guesses estimated est model retornados retornado recuperados "
    "resultados resultado recomendados ordenados ordenada predichos devueltos previstos"
)
#: Parts of names that speak of relevant documents.
_TRUTH = _set(
    "actual actuals true truth truths ground groundtruth gt gts gold golden relevant relevants rel target "
    "targets label labels expected positive positives pos test tests answer answers reference references "
    "ref refs correct qrel qrels liked interacted clicked purchased heldout holdout held real annotated "
    "annotations desired oracle judged judgments judgements judgment judgement assessed history bought "
    "watched relevantes esperados verdade verdad corretos correctos gabarito julgados juicios julgamentos"
)
#: Parts of names that speak of relevance levels.
_LEVELS = _set(
    "rel rels relevance relevances relevancy relevancies relevant gain gains grade grades graded judgment "
    "judgments judgement judgements rating ratings hit hits click clicks binary label labels r "
    "relevancelist utilities utility levels level relevancia relevancias ganhos ganancias graus grados notas"
)
#: Parts of names that speak of scores.
_SCORES = _set(
    "score scores scored prob probs probability probabilities proba logit logits similarity similarities "
    "sim sims confidence confidences distances"
)
#: Parts of names that speak of documents, retrieved or relevant.
_DOCUMENTS = _set(
    "indices index idx indexes docs doc documents document items item ids id docids docid docno docnos "
    "list lists passages chunks contexts context nodes urls pids products movies entities "
    "documentos documento itens elementos lista listas"
)
_IDEAL = _set("ideal best perfect optimal all full judged assessed pool known")
_HIGHEST = _set("max maximum highest top")
_COUNT = _set("num n total count number nb nr size len length tot")

_CUTOFFS = _set(
    "k cutoff cut_off top_k topk at_k at n top_n topn depth limit p max_k rank_cutoff k_max cut_k "
    "max_rank n_top kk"
)
_CUTOFF_LISTS = _set(
    "ks k_list k_values topks top_ks cutoffs ats k_vals cut_offs k_range kvals list_k klist topk_list eval_at"
)
_NUMBERS_RELEVANT = _set("r big_r nrel num_rel n_rel")
_NUMBERS_RETRIEVED = _set(
    "num_ret n_ret num_retrieved n_retrieved total_retrieved n_recommended num_recommended"
)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a function.

    Attributes:
        required: whether it has no default; keyword: whether it can be passed by name only.
        container: the kind of object that it expects, None if nothing says so; holds: type of the elements.
        costs: word, or text of a constant -> how far the name is from saying it. Other words are impossible,
            but if ``costs`` is empty, every word costs :data:`UNKNOWN`.
        known: whether the name or its description says anything.
    """

    name: str
    required: bool
    keyword: bool
    container: Container | None
    holds: str
    costs: Mapping[str, int]

    @property
    def known(self) -> bool:
        return bool(self.costs)

    def cost(self, word: str) -> int | None:
        """The cost of this word, see ``costs``; None if the name says something else."""
        if not self.costs or word in LABELLED:  # which no name says
            return UNKNOWN
        return self.costs.get(word.replace("_rows", "_df"))


def parameters_of(function: Callable[..., Any], of_class: str = "") -> list[Parameter] | None:
    """The parameters of a function without ``self``, ``*args`` and ``**kwargs``; None if it has no signature.

    Args:
        of_class: the docstring of the function's class, which may describe the arguments of the constructor.
    """
    try:
        found = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # written in C without a signature
        return None
    said = f"{inspect.getdoc(function) or ''}\n{of_class}"
    framed = any(
        (isinstance(p.default, str) or p.default is p.empty) and _COLUMN_NAME.search(p.name) for p in found
    )
    return [
        _parameter(p, said, framed=framed)
        for i, p in enumerate(found)
        if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD) and not (i == 0 and p.name in ("self", "cls"))
    ]


#: A parameter that names a column, which only data frames have.
_COLUMN_NAME = re.compile(r"^col(?:umn|una|umna)?s?_|_(?:col|column|coluna|columna|key|field)$")


def _parameter(found: inspect.Parameter, doc: str, *, framed: bool) -> Parameter:
    kind, described = _described(found.name, doc)
    annotation = "" if found.annotation is found.empty else _annotation(found.annotation)
    container, holds = _container(annotation) if annotation else _container(kind)
    if container is None:
        container, holds = _container(kind)
    if container is None and isinstance(found.default, int) and not isinstance(found.default, bool):
        container = "number"
    costs = _measure_costs(found, container, holds) or _costs(found.name, container)
    if found.name.lower() in _CUTOFFS and (container == "list" or isinstance(found.default, list | tuple)):
        costs = {"ks": KNOWN}
    if framed and container is None and not costs.keys().isdisjoint(("qrels_df", "results_df")):
        container = "frame"
    costs = _told(costs, f"{kind} {described}") if costs else _costs(described, container, text=True)
    required = found.default is found.empty
    if required and _COLUMN_NAME.search(found.name) and (columns := columns_meant(found.name)):
        costs = {repr(columns[0]): KNOWN}
    return Parameter(found.name, required, found.kind is found.KEYWORD_ONLY, container, holds, costs)


def _measure_costs(found: inspect.Parameter, container: Container | None, holds: str) -> dict[str, int]:
    """The words for a parameter that takes the name of a measure, or names in a list or set; else none."""
    number = measure_parameter(found.name)
    texts = found.default in (found.empty, None) or isinstance(found.default, str | list | tuple | set)
    if number is None or not texts or holds not in ("", "str"):
        return {}
    if isinstance(found.default, list | tuple):
        container = "list"
    if container is None:
        words = "measure" if number == "one" else "measures measure_set measure"
    else:
        words = {"number": "measure", "list": "measures", "set": "measure_set"}.get(container, "")
    return dict.fromkeys(words.split(), KNOWN)


def _annotation(annotation: Any) -> str:
    if isinstance(annotation, str):
        return annotation
    text = inspect.formatannotation(annotation)
    return text if "[" in text or not hasattr(annotation, "__name__") else str(annotation.__name__)


def _described(name: str, doc: str) -> tuple[str, str]:
    """The type and the description that a docstring gives to a parameter: in the style of numpy, Google or
    Sphinx."""
    escaped = re.escape(name)
    found = re.search(
        rf"^[ \t]*(?::param\s+(?P<a>[^:\n]*?)\b{escaped}:"
        rf"|{escaped}[ \t]*(?:\((?P<b>[^\n]*?)\))?[ \t]*:)(?P<c>[^\n]*)"
        r"(?P<d>(?:\n[ \t]{4,}[^\n:]*(?=\n|$)){0,2})",
        doc,
        re.MULTILINE,
    )
    if found is None:
        return "", ""
    kind = found["a"] or found["b"] or found["c"]
    return kind.lower(), f"{found['c']} {found['d']}".lower()


def _container(text: str) -> tuple[Container | None, str]:
    """The container that an annotation or the type in a docstring names, and the type of its elements."""
    said = re.sub(r"typing\.|numpy\.|np\.|torch\.|pd\.|collections\.abc\.|builtins\.|\s", "", text.lower())
    said = re.sub(r"^optional\[(.*)\]$", r"\1", said).replace("|none", "").replace("none|", "")
    said = re.sub(r"^(?:union|annotated)\[(.*)\]$", r"\1", said)
    several = r"(?:list|sequence|iterable|collection|tuple|array)"
    holds = next((t for t in ("str", "float", "bool", "int") if re.search(rf"\b{t}\b", said)), "")
    if not said:
        return None, ""
    if "dataframe" in said:
        return "frame", holds
    if re.match(rf"{several}s?(?:\[|of)(?:dict|mapping)", said):
        return "rows", holds
    if re.match(rf"{several}s?\[(?:tuple|list\[tuple)|listoftuple", said):
        return "pairs", holds
    if re.search(r"(?:dict|mapping)\w*\[\w+,(?:dict|mapping)|dict\w*of\w*dict|dictionaryof\w*dict", said):
        return "dicts", holds
    by_query = r"(?:dict|mapping)(?:\w*\[\w+,|[^\[]*(?:of|to|->)(?:an?|the)?)"
    if re.search(rf"{by_query}{several}s?(?:\[|of)(?:tuple|\(|\w*pair)", said):
        return "pairs by query", holds
    if re.search(rf"{by_query}(?:{several}|set|frozenset)", said):
        return "lists by query", holds
    if re.match(r"(?:default)?dict|mapping", said):
        return "dict", holds
    if re.match(
        rf"{several}\[(?:{several}|set)|{several}s?of\w*(?:list|array|set)|2d|nestedlist|n?d?array\[n?d?array",
        said,
    ):
        return "lists", holds
    if re.match(rf"{several}|any\b|object\b|arraylike|array[-_]like", said):
        if said.startswith(("any", "object")):
            return None, ""
        return ("list" if not said.startswith("array") else None), holds
    if re.match(r"(?:frozen|abstract)?set", said):
        return "set", holds
    if "ndarray" in said or "nparray" in said or "numpyarray" in said:
        return "array", holds
    if "tensor" in said:
        return "tensor", holds
    if said == "series":
        return "series", holds
    if re.match(r"(?:int|integer|number|float|str|string|bool|boolean|literal|callable|none)\b", said):
        return "number", holds
    return None, ""


def _parts(name: str) -> list[str]:
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    return [part for part in re.split(r"[^a-z]+", spaced.lower()) if part]


def _costs(name: str, container: Container | None, *, text: bool = False) -> dict[str, int]:
    """The words that a name may stand for, with their costs; with ``text`` it is a description, which says
    less."""
    parts = _parts(name)
    has, full = frozenset(parts), "_".join(parts)
    if not text and container in (None, "number"):
        numbers = _number_costs(full, has, sure=container == "number")
        if numbers or container == "number":
            return numbers
    if not text and full in _CUTOFF_LISTS:
        return {"ks": KNOWN}
    found: dict[str, int] = {}

    def may(cost: int, words: str) -> None:
        for word in words.split():
            found[word] = min(cost, found.get(word, cost))

    system, truth, levels, scores = (not has.isdisjoint(s) for s in (_SYSTEM, _TRUTH, _LEVELS, _SCORES))
    if not has.isdisjoint(_IDEAL) and (levels or scores):
        may(KNOWN, "judged_gains")
    of_hits = truth or not has.isdisjoint({"hit", "hits"})
    if full in ("ranks", "positions") or (of_hits and not has.isdisjoint({"ranks", "positions"})):
        may(KNOWN, "ranks")
    if full in ("y_score", "y_scores", "y_pred", "y_preds", "y_hat", "y_prob"):
        may(KNOWN, "y_score scores ranked_ids" if "score" not in full else "y_score scores")
        may(POSSIBLE, "gains binary")
    elif full in ("input", "inputs"):  # predictions in the language of PyTorch, anything elsewhere
        may(POSSIBLE, "y_score scores ranked_ids gains binary")
    elif full in ("y", "y_test"):
        may(KNOWN, "y_true relevant_ids")
    elif full in ("qrels", "qrel", "qrels_dict"):
        may(KNOWN, "qrels qrels_df judged_df relevance")
        may(POSSIBLE, "relevant_ids")
    elif scores:
        if truth or levels:
            may(KNOWN, "gains binary y_true relevance judged_gains")
            may(POSSIBLE, "y_score scores")
        if not (truth or levels) or system:
            may(KNOWN, "y_score scores scored run")
            may(POSSIBLE, "gains binary")
    elif levels and system and not has & {"hits", "hit"}:
        may(KNOWN, "gains binary")
    else:
        if levels:
            may(KNOWN, "gains binary relevance y_true qrels")
            may(POSSIBLE, "judged_gains")
        if truth:
            may(KNOWN, "relevant_ids relevance y_true qrels qrels_df judged_df")
            may(POSSIBLE, "gains binary judged_gains")
        if system:
            may(KNOWN, "ranked_ids y_score scored run results_df ranked_df")
            may(POSSIBLE, "gains binary scores")
    if found and truth and not system:
        may(KNOWN, "qrels_df judged_df")
    if found and system:
        may(KNOWN, "results_df ranked_df")
    if not has.isdisjoint({"hits", "hit", "clicks", "binary", "is"}) and "binary" in found:
        found["gains"] = POSSIBLE
    if (
        not has.isdisjoint({"gain", "gains", "grade", "grades", "graded", "level", "levels"})
        and "gains" in found
    ):
        found["binary"] = POSSIBLE
    if not found and not has.isdisjoint(_DOCUMENTS):
        may(KNOWN, "ranked_ids")
        may(POSSIBLE, "gains binary relevant_ids")
    if has & {"ids", "docids", "docs", "documents", "items", "docnos", "pids"} and not text:
        for word in ("gains", "binary", "y_true", "y_score", "scores", "judged_gains"):
            found.pop(word, None)
    if has & {"ids", "docids", "docnos", "pids"} and not text:
        for word in ("relevance", "scored", "qrels", "run"):  # dicts, which are named after what they hold
            found.update({word: POSSIBLE} if word in found else {})
    if text:
        return {word: cost + 1 for word, cost in found.items()}
    return found


def _number_costs(full: str, has: frozenset[str], *, sure: bool) -> dict[str, int]:
    if full in _NUMBERS_RETRIEVED:
        return {"num_ret": KNOWN}
    counted = not has.isdisjoint(_COUNT) and not has.isdisjoint(_TRUTH | {"rels"})
    if counted or (full in _NUMBERS_RELEVANT and (sure or full != "r")):
        return {"num_rel": KNOWN}
    if not has.isdisjoint(_HIGHEST) and not has.isdisjoint(_LEVELS):
        return {"max_grade": KNOWN, **({"num_rel": KNOWN} if "rel" in has or "relevant" in has else {})}
    if (
        full in ("qid", "query_id", "query", "user", "user_id", "uid", "question", "topic", "session_id")
        and not sure
    ):
        return {"query": KNOWN}
    if full == "rank" and sure:
        return {"k": KNOWN}
    if full in _CUTOFFS:
        return {"k": KNOWN}
    return {"num_rel": KNOWN} if sure and not has.isdisjoint({"relevant", "positives", "rel"}) else {}


def _told(costs: dict[str, int], described: str) -> dict[str, int]:
    """The costs without the words that a description rules out."""
    if (
        re.search(r"\bbinary\b|\b0/1\b|\b0 or 1\b|\bzeros? and ones?\b|\b1 if relevant\b", described)
        and "binary" in costs
    ):
        return {word: cost for word, cost in costs.items() if word not in ("gains", "judged_gains")}
    return costs
