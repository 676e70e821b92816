"""The calls that a function's signature allows.

The name of a parameter decides first: its parts, such as "retrieved" and "docs", show whether it expects
results, judgements, relevance levels or scores. The annotation or docstring shows in which container it
expects them. A call consists of words that are commonly passed together.
"""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, combinations, permutations, product
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from crosscheck.auditing.calls import ADDING, Call, columns_meant, named_columns
from crosscheck.auditing.words import COLUMNS, FRAMES, LABELLED, ROWS, SINGLE_VALUES
from crosscheck.names import measure_parameter

#: Costs of a word for a parameter: its name means the word; its name may mean the word; its name says
#: nothing.
KNOWN, POSSIBLE, UNKNOWN = 0, 1, 3


#: Subject -> parts of parameter names that mean it, also in Portuguese, Spanish, German, French and Italian.
#: The plural of a part of at least four letters is not listed.
_SUBJECTS = {
    "system": "recs pd pred predict predicted prediction recommend recommended recommendation rec reco rs "
    "retrieved retrieval returned ranked ranking ranklist rank result res output top topk topn candidate "
    "search searched run response suggested suggestion hyp hypothesis system sorted ordered order hat found "
    "hits proposed generated selected shown guess guesses estimated est model retornado recuperado "
    "resultado recomendado ordenado ordenada predicho devuelto previsto submission neighbor neighbour "
    "treffer trefferliste ergebnis ergebnisse rangliste vorschlag resultat trouves retrouves risultati",
    "truth": "refs actual true truth ground groundtruth gt gts gold golden relevant rel target label "
    "expected positive pos test answer reference ref correct qrel liked interacted clicked purchased "
    "heldout holdout held real annotated annotation desired oracle judged judgment judgement assessed "
    "history bought watched relevantes esperado verdade verdad correto correcto gabarito julgado juicio "
    "julgamento solution next relevante relevanten wahrheit bewertung bewertungen urteil urteile pertinent "
    "pertinente verite jugement rilevanti pertinenti",
    "nonrelevant": "non nonrel nonrelevant irrelevant irrel negatives neg",
    "mask": "mask",
    "levels": "rels hits rel relevance relevancy relevancies relevant gain grade graded judgment judgement "
    "rating hit click flag binary label r relevancelist utilities utility level relevancia ganho ganancia "
    "grau grado nota",
    "scores": "sims score scored prob probability probabilities proba logit similarity similarities sim "
    "confidence distance",
    "documents": "docs urls pids indices index idx indexes doc document item id docid docno list passage "
    "chunk context node url pid product movie entities documento itens elemento lista ids dokument "
    "dokumente liste",
    "ids": "ids docids docnos pids",
    "documents themselves": "ids docids docnos pids docs documents items",
    "ideal": "ideal best perfect optimal",
    "whole": "all full judged assessed pool known",
    "highest": "max maximum highest top",
    "count": "num n total count number nb nr size length len tot",
    "hits": "hits hit",
    "places": "ranks positions",
    "two levels": "hits hit clicks flag binary is",
    "graded": "gain grade graded level",
    "relevant": "rels rel relevant positives",
}
_PARTS = {subject: frozenset(parts.split()) for subject, parts in _SUBJECTS.items()}
#: Subject -> whole parameter names that mean it. In PyTorch "input" means predictions; elsewhere, anything.
_NAMES = {
    "k": "k cutoff cut_off top_k topk at_k at n top_n topn depth limit p max_k rank_cutoff k_max cut_k "
    "max_rank n_top kk tiefe rang profondeur profondita",
    "ks": "ks k_list k_values topks top_ks cutoffs ats k_vals cut_offs k_range kvals list_k klist topk_list "
    "eval_at",
    "num_rel": "r big_r nrel num_rel n_rel",
    "num_ret": "num_ret n_ret num_retrieved n_retrieved total_retrieved n_recommended num_recommended",
    "query": "qid query_id query user user_id uid question topic session_id",
    "queries": "queries users topics uids topic_ids test_queries test_users test_u eval_users all_users",
    "ranks": "ranks positions",
    "predictions": "y_pred y_preds y_hat y_prob",
    "predicted scores": "y_score y_scores",
    "input": "input inputs",
    "truth of y": "y y_test",
    "qrels": "qrels qrel qrels_dict",
    "query numbers": "indexes indices qids query_ids query_idx query_index query_indices group_ids user_ids",
    "sizes": "group groups group_sizes query_sizes",
    "pairs": "prediction_and_labels predictions_and_labels",
}
_NAMED = {name: subject for subject, names in _NAMES.items() for name in names.split()}
#: A parameter that names a column, which only data frames have.
_COLUMN_NAME = re.compile(r"^col(?:umn|una|umna)?s?_|_(?:col|column|coluna|columna|key|field)$")
#: A parameter that takes the path of a file.
_PATH = re.compile(
    r"(?:(?:^|_)(?:path|file|filename|filepath|fname)(?=$|_)|(?:Path|File)(?=$|[A-Z]))(?!_?[iI]ds?$)"
)
#: Last parts of names of a single document.
_ONE_DOCUMENT = ("id", "docid", "docno", "pid", "doc", "document", "passage", "chunk", "item")
#: A parameter that takes a data frame.
_FRAME = re.compile(r"(?:^|_)(?:df|frame|dataframe)(?:$|_)")
#: Words in a docstring that say that a list contains only 0 and 1.
_BINARY = re.compile(r"\bbinary\b|\b0/1\b|\b0 or 1\b|\bzeros? and ones?\b|\b1 if relevant\b")
#: Meaning of a name -> the words of cost KNOWN, and the words of cost POSSIBLE.
_SAYS = {
    "ideal": ("ideal_gains", "judged_gains"),
    "whole": ("judged_gains", ""),
    "ranks": ("ranks rank", ""),
    "predictions": ("y_score scores ranked_ids", "gains binary"),
    "predicted scores": ("y_score scores", "gains binary"),
    "input": ("", "y_score scores ranked_ids gains binary"),
    "truth of y": ("y_true relevant_ids", "gains"),
    "qrels": ("qrels qrels_df judged_df relevance", "relevant_ids"),
    "query numbers": ("query_index", "ranked_ids"),
    "sizes": ("group_sizes query_index", ""),
    "scores of levels": ("gains binary y_true relevance judged_gains", "y_score scores"),
    "scores": ("y_score scores scored run", "gains binary"),
    "nonrelevant": ("nonrelevant_ids", ""),
    "mask": ("mask", ""),
    "levels of results": ("gains binary", ""),
    "levels": ("gains binary relevance y_true qrels", "judged_gains"),
    "truth": (
        "relevant_ids relevance y_true qrels qrels_df judged_df",
        "relevant_id gains binary judged_gains",
    ),
    "system": ("ranked_ids y_score scored run results_df ranked_df", "gains binary scores"),
    "table of truth": ("qrels_df judged_df", ""),
    "table of results": ("results_df ranked_df", ""),
    "documents": ("ranked_ids", "gains binary relevant_ids relevant_id ranked_df"),
}
#: Costs for a parameter with the name of a query id, if it is one list.
_IDS_OF_ALL = {"query_index": POSSIBLE}
#: Words that only the name of a parameter shows.
_NAMED_ONLY = ("query_index", "group_sizes", "mask")
#: Words for lists of numbers that functions of several queries take in a list of one.
IN_A_ROW = "y_true y_score binary gains judged_gains ideal_gains mask"
_LISTS_OF_NUMBERS = frozenset((*IN_A_ROW.split(), "scores"))
_DICTS = frozenset(("relevance", "scored", "qrels", "run"))
_LISTED = r"(?:list|sequence|iterable|collection|tuple|array)"
_BY_QUERY = r"(?:dict|mapping)(?:\w*\[\w+,|[^\[]*(?:of|to|->)(?:an?|the)?)"
#: (pattern at the beginning of an annotation or of a type in a docstring, the container that it names). The
#: container is empty if only the type of the elements is known, None if not even that. The first match
#: counts.
_CONTAINERS: tuple[tuple[str, str | None], ...] = (
    (r".*\b(?:pl|polars)\b.*frame", "polars"),
    (r".*dataframe", "frame"),
    (r"(?:str[|,])?(?:pathlib\.|os\.)?path(?:like)?\b", "file"),
    (r".*(?:dict|mapping)\[tuple", "flat"),
    (rf"{_LISTED}s?(?:\[|of)(?:dict|mapping)|dictswith", "rows"),
    (rf"{_LISTED}s?\[(?:tuple|list\[tuple)|listoftuple", "pairs"),
    (r".*(?:(?:dict|mapping)\w*\[\w+,(?:dict|mapping)|dict\w*of\w*dict|dictionaryof\w*dict)", "dicts"),
    (rf".*{_BY_QUERY}{_LISTED}s?(?:\[|of)(?:tuple|\(|\w*pair)", "pairs-by-query"),
    (rf".*{_BY_QUERY}{_LISTED}s?(?:\[|of)(?:dict|mapping)", "rows-by-query"),
    (rf".*{_BY_QUERY}(?:{_LISTED}|set|frozenset)", "lists-by-query"),
    (r"(?:default)?dict|mapping", "dict"),
    (rf"{_LISTED}\[(?:{_LISTED}|set)|{_LISTED}s?of\w*(?:list|array|set)", "lists"),
    (r"2d|nestedlist|n?d?array\[n?d?array", "lists"),
    (r"any\b|object\b", None),
    (r"array", ""),
    (r"tuple", "tuple"),
    (_LISTED, "list"),
    (r"frozenset", "frozenset"),
    (r"(?:abstract)?set", "set"),
    (r".*(?:ndarray|nparray|numpyarray)", "array"),
    (r".*tensor", "tensor"),
    (r"series$", "series"),
    (r"(?:int|integer|number|float|str|string|bool|boolean|literal|callable|none)\b", "number"),
)


class Parameter(Struct, frozen=True):
    """A parameter of a function.

    Attributes:
        given: the parameter as the signature shows it.
        step: index of the pair of brackets that passes it: 0 for the function or class itself.
        container: the kind of object that it expects, such as ``list``; None if nothing shows it.
        holds: the type of the elements in the container; empty if nothing shows it.
        costs: word, or text of a constant -> its cost: the lower, the better it fits the parameter's name.
            Other words are impossible; but if ``costs`` is empty, every word costs :data:`UNKNOWN`.
        column: (crosscheck's column, its name) if the parameter names a column, as in ``col_user="userID"``.
        keys: texts in the function's code, and attributes: names that it reads; both may be parts of what it
            expects.
    """

    given: inspect.Parameter
    step: int
    container: str | None
    holds: str
    costs: Mapping[str, int]
    column: tuple[str, str] | None = None
    keys: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()

    @property
    def required(self) -> bool:
        """Whether it has no default."""
        return self.given.default is self.given.empty

    def cost(self, word: str) -> int | None:
        """The cost of a word for this parameter, see ``costs``; None if the word is impossible."""
        if word in LABELLED or not (self.costs or word in _NAMED_ONLY):  # no name means a table with levels
            return UNKNOWN
        return self.costs.get(word.replace("_rows", "_df").removeprefix("all_"))


def parameters_of(function: Callable[..., Any], of_class: str = "", step: int = 0) -> list[Parameter]:
    """The parameters of a function without ``self``, ``*args`` and ``**kwargs``; none if it has no signature.

    Args:
        of_class: the docstring of the function's class, which may describe the arguments of the constructor.
        step: index of the pair of brackets that passes the parameters.
    """
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # written in C without a signature
        return []
    doc = f"{inspect.getdoc(function) or ''}\n{of_class}"
    texts = [p.name for p in parameters if isinstance(p.default, str) or p.default is p.empty]
    framed = any(map(_COLUMN_NAME.search, texts))
    keys, attributes = _read_in(function)
    return [
        replace(_parameter(p, doc, step, framed=framed), keys=keys, attributes=attributes)
        for i, p in enumerate(parameters)
        if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD) and not (i == 0 and p.name in ("self", "cls"))
    ]


def _read_in(function: Callable[..., Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The texts that look like keys, and the names that are read, in the code of a function and of others of
    its module or class that it calls, in order. (If a function reads keys with ``get``, no error shows them.)
    """
    called = inspect.unwrap(function)
    called = getattr(called, "__func__", called)
    if not inspect.isfunction(called):  # written in C, or an object that is called
        return (), ()
    codes, texts, names = [called.__code__], list[object](called.__defaults__ or ()), list[str]()
    for code in codes:
        codes += filter(inspect.iscode, code.co_consts)
        texts += code.co_consts
        names += code.co_names
        of_class = called.__globals__.get(called.__qualname__.partition(".")[0])
        others = (called.__globals__.get(name, getattr(of_class, name, None)) for name in code.co_names)
        own = [one for one in others if inspect.isfunction(one) and one.__module__ == called.__module__]
        codes += [one.__code__ for one in own if one.__code__ not in codes]
    keys = dict.fromkeys(text for text in texts if isinstance(text, str) and text.isidentifier())
    return tuple(keys), tuple(dict.fromkeys(names))


def _parameter(given: inspect.Parameter, doc: str, step: int, *, framed: bool) -> Parameter:
    """The record of a parameter.

    Args:
        doc: docstring of the function; framed: whether some parameter names a column, so that others are
            frames.
    """
    kind, described = _described(given.name, doc)
    annotation, default = given.annotation, given.default
    if not isinstance(annotation, str):
        text = inspect.formatannotation(annotation)
        whole = "[" in text or text.startswith("polars.")
        annotation = text if whole else getattr(annotation, "__name__", text)
    stated = (kind,) if given.annotation is given.empty else (annotation, kind)
    container, holds = next((found for found in map(_container, stated) if found[0]), _container(kind))
    if container is None and isinstance(default, int) and not isinstance(default, bool):
        container = "number"
    if container in (None, "number") and default is given.empty and _PATH.search(given.name):
        container, holds = "file", ""
    if container is None and _FRAME.search(given.name):
        container = "frame"
    listed = container in ("list", "tuple") or isinstance(default, list | tuple)
    if listed and _NAMED.get(given.name.lower()) == "k":
        costs = {"ks": KNOWN}
    else:
        costs = _measure_costs(given, container, holds) or _costs(given.name, container)
    if framed and container is None and not costs.keys().isdisjoint(("qrels_df", "results_df")):
        container = "frame"
    if not costs:
        costs = {word: cost + 1 for word, cost in _costs(described, container, text=True).items()}
    elif "binary" in costs and _BINARY.search(f"{kind} {described}"):
        costs = {word: cost for word, cost in costs.items() if not word.endswith("gains")}
    column: tuple[str, str] | None = None
    if _COLUMN_NAME.search(given.name) and (columns := columns_meant(given.name)):
        if default is given.empty:
            costs = {repr(columns[0]): KNOWN}
        elif isinstance(default, str):
            column = columns[0], default
    return Parameter(given, step, container, holds, costs, column)


def _described(name: str, doc: str) -> tuple[str, str]:
    """The type and the description of a parameter in a docstring in the style of numpy, Google or Sphinx.
    Both are empty if the docstring does not describe the parameter."""
    escaped = re.escape(name)
    entry = re.search(
        rf"^[ \t]*(?::param\s+(?P<a>[^:\n]*?)\b{escaped}:"
        rf"|{escaped}[ \t]*(?:\((?P<b>[^\n]*?)\))?[ \t]*:)(?P<c>[^\n]*)"
        r"(?P<d>(?:\n[ \t]{4,}[^\n:]*(?=\n|$)){0,2})",
        doc,
        re.MULTILINE,
    )
    if entry is None:
        return "", ""
    return (entry["a"] or entry["b"] or entry["c"]).lower(), f"{entry['c']} {entry['d']}".lower()


def _container(text: str) -> tuple[str | None, str]:
    """The container that an annotation, or a type in a docstring, names, and the type of its elements."""
    kind = re.sub(r"typing\.|numpy\.|np\.|torch\.|pd\.|collections\.abc\.|builtins\.|\s", "", text.lower())
    kind = re.sub(r"^optional\[(.*)\]$", r"\1", kind).replace("|none", "").replace("none|", "")
    kind = re.sub(r"^(?:union|annotated)\[(.*)\]$", r"\1", kind)
    holds = next((t for t in ("str", "float", "bool", "int") if re.search(rf"\b{t}\b", kind)), "")
    container = next((container for start, container in _CONTAINERS if re.match(start, kind)), None)
    return container or None, "" if container is None else holds


def _measure_costs(given: inspect.Parameter, container: str | None, holds: str) -> dict[str, int]:
    """Word -> cost, for a parameter that takes the name of a measure, or a list or set of such names. Empty
    for any other parameter."""
    number = measure_parameter(given.name)
    named = given.default is given.empty or isinstance(given.default, str | list | tuple | set | None)
    if number is None or not named or holds not in ("", "str"):
        return {}
    words = {"number": "measure", "list": "measures", "tuple": "measures", "set": "measure_set"}
    words["any"] = "measure" if number == "one" else "measures measure_set measure"
    expected = "list" if isinstance(given.default, list | tuple) else container or "any"
    return dict.fromkeys(words.get(expected, "").split(), KNOWN)


def _costs(name: str, container: str | None, *, text: bool = False) -> dict[str, int]:
    """Word -> cost, for the words that a parameter's name may mean.

    Args:
        text: whether ``name`` is a description of the parameter instead, so that rules about whole names do
            not apply.
    """
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    parts = [part for part in re.split(r"[^a-z]+", spaced.lower()) if part]
    singular = (part[:-1] for part in parts if len(part) > 4 and part.endswith("s"))
    has, full = {*parts, *singular}, "_".join(parts)
    about = {subject for subject, words in _PARTS.items() if not has.isdisjoint(words)}
    if not text and container in (None, "number"):
        words = _single_values(full, about, sure=container == "number")
        if container == "number" and "truth" in about and ("documents" in about or not words):
            words = words if "count" in about else "relevant_id"
        if words or container == "number":
            return dict.fromkeys(words.split(), KNOWN)
    if not text and _NAMED.get(full) == "ks":
        return {"ks": KNOWN}
    costs: dict[str, int] = {}
    for subject in _subjects(full, about):
        for cost, words in zip((KNOWN, POSSIBLE), _SAYS[subject], strict=True):
            costs |= {word: min(cost, costs.get(word, cost)) for word in words.split()}
    if not text and "truth" in about and parts[-1] in _ONE_DOCUMENT and "relevant_ids" in costs:
        costs = {word: max(cost, POSSIBLE) for word, cost in costs.items()} | {"relevant_id": KNOWN}
    if "binary" in costs and "two levels" in about:
        costs["gains"] = POSSIBLE
    if "gains" in costs and "graded" in about:
        costs["binary"] = POSSIBLE
    if not text and "documents themselves" in about:
        costs = {word: cost for word, cost in costs.items() if word not in _LISTS_OF_NUMBERS}
    if not text and "list" in has and container is None:
        costs = {word: cost for word, cost in costs.items() if word not in _DICTS}
    if not text and "ids" in about:  # dicts are named after what they hold, which is not only the relevant
        costs |= dict.fromkeys(costs.keys() & _DICTS, POSSIBLE)
        barred = {*FRAMES, *(_DICTS if "relevant" in about else ())}
        costs = {word: cost for word, cost in costs.items() if word not in barred}
    return costs


def _subjects(full: str, about: set[str]) -> list[str]:
    """The meanings of a name: keys of :data:`_SAYS`.

    Args:
        full: the whole name; about: the subjects of its parts, see :data:`_SUBJECTS`.
    """
    if only := about & {"nonrelevant", "mask"}:
        return sorted(only)
    named = _NAMED.get(full, "")
    system, truth, levels, scores = (part in about for part in ("system", "truth", "levels", "scores"))
    spoken_of = {
        **{some: some in about and (levels or scores or full == some) for some in ("ideal", "whole")},
        "ranks": named == "ranks" or (not about.isdisjoint(("truth", "hits")) and "places" in about),
    }
    if named in _SAYS and named != "ranks":
        spoken_of[named] = True
    elif scores:
        spoken_of |= {"scores of levels": truth or levels, "scores": system or not (truth or levels)}
    elif levels and system and "hits" not in about:
        spoken_of["levels of results"] = True
    else:
        spoken_of |= {"levels": levels, "truth": truth, "system": system}
    if spoken_of["ideal"] and not system:
        return ["ideal"]
    if any(spoken_of.values()):
        spoken_of |= {"table of truth": truth and not system, "table of results": system}
    elif "documents" in about:
        return ["documents"]
    return [subject for subject, spoken in spoken_of.items() if spoken]


def _single_values(full: str, about: set[str], *, sure: bool) -> str:
    """The words that the name of a single value may mean, separated by blanks.

    Args:
        full, about: as for :func:`_subjects`.
        sure: whether the parameter is known to take a number.
    """
    named = _NAMED.get(full)
    number_of = "count" in about and not about.isdisjoint(("truth", "relevant"))
    rules = (
        (named == "num_ret", "num_ret"),
        (number_of or (named == "num_rel" and (sure or full != "r")), "num_rel"),
        ({"highest", "levels"} <= about, "max_grade" + " num_rel" * ("relevant" in about)),
        (named == "query" or (named == "queries" and not sure), str(named)),
        (named == "k" or (sure and full == "rank"), "k"),
        (sure and "relevant" in about, "num_rel"),
    )
    return next((words for fits, words in rules if fits), "")


_CUTOFF_WORDS = frozenset({"k", "ks"})
_MEASURE_WORDS = frozenset({"measure", "measures", "measure_set"})
#: Word that is used only in this file -> the argument that passes it: ``ks`` are cutoffs, ``queries`` ids of
#: queries; the name of a column is passed as text.
_MADE = {"ks": "[k]", "queries": "each(query)", "measures": "[measure]", "measure_set": "{measure}"} | {
    repr(column): repr(column) for columns in COLUMNS.values() for column in columns
}
#: Word for a number of documents of a query -> the argument that passes those of all queries.
_NUMBERS_OF = {"num_rel": "each(num_rel)", "num_ret": "each(num_ret)"}
#: Words for a single value, a list of cutoffs or of names of measures, or the name of a column.
_VALUES = SINGLE_VALUES | _MADE.keys()
#: Words that are commonly passed together, likeliest first: for one query, then for all queries at once.
_TOGETHER = """
    ranked_ids relevant_ids; ranked_ids relevance; gains; binary; gains ideal_gains; gains judged_gains
    ranks; rank; ranked_ids relevant_id; y_true y_score; gains mask; binary mask; y_true y_score mask
    binary y_score; y_true scores; scored relevance; scored relevant_ids; ranked_ids scores relevance
    ranked_ids scores relevant_ids; ranked_ids relevant_ids relevance; judged_df ranked_df
    ranked_ids relevant_ids nonrelevant_ids; ranked_ids qrels_df; ranked_rows relevant_id
    ranked_rows relevant_ids; ranked_rows relevance; judged_rows ranked_rows; labelled_rows
    qrels run; qrels_df results_df; qrels_rows results_rows; qrels results_rows; labelled_df
    all_y_true all_y_score query_index; all_y_true all_y_score group_sizes
    all_binary all_y_score query_index; all_binary all_y_score group_sizes
"""
#: Maximum number of parameters that are filled with words other than single values; maximum number of
#: optional parameters that are passed as well if the required parameters give no call.
_MOST_PARAMETERS = 4
#: Methods that return what was added, if they take nothing.
_RETURNING = (
    *("compute", "result", "results", "get_metric", "value", "mean", "average", "summary", "get", "finalize"),
    *("aggregate", "report", "summarize", "compute_metrics", "get_result", "get_results", "get_metrics"),
    *("get_score", "get_value", "score", "evaluate"),
)
#: Methods that take the judgements before.
_BEFORE = ("fit", "set_qrels", "load_qrels", "set_ground_truth")
#: Methods of a class that compute, likeliest first.
_METHODS = ("__call__", "compute", "score", "evaluate", "calculate", "measure", "run", "forward", "eval")


def candidates(
    function: Callable[..., Any], method: str | None, *, has_cutoff: bool
) -> list[tuple[int, Call]]:
    """(cost, call) for the calls that the signature of a function or class suggests, likeliest first.

    The cost is 0 if the parameter names determine the call, and higher the more has to be guessed.

    Args:
        method: the method of the class to call; None to choose one by its name.
        has_cutoff: whether the measure has a cutoff to pass.
    """
    costs: dict[Call, int] = {}
    for names, parameters in _ways(function, method):
        columns: dict[str, str | None] = dict(p.column for p in parameters if p.column is not None)
        for cost, text in _of_parameters(names, parameters, has_cutoff=has_cutoff):
            ways = [columns]
            if "score" in columns:  # a function that adds a column of ranks may fail if there is one
                ways.append({"rank": None, **columns})
            elif "dicts(" in text:
                # What is read first is likelier to be a key than a name in the result.
                keys = ((columns_meant(key), key) for key in reversed(parameters[-1].keys))
                ways.append(columns | {meant[0]: key for meant, key in keys if meant})
            for call in (named_columns(Call(text), way) for way in ways):
                costs[call] = min(cost, costs.get(call, cost))
    return sorted(((cost, call) for call, cost in costs.items()), key=lambda entry: entry[0])


def _ways(function: Any, method: str | None) -> Iterator[tuple[tuple[str | None, ...], list[Parameter]]]:
    """Each way to call a function or class, as (the methods that are called one after the other, all
    parameters). The method is None for a call of the object itself."""
    if not inspect.isclass(function):
        yield (None,), parameters_of(function)
        return
    start = parameters_of(function.__init__, inspect.getdoc(function) or "")
    own = {name: held for name, held in inspect.getmembers(function, callable) if not name.startswith("_")}
    if function.__call__ is not type(function).__call__ and "__call__" in dir(function):
        own["__call__"] = function.__call__
    adds = next((name for name in ADDING if name in own), None)
    takes_nothing = (n for n in _RETURNING if n in own and not any(p.required for p in parameters_of(own[n])))
    if method is None and adds and (returns := next(takes_nothing, None)):
        yield (None, adds, returns), [*start, *parameters_of(own[adds], step=1)]
        return
    chosen = [method] if method is not None else [name for name in _METHODS if name in own] or sorted(own)
    before = [[], *([name] for name in _BEFORE if name in own and name not in chosen)]
    for name, first in product(chosen, before):
        told = [taken for taking in first for taken in parameters_of(own[taking], step=1)]
        if taken := parameters_of(getattr(function, name), step=1 + len(first)):
            yield (None, *first, name), [*start, *told, *taken]


def _of_parameters(
    names: tuple[str | None, ...], parameters: Sequence[Parameter], *, has_cutoff: bool
) -> Iterator[tuple[int, str]]:
    """(cost, text) of the calls that pass the required parameters and, where that makes sense, optional ones.

    Args:
        names: the methods that are called one after the other: ``(None, "update", "compute")`` for
            ``f(...).update(...).compute()``; None is a call of the object itself.
    """

    def saying(words: frozenset[str], among: Sequence[Parameter]) -> list[Parameter]:
        """The parameters that may mean one of these words."""
        return [parameter for parameter in among if words & parameter.costs.keys()]

    required, optional = ([p for p in parameters if p.required is needed] for needed in (True, False))
    cutoff = saying(_CUTOFF_WORDS, optional)[: has_cutoff and not saying(_CUTOFF_WORDS, required)]
    named = saying(_MEASURE_WORDS, optional)[:1]
    required += saying(frozenset({"max_grade"}), optional)[:1]  # else the scale is the default
    speaking = [p for p in optional if p.costs and p not in cutoff and not saying(_VALUES, [p])]
    for more, passed in enumerate([[*required, *cutoff, *named], [*required, *cutoff]][: 1 + bool(named)]):
        calls = list(_filled(names, passed))
        yield from ((cost + more, call) for cost, call in calls)
        for number in range(1, min(len(speaking), _MOST_PARAMETERS) + 1) if not calls else ():
            chosen = [p for p in parameters if p in passed or p in speaking[:number]]
            yield from ((cost + more + 1, call) for cost, call in _filled(names, chosen))


def _filled(names: tuple[str | None, ...], parameters: Sequence[Parameter]) -> Iterator[tuple[int, str]]:
    """(cost, text) of the calls that pass exactly these parameters. Beside two lists, the id of a query may
    also be the ids of the queries of all results."""
    of_all = [replace(p, costs=_IDS_OF_ALL) if p.costs.keys() == {"query"} else p for p in parameters]
    for some in (parameters, of_all)[: 1 + (of_all != parameters and len(parameters) > 2)]:
        yield from ((cost, _call(names, some, passed)) for cost, passed in _passed(some))


def _passed(
    parameters: Sequence[Parameter], scopes: Sequence[tuple[str, ...]] | None = None
) -> Iterator[tuple[int, list[str]]]:
    """(cost, arguments) for exactly these parameters.

    Args:
        scopes: the ways to pass words; None for all, and for records as well.
    """
    values = [[word for word in parameter.costs if word in _VALUES] for parameter in parameters]
    rest = [parameter for parameter, words in zip(parameters, values, strict=True) if not words]
    if not 1 <= len(rest) <= _MOST_PARAMETERS:
        return
    for chosen in product(*(words or [""] for words in values)):
        total = sum(parameter.costs[w] for parameter, w in zip(parameters, chosen, strict=True) if w)
        ways = (("alone", "by query"), *_SCOPES[1:]) if "query" in chosen else _SCOPES
        ways = (("by query", "each"),) if "queries" in chosen else ways
        counts = [p.container for p, word in zip(parameters, chosen, strict=True) if word in _NUMBERS_OF]
        records = _records(rest[0]) if not scopes and len(rest) == 1 else ()
        found = chain(_together(rest, scopes or (_SCOPES[:3] if counts else ways)), records)
        # If nothing says that it is one number, it may be the numbers of all queries.
        several = counts and not any(counts) and not scopes
        of_all = _together(rest, (("each",),) if several else ())
        for more, made, calls in ((0, _MADE, found), (1, _MADE | _NUMBERS_OF, of_all)):
            for cost, arguments in calls:
                others = iter(arguments)
                yield total + cost + more, [made.get(w, w) if w else next(others) for w in chosen]


def _records(parameter: Parameter) -> Iterator[tuple[int, tuple[str]]]:
    """(cost, argument) for a parameter that takes all data of a query in one record, or a record or pair for
    each query. The parts of a record are named like parameters."""
    if _NAMED.get(parameter.given.name.lower()) == "pairs" and parameter.container in (None, "list", "pairs"):
        yield 0, ("each((ranked_ids, relevant_ids))",)
    for names, kinds in ((parameter.keys, _OF_DICTS), (parameter.attributes, _OF_OBJECTS)):
        costs = {name: _costs(name, None) for name in names}
        given = {n: inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY) for n in costs if costs[n]}
        single = {name for name in costs if costs[name].get("relevant_id") == KNOWN}
        parts = [Parameter(of, 0, None if n in single else "list", "", costs[n]) for n, of in given.items()]
        forms = [form for containers, form in kinds if (parameter.container or "-") in containers.split()]
        for some in chain(*(combinations(parts[:_MOST_PARTS], n) for n in _SIZES)) if forms else ():
            for cost, passed in _passed(some, _SCOPES[:1]):
                texts = (f"{p.given.name!r}: {text}" for p, text in zip(some, passed, strict=True))
                record = f"{{{', '.join(texts)}}}"
                yield from ((cost + 1, (form.format(record),)) for form in forms)


def _together(
    parameters: Sequence[Parameter], scopes: Sequence[tuple[str, ...]]
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """(cost, arguments) for these parameters, from words that are commonly passed together.

    Args:
        scopes: the ways to pass the words, see :data:`_FORMS`; one way is used for all arguments.
    """
    for words in map(str.split, re.split(r"[;\n]", _TOGETHER)):
        for order in dict.fromkeys(permutations(words)) if len(words) == len(parameters) else ():
            pairs = list(zip(order, parameters, strict=True))
            costs = [p.cost(word) for word, p in pairs]
            # Ids are integers to all parameters, or to none.
            numbers = any(p.holds == "int" and _names_docnos(word) for word, p in pairs)
            holds = ["int" if numbers and _names_docnos(w) and not p.holds else p.holds for w, p in pairs]
            # Ranked and relevant ids are zipped query by query; of dicts, zip() takes the keys.
            of_ids = {_KINDS.get(word) for word in order} <= {"dicts", "dict", "ids", "id"}
            zipped = (("alone",), ("by query",)) if of_ids and "zip" in parameters[0].attributes else ()
            for scope in scopes if None not in costs else ():
                cost = sum(filter(None, costs)) + (scope in _SELDOM or scope in zipped)
                each = zip(pairs, holds, strict=True)
                every = product(*(_forms(word, p.container, of, scope) for (word, p), of in each))
                yield from ((cost, arguments) for arguments in every if not _mixed(arguments, parameters))


def _mixed(arguments: Sequence[str], parameters: Sequence[Parameter]) -> bool:
    """Whether arguments are an unlikely combination: arrays or tensors together with something else, for
    parameters that show no container, or a list or array of one row as the only argument."""
    free = [a for a, p in zip(arguments, parameters, strict=True) if p.container is None]
    kinds = {argument.partition("(")[0] for argument in free}
    rows = any(argument.startswith(("[", "array([")) for argument in free)
    return (len(kinds) > 1 and not kinds.isdisjoint(("array", "tensor"))) or (rows and len(arguments) == 1)


#: Word -> the kind of object that it passes; all other words pass lists of numbers.
_KINDS: dict[str, str] = {
    **dict.fromkeys(("qrels", "run"), "dicts"),
    **dict.fromkeys(FRAMES, "frame"),
    **dict.fromkeys(ROWS, "rows"),
    **dict.fromkeys(("relevance", "scored"), "dict"),
    **dict.fromkeys(("ranked_ids", "relevant_ids", "nonrelevant_ids"), "ids"),
    "relevant_id": "id",
    "rank": "rank",
}
#: (way to pass the arguments of a call, words or kinds of words, containers that the parameter may expect,
#: the argument with ``{}`` for the word). Ways: alone; in a list of one row, for functions that take several
#: rows at once; as a series; in lists with one entry, or one array, per query; in dicts by query; in dicts
#: with pairs as keys (``flat``). Containers: ``-`` if nothing shows the container, ``lists?`` for a list with
#: elements of an unknown type, ``file`` for a path.
_FORMS = (
    ("alone", "dicts", "- dict dicts", "{}"),
    ("alone", "frame", "- frame", "{}"),
    ("alone", "frame", "- polars frame", "polars({})"),
    ("alone", "id", "- number", "{}"),
    ("alone", "rows", "- lists? pairs", "{}"),
    ("alone", "rows labelled_df", "- lists? rows", "dicts({})"),
    ("alone", "qrels_rows results_rows", "file", "file({})"),
    ("alone", "qrels_rows results_rows", "file", "tsv({})"),
    ("alone", "qrels_rows results_rows", "file", "path({})"),
    ("alone", "dict ids numbers", "-", "{}"),
    ("alone", "dict", "dict", "{}"),
    ("alone", "dict", "pairs", "items({})"),
    ("alone", "ids numbers", "list", "{}"),
    ("alone", "ids", "set frozenset tuple array series", "{kind}({})"),
    ("alone", "numbers", "tuple array tensor series", "{kind}({})"),
    ("alone", "numbers", "-", "array({})"),
    ("alone", "numbers", "-", "tensor({})"),
    ("alone", "relevant_ids nonrelevant_ids", "-", "set({})"),
    ("in a row", IN_A_ROW, "- lists", "[{}]"),
    ("in a row", IN_A_ROW, "array tensor", "{kind}([{}])"),
    ("in a row", IN_A_ROW, "-", "array([{}])"),
    ("in a row", IN_A_ROW, "-", "tensor([{}])"),
    ("in series", "relevant_ids relevance", "-", "{}"),
    ("in series", "ids numbers", "-", "series({})"),
    ("each", "dict ids numbers", "- lists lists?", "each({})"),
    ("each", "scored", "- lists lists?", "each(items({}))"),
    ("each", "id rank", "- list lists?", "each({})"),
    ("each", "id rank", "array tensor", "{kind}(each({}))"),
    ("each", "relevant_ids", "- lists lists?", "each(set({}))"),
    ("each in an array", "numbers", "- lists lists?", "each(array({}))"),
    ("by query", "id", "- dict", "by_query({})"),
    ("by query", "relevance", "- dict dicts", "qrels"),
    ("by query", "scored", "- dict dicts", "run"),
    ("by query", "scored", "-", "by_query(items({}))"),
    ("by query", "dict", "pairs-by-query", "by_query(items({}))"),
    ("by query", "ids gains binary", "- dict lists-by-query", "by_query({})"),
    ("by query", "relevant_ids", "- dict lists-by-query", "by_query(set({}))"),
    ("by query", "rows", "rows-by-query", "by_query(dicts({}))"),
    ("by query", "ranked_rows", "rows", "dicts(results_rows)"),
    ("by query", "ranked_rows", "pairs", "results_rows"),
    ("flat", "dicts", "- dict flat", "flat({})"),
)
#: The ways of :data:`_FORMS` in the order in which they are tried; :data:`_SELDOM` costs more.
_SCOPES: tuple[tuple[str, ...], ...] = tuple(
    (way,) for way in ("alone", "in a row", "in series", "each", "by query", "each in an array", "flat")
)
_SELDOM = (("in series",), ("each in an array",), ("flat",))
#: (containers that a parameter may expect, the argument with ``{}`` for a dict of words), for functions that
#: read keys, and for those that read attributes.
_OF_DICTS = (
    ("- list rows lists", "each({})"),
    ("- frame", "frame(each({}))"),
    ("- dict dicts", "by_query({})"),
    ("- dict", "{}"),
)
_OF_OBJECTS = (("- list lists", "each(record({}))"), ("-", "record({})"))
#: Maximum number of parts that a record may have by the code; numbers of parts to pass, likeliest first.
_MOST_PARTS, _SIZES = 8, (2, 3, 1)


def _names_docnos(word: str) -> bool:
    """Whether docnos of a word may be passed as integers."""
    return word == "relevance" or _KINDS.get(word) in ("id", "ids")


def with_integers(call: Call, error: Exception) -> list[Call]:
    """The call that passes docnos as integers, if a function read one so by this error; else none."""
    if "invalid literal for int()" not in str(error) or "ints(" in str(call):
        return []
    words = "|".join(word for word in _KINDS if _names_docnos(word))
    passed = Call(re.sub(rf"\b({words})\b", r"ints(\1)", str(call)))
    return [passed] if passed != call else []


@cache
def _forms(word: str, container: str | None, holds: str, scopes: tuple[str, ...]) -> list[str]:
    """Texts of the arguments by which a word can be passed to a parameter, such as ``set(relevant_ids)``.

    Args:
        container: the container that the parameter expects.
        holds: the type of elements that it expects. If the word has elements of a different type, there are
            no arguments.
        scopes: the ways to use, see :data:`_FORMS`.
    """
    kind = _KINDS.get(word, "numbers")
    excluded = {"ids": ("float", "bool"), "numbers": ("str", "int" * (word in ("scores", "y_score")))}
    if holds and holds in excluded.get(kind, ()):
        return []
    fitting = {container or "-", "lists?" * (container == "list" and not holds)}
    passed = f"ints({word})" if holds == "int" and _names_docnos(word) else word
    return [
        form.format(passed, kind=container)
        for scope in scopes
        for of, words, containers, form in _FORMS
        if of == scope and {word, kind} & {*words.split()} and fitting & {*containers.split()}
    ]


def _call(names: tuple[str | None, ...], parameters: Sequence[Parameter], passed: Sequence[str]) -> str:
    """The text of a call that passes these arguments to these parameters."""
    text = "f"
    for step, name in enumerate(names):
        arguments: list[str] = []
        named = False
        for parameter, argument in zip(parameters, passed, strict=True):
            if parameter.step == step:
                given = parameter.given
                named |= given.kind is given.KEYWORD_ONLY or not parameter.required
                arguments.append(f"{given.name}={argument}" if named else argument)
        text += f"{'' if name in (None, '__call__') else f'.{name}'}({', '.join(arguments)})"
    return text
