"""JSON Schema, without the parts that could reach the network or run for ever.

The library is loaded when a schema is used.
"""

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from functools import cache
from typing import Any

from afere.domain import AnswerKeyError
from afere.graders.expressions import Budget, Expression, InvalidExpressionError

__all__ = ["Schema"]

_Json = Any  # plain JSON data of any shape
_Keyword = Callable[..., Iterator[Any]]


class Schema:
    """A schema that was checked; remote references are refused."""

    def __init__(self, schema: _Json) -> None:
        """Check a schema; raises AnswerKeyError."""
        if not isinstance(schema, Mapping | bool):
            raise AnswerKeyError(f"{schema!r} is no schema", field="expect.json.schema")
        self._schema = _plain(schema)
        self._budget = Budget()
        self._validator = _validator(self._schema, lambda: self._budget)

    def accepts(self, value: _Json) -> bool:
        """Tell whether a value obeys the schema; one nested beyond all reason does not.

        Raises UnfinishedError where the schema's patterns do not end within their steps.
        """
        self._budget = Budget()
        try:
            return bool(self._validator.is_valid(value))
        except RecursionError:
            return False


def _plain(schema: _Json) -> _Json:
    """Copy a schema with plain dicts and lists, as the library wants them."""
    if isinstance(schema, Mapping):
        return {str(key): _plain(value) for key, value in schema.items()}
    return [_plain(each) for each in schema] if isinstance(schema, list | tuple) else schema


def _validator(schema: _Json, left: Callable[[], Budget]) -> Any:  # noqa: ANN401 - a validator
    import referencing
    from jsonschema import exceptions, validators

    base = validators.validator_for(schema, default=validators.Draft202012Validator)
    try:
        base.check_schema(schema)
    except exceptions.SchemaError as error:
        where = "/".join(str(each) for each in error.path)
        problem = f"the schema is broken at `{where or 'its top'}`: {error.message}"
        raise AnswerKeyError(problem, field="expect.json.schema") from None
    _check_parts(schema, base(schema, registry=referencing.Registry()))
    return _strict(base, left)(schema, registry=referencing.Registry())


def _check_parts(schema: _Json, validator: Any) -> None:  # noqa: ANN401 - a validator
    """Refuse references that lead out of the schema, and patterns that are no expressions."""
    for part in _parts(schema):
        reference = part.get("$ref")
        if isinstance(reference, str) and not reference.startswith("#"):
            problem = f"`$ref: {reference}` leads out of the schema"
            mend = "Nothing is fetched: put the definition under `$defs` and refer to it by `#`."
            raise AnswerKeyError(problem, mend=mend, field="expect.json.schema")
        if isinstance(reference, str):
            _check_reference(reference, validator)
        patterns = [part["pattern"]] if isinstance(part.get("pattern"), str) else []
        if isinstance(part.get("patternProperties"), dict):
            patterns += part["patternProperties"]
        for pattern in patterns:
            _check_pattern(pattern)


def _check_reference(reference: str, validator: Any) -> None:  # noqa: ANN401 - a validator
    from referencing.exceptions import Unresolvable

    try:
        validator._resolver.lookup(reference)  # noqa: SLF001 - the library has no public way
    except Unresolvable:
        problem = f"`$ref: {reference}` leads nowhere"
        raise AnswerKeyError(problem, field="expect.json.schema") from None


def _check_pattern(pattern: str) -> None:
    try:
        _expression(pattern)
    except (InvalidExpressionError, RuntimeError) as error:
        problem = f"the pattern {pattern!r} cannot be used: {error}"
        raise AnswerKeyError(problem, field="expect.json.schema") from None


def _parts(schema: _Json) -> Iterator[dict[str, _Json]]:
    waiting = [schema]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            yield part
            waiting += [value for key, value in part.items() if key not in {"const", "enum"}]
        elif isinstance(part, list):
            waiting += part


@cache
def _expression(pattern: str) -> Expression:
    return Expression(pattern)


def _strict(base: Any, left: Callable[[], Budget]) -> Any:  # noqa: ANN401 - a validator class
    """Give the validator with our numbers, bounded patterns and linear `uniqueItems`."""
    from jsonschema import validators

    types = base.TYPE_CHECKER.redefine("integer", _is_integer).redefine("number", _is_number)
    keywords = {**_patterns(left), "uniqueItems": _unique}
    extend: Any = validators.extend
    return extend(base, keywords, type_checker=types)


def _is_number(_: object, value: object) -> bool:
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def _is_integer(_: object, value: object) -> bool:
    if isinstance(value, Decimal):
        digits, exponent = value.as_tuple().digits, value.as_tuple().exponent
        return isinstance(exponent, int) and (exponent >= 0 or not any(digits[exponent:]))
    return isinstance(value, int) and not isinstance(value, bool)


def _patterns(left: Callable[[], Budget]) -> dict[str, _Keyword]:
    """Give the keywords that try patterns, all of one judgement within one budget."""

    def pattern(validator: Any, source: str, value: _Json, _: _Json) -> Iterator[Any]:  # noqa: ANN401
        is_text = validator.is_type(value, "string")
        if is_text and not _expression(source).search(value, left()):
            yield _error(f"{value!r} does not match {source!r}")

    def pattern_properties(
        validator: Any,  # noqa: ANN401 - a validator
        patterns: Mapping[str, _Json],
        value: _Json,
        _: _Json,
    ) -> Iterator[Any]:
        for source, schema in patterns.items() if validator.is_type(value, "object") else ():
            for name, each in value.items():
                if _expression(source).search(name, left()):
                    yield from validator.descend(each, schema, path=name, schema_path=source)

    return {"pattern": pattern, "patternProperties": pattern_properties}


def _unique(validator: Any, wanted: bool, value: _Json, _: _Json) -> Iterator[Any]:  # noqa: ANN401, FBT001 - as the library calls it
    is_list = wanted and validator.is_type(value, "array")
    if is_list and len({_form(each) for each in value}) < len(value):
        yield _error("an element stands twice")


def _error(message: str) -> Any:  # noqa: ANN401 - an error of the library
    from jsonschema import exceptions

    return exceptions.ValidationError(message)


def _form(value: _Json) -> object:
    """Give a form in which equal values are equal and can be hashed."""
    if isinstance(value, dict):
        return ("object", frozenset((key, _form(each)) for key, each in value.items()))
    if isinstance(value, list):
        return ("array", tuple(_form(each) for each in value))
    return (isinstance(value, bool), value)
