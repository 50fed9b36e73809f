"""What a broken connection means, and the way out through a proxy."""

import ipaddress
from collections.abc import Callable
from urllib.parse import urlsplit

from afere.domain import Failure, FailureKind, Scope
from afere.endpoints.failures import Asked
from afere.endpoints.settings import Timeouts
from afere.endpoints.wording import one_line

__all__ = ["connection_failure", "proxy_for"]


def connection_failure(
    error: Exception,
    asked: Asked,
    timeouts: Timeouts,
    redact: Callable[[str], str],
) -> Failure:
    """Class what was raised while asking."""
    kind, message, permanent = _class(error, asked, timeouts)
    return Failure(
        kind=kind,
        message=one_line(redact(message), most=400),
        transient=not permanent,
        scope=Scope.PROVIDER if permanent else Scope.CALL,
        latency=asked.latency,
        failed_at=asked.now,
    )


def _class(error: Exception, asked: Asked, timeouts: Timeouts) -> tuple[FailureKind, str, bool]:
    """Give kind, message, and whether asking again is of no use to any call."""
    import aiohttp

    place = asked.place
    if isinstance(error, aiohttp.ConnectionTimeoutError):
        return FailureKind.TIMEOUT, f"no connection to {place} within {timeouts.connect:g} s", False
    if isinstance(error, TimeoutError):
        return FailureKind.TIMEOUT, _late(asked.latency, timeouts), False
    if isinstance(error, aiohttp.ClientConnectorCertificateError | aiohttp.ClientSSLError):
        why = f"the certificate of {place} is not trusted ({error}); check it or SSL_CERT_FILE"
        return FailureKind.CONNECTION, why, True
    if isinstance(error, aiohttp.InvalidURL):
        return FailureKind.CONNECTION, f"{place} is no address; check the base URL", True
    if isinstance(error, OSError | aiohttp.ServerDisconnectedError | aiohttp.ClientHttpProxyError):
        return FailureKind.CONNECTION, _broken(error, place), False
    return FailureKind.BAD_BODY, f"the reply of {place} cannot be read ({_name(error)})", False


def _broken(error: Exception, place: str) -> str:
    import aiohttp

    if isinstance(error, aiohttp.ClientProxyConnectionError | aiohttp.ClientHttpProxyError):
        return f"no way through the proxy ({error}); check HTTPS_PROXY and HTTP_PROXY"
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return f"the host of {place} is not found; check the base URL and the network"
    if isinstance(error, aiohttp.ClientConnectorError):
        return f"no connection to {place} ({error.strerror or error}); is the server running?"
    return f"{place} broke the connection ({_name(error)})"


def _late(latency: float, timeouts: Timeouts) -> str:
    if timeouts.first_byte is not None and latency < timeouts.total:
        return f"no reply within {timeouts.first_byte:g} s (timeouts: first_byte)"
    return f"no whole reply within {timeouts.total:g} s (timeouts: total)"


def _name(error: Exception) -> str:
    text = one_line(str(error))
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def proxy_for(url: str) -> str | None:
    """Give the proxy that the environment names for a URL; none for a loopback address."""
    import urllib.request  # slow to load

    parts = urlsplit(url)
    host = parts.hostname or ""
    if host == "localhost" or _is_loopback(host) or urllib.request.proxy_bypass(host):
        return None
    return urllib.request.getproxies().get(parts.scheme)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
