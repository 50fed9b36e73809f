"""`models.yaml`: providers, models, their limits and prices, checked at the door."""

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from afere.app.keys import is_local
from afere.app.models import VARIABLE, Engine, Model, clean_base_url
from afere.domain import UsageError
from afere.suites import Fields, read_settings

__all__ = ["declared_models"]

DEFAULT_FILE = "models.yaml"
PROVIDER_FIELDS = (
    "base_url",
    "key",
    "engine",
    "gguf",
    "context",
    "limits",
    "params",
    "headers",
    "timeouts",
    "retries",
    "backoff",
    "timezone",
)
MODEL_FIELDS = (
    "provider",
    "model",
    "limits",
    "params",
    "price",
    "cutoff",
    "headers",
    "family",
    "retries",
    "timeouts",
    "backoff",
)
LIMITS = ("rpm", "rpd", "tpm", "concurrency")
ENGINES = LLAMA, LITELLM = "llama", "litellm"
_SECRET_ENDINGS = ("_KEY", "_TOKEN", "_SECRET", "_PASSWORD", "_CREDENTIALS")
_MOST = 10**12  # of calls, tokens, seconds or USD: a larger number is a slip


def declared_models(file: Path | None, environ: Mapping[str, str]) -> dict[str, Model]:
    """Read the models of `models.yaml`; empty where there is no such file and none was named.

    `file`, else the variable `AFERE_MODELS`, else `models.yaml` in the working folder.
    Raises SuiteError with file, line, field and mend. A key is looked up only when it is used.
    """
    named = file or (Path(environ["AFERE_MODELS"]) if environ.get("AFERE_MODELS") else None)
    path = named or Path(DEFAULT_FILE)
    if named is None and not path.is_file():
        return {}
    if not path.is_file():
        raise UsageError(f"There is no file {str(path)!r}.\nType: --models FILE")
    top = read_settings(path)
    top.refuse_unknown(("providers", "models"))
    providers = {name: _provider(name, fields) for name, fields in _each(top, "providers")}
    return {name: _model(name, fields, providers, environ) for name, fields in _each(top, "models")}


def _each(top: Fields, section: str) -> list[tuple[str, Fields]]:
    node = top.node(section)
    if node is None:
        return []
    entries = Fields.of(node, top.file, section)
    return [
        (name, Fields.of(each, top.file, f"{section}.{name}"))
        for name, each in entries.nodes.items()
    ]


def _provider(name: str, fields: Fields) -> Fields:
    fields.refuse_unknown(PROVIDER_FIELDS)
    engine = fields.text("engine")
    if engine is None or (engine == LITELLM and fields.node("base_url") is not None):
        url = fields.required("base_url")
        written = fields.as_text(url, "base_url")
        try:
            clean_base_url(written)
        except UsageError:
            raise fields.fault(
                "this is no address", "base_url", "write `base_url: https://HOST/v1`", url
            ) from None
    elif engine not in ENGINES:
        raise fields.fault(
            f"the engine `{engine}` is not known",
            "engine",
            "known are `llama` and `litellm`",
            fields.node("engine"),
        )
    elif engine == LLAMA and fields.node("gguf") is None:
        raise fields.fault(
            f"provider `{name}` names no weights",
            "gguf",
            "add `gguf: smollm2-135m` or the path of a GGUF file",
        )
    _check_key(fields)
    _limits(fields)
    return fields


def _check_key(fields: Fields) -> None:
    key = fields.text("key")
    if key is not None and not VARIABLE.fullmatch(key):
        raise fields.fault(
            "a key is written as the name of a variable, never as itself",
            "key",
            "write `key: ${NAME}` and `export NAME=...`",
            fields.node("key"),
        )


def _model(
    name: str,
    fields: Fields,
    providers: Mapping[str, Fields],
    environ: Mapping[str, str],
) -> Model:
    fields.refuse_unknown(MODEL_FIELDS)
    wanted = fields.as_text(fields.required("provider"), "provider")
    if wanted not in providers:
        raise fields.fault(
            f"there is no provider `{wanted}`",
            "provider",
            f"known are: {', '.join(providers) or 'none'}",
            fields.node("provider"),
        )
    provider = providers[wanted]
    if provider.text("engine") == LITELLM:
        return _translated(name, fields, wanted, provider, environ)
    engine = provider.text("engine")
    gguf = provider.text("gguf") or ""
    base_url = (
        f"llama:{Path(gguf).name}" if engine else clean_base_url(provider.text("base_url") or "")
    )
    return _declared(
        Model(
            name=name,
            model=fields.text("model") or (Path(gguf).stem if engine else name),
            base_url=base_url,
            provider=wanted,
            key=_key(provider, base_url, environ) if engine is None else "",
            key_name=_variable(provider) or "AFERE_API_KEY",
            engine=Engine(weights=gguf, context=_whole(provider, "context", 4096))
            if engine
            else None,
        ),
        provider,
        fields,
        environ,
    )


def _translated(
    name: str,
    fields: Fields,
    wanted: str,
    provider: Fields,
    environ: Mapping[str, str],
) -> Model:
    """Give a model that LiteLLM asks; without a declared key it looks for its own variables."""
    model = fields.text("model") or name
    host = model.partition("/")[0]
    declared = _variable(provider)
    url = provider.text("base_url")
    secret = {value for each, value in environ.items() if each.endswith(_SECRET_ENDINGS)}
    found = Model(
        name=name,
        model=model,
        base_url=clean_base_url(url) if url else f"{LITELLM}:{host}",
        provider=wanted,
        key=(environ.get(declared) or f"${{{declared}}}") if declared else "",
        key_name=declared or f"{host.upper()}_API_KEY",
        translated=True,
        secrets=tuple(sorted(secret)),
    )
    return _declared(found, provider, fields, environ)


def _declared(
    model: Model,
    provider: Fields,
    fields: Fields,
    environ: Mapping[str, str],
) -> Model:
    """Add what every model may declare, whatever asks it."""
    both = (provider, fields)
    return replace(
        model,
        headers=_merged(both, "headers", _header, environ),
        params={**provider.data("params"), **fields.data("params")},
        limits=_limits(fields),
        provider_limits=_limits(provider),
        price=_numbers(fields, "price", ("input", "output")),
        timeouts=_both_numbers(both, "timeouts", ("connect", "total", "first_byte")),
        retries=_whole(fields, "retries", _whole(provider, "retries", 3)),
        backoff=_both_numbers(both, "backoff", ("first", "cap")),
        timezone=provider.text("timezone") or "UTC",
        cutoff=fields.date("cutoff"),
        family=fields.text("family"),
    )


def _key(provider: Fields, base_url: str, environ: Mapping[str, str]) -> str:
    """Give the key's value; a variable that is not set is told when the model is asked."""
    name = _variable(provider)
    if name is None:
        return environ.get("AFERE_API_KEY", "")
    return environ.get(name) or ("" if is_local(base_url) else f"${{{name}}}")


def _variable(provider: Fields) -> str | None:
    found = VARIABLE.fullmatch(provider.text("key") or "")
    return found[1] if found else None


def _header(text: str, environ: Mapping[str, str]) -> str:
    """Fill in variables; one that is not set stays, and is told when the model is asked."""
    return VARIABLE.sub(lambda found: environ.get(found[1]) or found[0], text)


def _merged(
    both: tuple[Fields, Fields],
    name: str,
    convert: Any,  # noqa: ANN401 - a function of text and environment
    environ: Mapping[str, str],
) -> dict[str, str]:
    merged: dict[str, str] = {}
    for fields in both:
        node = fields.node(name)
        if node is None:
            continue
        entries = Fields.of(node, fields.file, f"{fields.path}.{name}")
        for each, value in entries.nodes.items():
            merged[each] = convert(entries.as_text(value, each), environ)
    return merged


def _limits(fields: Fields) -> dict[str, float]:
    limits = _numbers(fields, "limits", LIMITS)
    for name, limit in limits.items():
        if limit == 0 or (name == "concurrency" and limit != int(limit)):
            node = fields.required("limits")
            raise fields.fault(
                f"`{name}` must be above 0, and whole for calls", "limits", node=node
            )
    return limits


def _both_numbers(
    both: tuple[Fields, Fields],
    name: str,
    known: tuple[str, ...],
) -> dict[str, float]:
    return {**_numbers(both[0], name, known), **_numbers(both[1], name, known)}


def _numbers(fields: Fields, name: str, known: tuple[str, ...]) -> dict[str, float]:
    node = fields.node(name)
    if node is None:
        return {}
    entries = Fields.of(node, fields.file, f"{fields.path}.{name}")
    entries.refuse_unknown(known)
    numbers = {}
    for each, value in entries.nodes.items():
        number = value.value
        if isinstance(number, bool) or not isinstance(number, int | Decimal):
            raise entries.fault("a number of 0 or more is due here", each, node=value)
        if Decimal(number).is_nan() or not 0 <= number <= _MOST:
            raise entries.fault("a number from 0 to 10^12 is due here", each, node=value)
        numbers[each] = int(number) if isinstance(number, int) else float(number)
    return numbers


def _whole(fields: Fields, name: str, default: int) -> int:
    node = fields.node(name)
    if node is None:
        return default
    if isinstance(node.value, bool) or not isinstance(node.value, int) or node.value < 0:
        raise fields.fault("a whole number of 0 or more is due here", name, node=node)
    return node.value
