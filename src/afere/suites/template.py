"""Fills a prompt template for an item; a hostile template can neither escape nor explode.

The template language is a small part of Jinja's: the item's fields, `if`, `for` and a few
filters, without assignments, arithmetic, macros or calls. What a template may build is bounded by
the size of the item.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any

from jinja2 import StrictUndefined, Template, TemplateError, UndefinedError, nodes, pass_context
from jinja2.runtime import Context
from jinja2.sandbox import SandboxedEnvironment

from afere.domain import Item, SuiteError
from afere.suites.node import nearest, quoted

__all__ = ["check_template", "fill"]

NAMES = (
    "input",
    "options",
    "labels",
    "id",
    "category",
    "group",
    "date",
    "source",
    "public",
    "metadata",
)
LONGEST_TEMPLATE = 64 * 1024
MOST_NODES = 2000
_PLAINER = "show fields, with `if`, `for` and filters alone"
_SHORTER = "put long texts into the items' inputs or into `system`"
_WORK = "_work"
_EACH = "_each"
_FREE_WORK = 10_000_000  # characters and steps that every template may use
_WORK_PER_CHARACTER = 64  # and so many more for each character of its item

_ALLOWED = frozenset(
    {
        "And",
        "Call",
        "Compare",
        "CondExpr",
        "Const",
        "Filter",
        "For",
        "Getattr",
        "Getitem",
        "If",
        "Keyword",
        "List",
        "Name",
        "Not",
        "Operand",
        "Or",
        "Output",
        "Slice",
        "Template",
        "TemplateData",
        "Test",
        "Tuple",
    }
)
_TESTS = frozenset({"defined", "undefined", "none", "string", "mapping", "number", "in", "eq"})
_VIEWS = frozenset({"items", "keys", "values"})


def check_template(prompt: str) -> None:
    """Raise SuiteError for a template that is broken, hostile, or names unknown fields."""
    _compiled(prompt)


def fill(prompt: str, item: Item) -> str:
    """Give the prompt for an item; raises SuiteError for a field that is not filled."""
    template = _compiled(prompt)
    values = {name: getattr(item, name) for name in NAMES}
    work = _Work(_size(item))
    filled = {name: value for name, value in values.items() if value is not None}
    filled[_WORK] = work
    pieces: list[str] = []
    try:
        for piece in template.root_render_func(template.new_context(filled)):
            work.spend(len(piece))
            pieces.append(piece)
    except UndefinedError as error:
        raise SuiteError(
            f"a template field is not filled: {error.message}",
            mend="fill it in every item, or guard it with `{% if … is defined %}`",
            field="prompt",
        ) from None
    except (TemplateError, TypeError, ValueError, ArithmeticError, RecursionError) as error:
        text = f"the template cannot be filled: {error}"
        mend = "a filter was given something that it cannot work on"
        raise SuiteError(text[:300], mend=mend, field="prompt") from None
    text = "".join(pieces)
    if not text.strip():
        raise SuiteError("the prompt comes out empty", mend="show `{{ input }}`", field="prompt")
    return text


class _Work:
    """What one filling may still build, in characters and steps."""

    __slots__ = ("left", "size")

    def __init__(self, size: int) -> None:
        self.size = size
        self.left = _FREE_WORK + _WORK_PER_CHARACTER * size

    def spend(self, amount: int) -> None:
        self.left -= amount
        if self.left < 0:
            raise SuiteError(
                "the template builds too much",
                mend="use fewer loops and filters",
                field="prompt",
            )


def _size(item: Item) -> int:
    """Count the characters of an item that a template can see, roughly and from above."""
    size = len(item.input) if isinstance(item.input, str) else 0
    size += sum(len(text) for text in item.options.values())
    size += sum(len(text) for text in item.labels)
    return size + (len(str(item.metadata)) if item.metadata else 0)


@lru_cache(maxsize=64)
def _compiled(prompt: str) -> Template:
    if len(prompt) > LONGEST_TEMPLATE:
        raise SuiteError("the prompt is too long for a template", mend=_SHORTER, field="prompt")
    try:
        tree = _ENVIRONMENT.parse(prompt)
        _refuse_hostile(tree)
        _bound_loops(tree)
        return _ENVIRONMENT.from_string(tree)
    except TemplateError as error:
        line = getattr(error, "lineno", None)
        place = f" (line {line} of the prompt)" if line else ""
        raise SuiteError(
            f"the template is broken: {error.message}{place}",
            mend="a field is written `{{ input }}`, a condition `{% if … %} … {% endif %}`",
            field="prompt",
        ) from None
    except (RecursionError, MemoryError, SyntaxError, ValueError, OverflowError):
        raise SuiteError("the template is too tangled", mend=_SHORTER, field="prompt") from None


def _refuse_hostile(tree: nodes.Template) -> None:
    bound = {node.name for node in tree.find_all(nodes.Name) if node.ctx == "store"} | {"loop"}
    for count, node in enumerate(_walk(tree)):
        if count > MOST_NODES:
            raise SuiteError("the template has too many parts", mend=_SHORTER, field="prompt")
        if type(node).__name__ not in _ALLOWED:
            what = type(node).__name__.lower()
            raise _refused(f"`{what}` is not taken in a prompt", node)
        _REFUSALS.get(type(node), _nothing)(node, bound)


def _walk(tree: nodes.Node) -> Iterator[nodes.Node]:
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(node.iter_child_nodes())


def _nothing(_node: Any, _bound: set[str]) -> None:  # noqa: ANN401 - one of many node types
    return


def _refuse_name(node: Any, bound: set[str]) -> None:  # noqa: ANN401 - one of many node types
    if node.ctx == "store" and (node.name.startswith("_") or node.name in NAMES):
        raise _refused(f"{quoted(node.name)} cannot name a loop's value", node)
    if node.name not in NAMES and node.name not in bound:
        close = nearest(node.name, NAMES)
        mend = f"did you mean `{close}`?" if close else f"fields are: {', '.join(NAMES)}"
        raise _refused(f"unknown template field {quoted(node.name)}", node, mend)


def _refuse_filter(node: Any, _bound: set[str]) -> None:  # noqa: ANN401 - one of many node types
    if node.node is None or node.name not in _FILTERS:
        mend = f"filters are: {', '.join(sorted(_FILTERS))}"
        raise _refused(f"the filter {quoted(node.name)} is not taken", node, mend)


def _refuse_test(node: Any, _bound: set[str]) -> None:  # noqa: ANN401 - one of many node types
    if node.name not in _TESTS:
        raise _refused(f"the test {quoted(node.name)} is not taken", node)


def _refuse_call(node: Any, _bound: set[str]) -> None:  # noqa: ANN401 - one of many node types
    bare = not (node.args or node.kwargs or node.dyn_args or node.dyn_kwargs)
    if not (bare and isinstance(node.node, nodes.Getattr) and node.node.attr in _VIEWS):
        raise _refused("calls are not taken in a prompt", node, "`options.items()` is")


def _refuse_attribute(node: Any, _bound: set[str]) -> None:  # noqa: ANN401 - one of many types
    if node.attr.startswith("_"):
        raise _refused(f"{quoted(node.attr)} is not taken", node)


def _refuse_recursion(node: Any, _bound: set[str]) -> None:  # noqa: ANN401 - one of many types
    if node.recursive:
        raise _refused("recursive loops are not taken in a prompt", node)


_REFUSALS: dict[type, Callable[[Any, set[str]], None]] = {
    nodes.Name: _refuse_name,
    nodes.Filter: _refuse_filter,
    nodes.Test: _refuse_test,
    nodes.Call: _refuse_call,
    nodes.Getattr: _refuse_attribute,
    nodes.For: _refuse_recursion,
}


def _refused(problem: str, node: nodes.Node, mend: str = _PLAINER) -> SuiteError:
    return SuiteError(f"{problem} (line {node.lineno} of the prompt)", mend=mend, field="prompt")


def _bound_loops(tree: nodes.Template) -> None:
    """Send what every loop runs over through a filter that spends work."""
    for loop in list(tree.find_all(nodes.For)):
        loop.iter = nodes.Filter(loop.iter, _EACH, [], [], None, None, lineno=loop.lineno)


class _Environment(SandboxedEnvironment):
    """Fields before methods, and no methods but the views of a mapping."""

    def getattr(self, obj: Any, attribute: str) -> Any:  # noqa: ANN401 - any value of an item
        if isinstance(obj, Mapping):
            if attribute in obj:
                return obj[attribute]
            if attribute in _VIEWS:
                return getattr(obj, attribute)
        if type(obj).__name__ == "LoopContext" and not attribute.startswith("_"):
            return super().getattr(obj, attribute)
        return self.undefined(obj=obj, name=attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:  # noqa: ANN401 - any value of an item
        try:
            return obj[argument]
        except (LookupError, TypeError):
            return self.undefined(obj=obj, name=str(argument)[:60])


def _finished(value: Any) -> Any:  # noqa: ANN401 - any value of an item
    """Let texts and numbers be shown; a whole list or mapping would come out as Python code."""
    if isinstance(value, str | int | Decimal | StrictUndefined):
        return value
    kind = "a list" if isinstance(value, list | tuple) else "no text"
    raise SuiteError(
        f"what the template shows is {kind}",
        mend="join it: `{{ labels | join(', ') }}`, or run over it with `{% for … %}`",
        field="prompt",
    )


@pass_context
def _each(context: Context, values: Iterable[Any]) -> Iterator[Any]:
    work: _Work = context[_WORK]
    for value in values:
        work.spend(work.size + 100)
        yield value


def _measured(do: Callable[..., Any]) -> Callable[..., Any]:
    """Make a filter that spends the length of what it takes and gives."""

    @pass_context
    def measured(context: Context, value: Any, *others: Any, **named: Any) -> Any:  # noqa: ANN401
        work: _Work = context[_WORK]
        work.spend(_length(value) + 1)
        result = do(value, *others, **named)
        work.spend(_length(result))
        return result

    return measured


def _length(value: Any) -> int:  # noqa: ANN401 - any value of an item
    return len(value) if isinstance(value, str | list | tuple | dict) else 1


@pass_context
def _join(context: Context, values: Iterable[Any], separator: str = "") -> str:
    work: _Work = context[_WORK]
    texts = [str(each) for each in values]
    work.spend(sum(map(len, texts)) + len(texts) * (len(str(separator)) + 1))
    return str(separator).join(texts)


@pass_context
def _replace(context: Context, text: str, old: str, new: str) -> str:
    work: _Work = context[_WORK]
    text, old, new = str(text), str(old), str(new)
    work.spend(len(text) + (text.count(old) + 1) * (len(new) + 1))
    return text.replace(old, new)


def _default(value: Any, instead: Any = "") -> Any:  # noqa: ANN401 - any value of an item
    return instead if isinstance(value, StrictUndefined) else value


def _json(value: Any) -> str:  # noqa: ANN401 - any value of an item
    return json.dumps(value, ensure_ascii=False, default=_json_number)


def _json_number(value: object) -> float:
    if isinstance(value, Decimal):
        return float(value)
    raise TypeError("what is no text, number, list or mapping has no JSON form")


def _sorted(values: Iterable[Any]) -> list[Any]:
    return sorted(values, key=str)


_FILTERS: dict[str, Callable[..., Any]] = {
    "capitalize": _measured(lambda text: str(text).capitalize()),
    "default": _measured(_default),
    "first": _measured(lambda values: next(iter(values))),
    "join": _join,
    "last": _measured(lambda values: list(values)[-1]),
    "length": _measured(len),
    "list": _measured(list),
    "lower": _measured(lambda text: str(text).lower()),
    "replace": _replace,
    "reverse": _measured(lambda values: list(values)[::-1]),
    "sort": _measured(_sorted),
    "title": _measured(lambda text: str(text).title()),
    "tojson": _measured(_json),
    "trim": _measured(lambda text: str(text).strip()),
    "upper": _measured(lambda text: str(text).upper()),
}


def _environment() -> _Environment:
    environment = _Environment(
        undefined=StrictUndefined,
        finalize=_finished,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        cache_size=0,
    )
    environment.globals.clear()
    environment.filters.clear()
    environment.filters.update({**_FILTERS, _EACH: _each})
    environment.tests = {name: test for name, test in environment.tests.items() if name in _TESTS}
    return environment


_ENVIRONMENT = _environment()
