"""Which endpoint a model's name stands for: options of the command line, or `models.yaml`."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import urlsplit, urlunsplit

from afere.app.keys import OPENAI_URL, base_url_of, find_key
from afere.domain import UsageError

__all__ = [
    "VARIABLE",
    "Engine",
    "Model",
    "ModelOptions",
    "parse_headers",
    "parse_params",
    "resolve",
]

LLAMA_PREFIX = "llama:"
SHIPPED_WEIGHTS = "smollm2-135m"
VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")  # as models.yaml names one


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """A model that `afere` itself starts on this machine.

    weights: the name of weights that `afere` can fetch, or the path of a GGUF file.
    context: tokens that one request may take, prompt and reply together.
    """

    weights: str
    context: int = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A model as it can be asked; the key is never shown.

    name: as the user calls it; `model` as the endpoint does.
    provider: what shares a key and its limits.
    price: USD per million tokens by `input` and `output`.
    translated: whether LiteLLM asks it; `base_url` is then `litellm:` and the provider's name, or
    the address that was declared. secrets: what must be kept out of texts beside the key.
    """

    name: str
    model: str
    base_url: str = field(repr=False)
    provider: str
    key: str = field(default="", repr=False)
    key_name: str = "AFERE_API_KEY"
    engine: Engine | None = None
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    params: Mapping[str, Any] = field(default_factory=dict)
    limits: Mapping[str, Any] = field(default_factory=dict)
    provider_limits: Mapping[str, Any] = field(default_factory=dict)
    price: Mapping[str, Any] = field(default_factory=dict)
    timeouts: Mapping[str, float] = field(default_factory=dict)
    retries: int = 3
    backoff: Mapping[str, float] = field(default_factory=dict)
    timezone: str = "UTC"
    cutoff: str | None = None
    family: str | None = None
    translated: bool = False
    secrets: tuple[str, ...] = field(default=(), repr=False)

    @property
    def place(self) -> str:
        """The address as it may be shown and kept: without user, password and query."""
        return shown_url(self.base_url)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOptions:
    """What the command line says of the models."""

    base_url: str | None = None
    key_env: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    models_file: Path | None = None


def parse_params(texts: Sequence[str]) -> dict[str, Any]:
    """Read `k=v` options: the value is JSON where it can be read so, else text.

    >>> parse_params(["temperature=0.7", "stop=###"])
    {'temperature': 0.7, 'stop': '###'}
    """
    params: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise UsageError(
                f"--param {text!r} has no '='.\nThe right form: --param temperature=0.7"
            )
        params[name.strip()] = _checked(name.strip(), _json_or_text(value))
    return params


def _checked(name: str, value: Any) -> Any:  # noqa: ANN401 - a parameter may be of any JSON type
    """Refuse what no request can carry, and what would pay for replies that nobody reads."""
    if isinstance(value, float) and not math.isfinite(value):
        raise UsageError(f"--param {name} is beyond all numbers.\nWrite a smaller one.")
    if (name == "stream" and value is not False) or (name == "n" and value != 1):
        raise UsageError(
            f"--param {name} is not taken: one whole reply is read of each call.\n"
            "For several answers an item: --rounds N",
        )
    return value


def _json_or_text(value: str) -> Any:  # noqa: ANN401 - a parameter may be of any JSON type
    try:
        return json.loads(value, parse_constant=_no_number)
    except (ValueError, RecursionError):
        return value


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


def parse_headers(texts: Sequence[str]) -> dict[str, str]:
    """Read `Name: value` options; raises UsageError, with the right form, for any other."""
    headers: dict[str, str] = {}
    for text in texts:
        name, colon, value = text.partition(":")
        if not colon or not _HEADER_NAME.fullmatch(name.strip()) or "\n" in text or "\r" in text:
            shown = name.strip() if colon else text.split("=")[0].split(" ")[0]
            raise UsageError(
                f"--header {shown!r}... is no header.\nThe right form: --header 'Name: value'",
            )
        headers[name.strip()] = value.strip()
    return headers


def resolve(
    names: Sequence[str],
    options: ModelOptions,
    environ: Mapping[str, str],
    declared: Mapping[str, Model],
) -> list[Model]:
    """Find what each name stands for; raises UsageError before anything is asked.

    `declared` are the models of `models.yaml`; an option of the command line goes before them.
    """
    if not names:
        names = [environ["LLM_MODEL"]] if environ.get("LLM_MODEL") else []
    if not names:
        known = f"models.yaml has: {', '.join(declared)}" if declared else ""
        raise UsageError(f"No model is named.\nType: -m MODEL (or --model MODEL)  {known}".rstrip())
    models = [_resolve(name, options, environ, declared) for name in names]
    _refuse_twins(models)
    return [replace(model, headers={**model.headers, **options.headers}) for model in models]


def _resolve(
    name: str,
    options: ModelOptions,
    environ: Mapping[str, str],
    declared: Mapping[str, Model],
) -> Model:
    if options.base_url is None and name in declared:
        return _with_key(declared[name], environ)
    if options.base_url is None and _is_local_weights(name):
        return local_model(name)
    if options.base_url is None and declared:
        near = get_close_matches(name, declared, n=1)
        hint = f"Did you mean {near[0]!r}? " if near else ""
        raise UsageError(
            f"models.yaml has no model {name!r}.\n{hint}It has: {', '.join(declared)}; "
            "or name an address: --base-url URL",
        )
    if not name.strip():
        raise UsageError("A model's name is empty.\nType: -m MODEL")
    named = options.base_url or base_url_of(environ)
    base_url = clean_base_url(named or OPENAI_URL)
    key = find_key(base_url, environ, key_env=options.key_env, named=bool(named))
    return Model(
        name=name,
        model=name,
        base_url=base_url,
        provider=base_url,
        key=key.value,
        key_name=key.name or options.key_env or "AFERE_API_KEY",
    )


def _with_key(model: Model, environ: Mapping[str, str]) -> Model:
    """Refuse a declared model whose key or header is not there, before anything is asked."""
    if model.key.startswith("${"):
        variable = model.key.strip("${}")
        raise UsageError(
            f"The key of {model.name} is in the variable {variable}, which is not set.\n"
            f"Type: export {variable}=...",
        )
    for header, value in model.headers.items():
        if missing := VARIABLE.search(value):
            raise UsageError(
                f"The header {header!r} of {model.name} needs the variable {missing[1]}, "
                f"which is not set.\nType: export {missing[1]}=...",
            )
    if not model.key and model.engine is None and not model.translated:
        key = find_key(model.base_url, environ)
        return replace(model, key=key.value, key_name=key.name or model.key_name)
    return model


def _refuse_twins(models: Sequence[Model]) -> None:
    names = [model.name for model in models]
    twins = {name for name in names if names.count(name) > 1}
    if twins:
        raise UsageError(f"{', '.join(sorted(twins))} is named twice.\nName each model once.")


def _is_local_weights(name: str) -> bool:
    return name.startswith(LLAMA_PREFIX) or name.endswith(".gguf")


def local_model(name: str, weights: str | None = None) -> Model:
    """Give the model that `llama:WEIGHTS` or the path of a GGUF file names."""
    weights = weights or name.removeprefix(LLAMA_PREFIX)
    if not weights:
        raise UsageError(f"{name!r} names no weights.\nType: llama:{SHIPPED_WEIGHTS}, or FILE.gguf")
    return Model(
        name=name,
        model=Path(weights).stem,
        base_url=f"{LLAMA_PREFIX}{Path(weights).name}",
        provider="llama",
        engine=Engine(weights=weights),
    )


def shown_url(url: str) -> str:
    """Give an address without what may be secret in it: user, password, query."""
    parts = urlsplit(url)
    if not parts.netloc:
        return url
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def clean_base_url(url: str) -> str:
    """Check an address and give it without what does not belong to it."""
    try:
        parts = urlsplit(url.strip())
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname)
        _ = parts.port  # a port that is no number is refused here
    except ValueError:
        usable = False
    if not usable:
        raise UsageError(
            "--base-url names no address.\nThe right form: --base-url http://127.0.0.1:8080/v1",
        )
    path = parts.path.rstrip("/").removesuffix("/chat/completions").rstrip("/")
    return urlunsplit((parts.scheme, parts.netloc, path, parts.query, ""))
