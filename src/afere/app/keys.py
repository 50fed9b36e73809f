"""Which key goes to which address: keys come from the environment and go nowhere else."""

import ipaddress
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

from afere.domain import UsageError

__all__ = ["OPENAI_URL", "Key", "base_url_of", "find_key", "is_local"]

OPENAI_URL = "https://api.openai.com/v1"


class Key(NamedTuple):
    """A key and the variable that held it; both empty where none is needed."""

    name: str
    value: str


def base_url_of(environ: Mapping[str, str]) -> str | None:
    """Give the address that the environment names, if any."""
    return environ.get("LLM_BASE_URL") or environ.get("OPENAI_BASE_URL")


def find_key(
    base_url: str,
    environ: Mapping[str, str],
    *,
    key_env: str | None = None,
    named: bool = True,
) -> Key:
    """Give the key for an address; empty for a local one without.

    `key_env` names the variable that must hold it. Else `AFERE_API_KEY`, else `LLM_API_KEY` for
    `LLM_BASE_URL` alone, else `OPENAI_API_KEY` for api.openai.com and `OPENAI_BASE_URL` alone.
    named: whether somebody named the address; one that is only the default gets no key but
    OpenAI's own, or a forgotten option would send another endpoint's key and the questions there.
    Raises UsageError, with the lines to type, where a remote address has none.
    """
    if key_env is not None:
        key = environ.get(key_env, "")
        if not key:
            raise UsageError(f"The variable {key_env} is not set.\nType: export {key_env}=...")
        return Key(key_env, key)
    for name in _fitting(base_url, environ) if named else ["OPENAI_API_KEY"]:
        if environ.get(name):
            return Key(name, environ[name])
    if not named:
        raise UsageError(
            "No address is named, and there is no OPENAI_API_KEY: nothing was asked.\n"
            "Type:  --base-url https://HOST/v1     (in this folder is no models.yaml)\n"
            "For api.openai.com:  export OPENAI_API_KEY=...   or  --base-url " + OPENAI_URL,
        )
    if is_local(base_url):
        return Key("", "")
    raise UsageError(
        f"No key for {base_url.partition('?')[0]}: nothing was asked.\n"
        "Type:  export AFERE_API_KEY=...        (or name another variable: --key-env NAME)\n"
        "A server of your own needs none:  --base-url http://127.0.0.1:8080/v1",
    )


def _fitting(base_url: str, environ: Mapping[str, str]) -> list[str]:
    names = ["AFERE_API_KEY"]
    if _same(base_url, environ.get("LLM_BASE_URL", "")):
        names.append("LLM_API_KEY")
    parts = urlsplit(base_url)
    if (parts.scheme, parts.hostname) == ("https", "api.openai.com") or _same(
        base_url,
        environ.get("OPENAI_BASE_URL", ""),
    ):
        names.append("OPENAI_API_KEY")
    return names


def _same(one: str, other: str) -> bool:
    return bool(other) and one.rstrip("/") == other.rstrip("/")


def is_local(base_url: str) -> bool:
    """Whether an address is on this machine or in a private network, where no key is needed."""
    host = urlsplit(base_url).hostname or ""
    if host == "localhost" or host.endswith((".localhost", ".local")):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return "." not in host
    return address.is_loopback or address.is_private
