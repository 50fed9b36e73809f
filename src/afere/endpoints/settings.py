"""How an endpoint is reached."""

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from urllib.parse import parse_qsl, quote, unquote, urlsplit, urlunsplit

from afere.domain import UsageError
from afere.endpoints.days import check_timezone

__all__ = ["ClientSettings", "Timeouts", "secrets_of"]

_PATH = "/chat/completions"
# What people type where a local server asks for some key; not to be cut out of replies.
_PLACEHOLDERS = frozenset({"ollama", "lm-studio", "placeholder", "not-needed", "no-key-required"})
_LONG = 16  # characters: a model does not write so long a value by chance
_OF_THE_MESSAGE = frozenset({"content-length", "transfer-encoding", "content-encoding"})
_SECRET_NAMES = ("key", "auth", "token", "secret", "cookie", "pass", "cred", "sec")


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeouts:
    """Seconds: to connect, for a whole call, and to the first byte of the reply (None: no limit).

    A reply that is not streamed begins when it is complete, so `first_byte` is off by default.
    """

    connect: float = 10.0
    total: float = 600.0
    first_byte: float | None = None


@dataclass(frozen=True, kw_only=True)
class ClientSettings:
    """How one provider is reached.

    base_url: what `/chat/completions` is added to; a query (`?key=…`) stays behind it.
    key: sent as a bearer token; never shown.
    key_name: the environment variable that held the key, for messages.
    headers: sent with every call; they go before our own of the same name.
    concurrency: the size of the connection pool.
    largest_body: bytes; a longer reply is a failure.
    proxies: whether the proxies of the environment are used (never for a loopback address).
    timezone: where a daily quota's day ends, as an IANA name.
    own_quota: models whose daily quota is known to be their own, not the provider's.
    user_agent: how we call ourselves.

    Raises UsageError for a URL or header that cannot be sent.
    """

    base_url: str = field(repr=False)
    key: str | None = field(default=None, repr=False)
    key_name: str = "AFERE_API_KEY"
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    timeouts: Timeouts = field(default_factory=Timeouts)
    concurrency: int = 8
    largest_body: int = 50_000_000
    proxies: bool = True
    timezone: str = "UTC"
    own_quota: frozenset[str] = frozenset()
    user_agent: str = "afere"

    def __post_init__(self) -> None:
        """Check at the door what could not be sent."""
        _check_url(self.base_url)
        check_timezone(self.timezone)
        _check_value("the key", self.key or "")
        for name, value in self.headers.items():
            _check_value(f"the header {name!r}", value)
            if not name or any(sign in name for sign in " :\r\n\t"):
                raise UsageError(f"{name!r} is no header name\nwrite --header 'Name: value'")
            if name.lower() in _OF_THE_MESSAGE:
                raise UsageError(f"the header {name!r} is set by afere itself\ntake it out")

    @cached_property
    def url(self) -> str:
        """The whole address of a call."""
        return self.url_of(_PATH)

    def url_of(self, path: str) -> str:
        """Give the base URL with a path added."""
        parts = urlsplit(self.base_url)
        path = parts.path.rstrip("/").removesuffix(_PATH) + path
        host = parts.netloc.rpartition("@")[2] if self.key else parts.netloc
        return urlunsplit((parts.scheme, host, path, parts.query, ""))

    @cached_property
    def shown(self) -> str:
        """The base URL without user, password and query: fit to be shown, the same for one place.

        A slash or `/chat/completions` at the end is left out, the host is in small letters.
        """
        parts = urlsplit(self.base_url)
        host = parts.netloc.rpartition("@")[2].lower()
        path = parts.path.rstrip("/").removesuffix(_PATH)
        return urlunsplit((parts.scheme, host, path, "", ""))

    @cached_property
    def secrets(self) -> tuple[str, ...]:
        """Every secret value that travels with a call, in the forms that a server may echo."""
        plain = {self.key or "", *secrets_of(self.base_url)}
        for name, value in self.headers.items():
            if _looks_secret(name, value):
                plain |= {value, value.rpartition(" ")[2]}
        plain -= _PLACEHOLDERS
        return tuple(sorted(plain | {quote(value, safe="") for value in plain}))


def _looks_secret(name: str, value: str) -> bool:
    """Whether a header is one by its name, or its value by being long and no words."""
    by_name = any(word in name.lower() for word in _SECRET_NAMES)
    return by_name or (len(value) >= _LONG and " " not in value)


def secrets_of(url: str) -> tuple[str, ...]:
    """Give what a URL holds of secrets: user, password and the values of its query."""
    parts = urlsplit(url)
    found = [value for _, value in parse_qsl(parts.query)]
    user, password = parts.username or "", parts.password or ""
    found += [user, password, unquote(user), unquote(password)]
    if password:  # as it travels in the header
        found.append(b64encode(f"{unquote(user)}:{unquote(password)}".encode()).decode())
    return tuple(found)


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname)
        _ = parts.port  # a port that is no number is refused here
    except ValueError:
        usable = False
    if not usable or any(sign in url for sign in "\r\n\t "):
        raise UsageError(
            "the base URL is no http or https address\nwrite --base-url https://HOST/v1"
        )


def _check_value(what: str, value: str) -> None:
    if any(ord(sign) < ord(" ") and sign != "\t" for sign in value):
        raise UsageError(f"{what} holds a line break or a control character\nset it again without")
