"""Where a day begins and ends, in a time zone of one's choice."""

from datetime import UTC, datetime, time, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from afere.domain import UsageError

__all__ = ["check_timezone", "day_around"]


def check_timezone(name: str) -> None:
    """Raise UsageError for a name that is no time zone of this machine."""
    _zone(name)


def day_around(now: float, timezone: str) -> tuple[float, float]:
    """Give begin and end of the day that holds a moment, all in seconds since 1970."""
    zone = _zone(timezone)
    today = datetime.fromtimestamp(now, zone).date()
    begin, end = (
        datetime.combine(day, time(), zone).timestamp()
        for day in (today, today + timedelta(days=1))
    )
    return begin, end


def _zone(name: str) -> tzinfo:
    if name == "UTC":
        return UTC  # without the time zone data, which a small machine may lack
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise UsageError(
            f"{name!r} is no time zone known here\nwrite timezone as UTC or as America/Sao_Paulo",
        ) from error
