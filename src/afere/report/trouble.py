"""What is said above a run that lost rows: how much is missing, the first error, its mend."""

from collections.abc import Callable

from afere.domain import ErrorSummary, FailureKind, Outcome, RunStatus, RunSummary
from afere.report.blocks import Line, Style
from afere.report.harmless import address, one_line
from afere.report.words import Words, message

__all__ = ["missing", "trouble"]

_BODY = 200
_NAME = 80


def trouble(summary: RunSummary, words: Words) -> tuple[Line, ...]:
    """Give the headline of an incomplete or invalid run; nothing for a complete one."""
    if summary.status is RunStatus.COMPLETE:
        return ()
    lines = [Line(_headline(summary, words), Style.BAD)]
    lines += [Line(text) for text in _consequences(summary, words)]
    if summary.first_error is not None:
        lines += _first_error(summary.first_error, summary, words)
    if summary.resume_after and not _is_quota(summary.first_error):
        text = _come_back(summary.resume_after, words)
        lines.append(Line(words.say("The quota is used up: {mend}", mend=text), Style.STRONG))
    return tuple(lines)


def missing(summary: RunSummary, words: Words) -> str:
    """Say in a few words which rows are missing: `3 of 60 calls failed, 2 not asked`."""
    total = sum(summary.outcomes.values())
    failed = summary.outcomes.get(Outcome.ENDPOINT_ERROR, 0)
    parts = []
    if failed:
        said = words.say(
            "{n} of {total} calls failed", n=words.count(failed), total=words.count(total)
        )
        parts.append(said)
    for outcome, one, more in (
        (
            Outcome.NOT_ASKED,
            message("{n} answer was not asked for"),
            message("{n} answers were not asked for"),
        ),
        (
            Outcome.GRADER_ERROR,
            message("our grader failed once"),
            message("our grader failed {n} times"),
        ),
    ):
        if count := summary.outcomes.get(outcome, 0):
            parts.append(words.many(one, more, n=count))
    return words.listing(parts) or words.say("rows are missing")


def _headline(summary: RunSummary, words: Words) -> str:
    lost = missing(summary, words)
    if summary.status is RunStatus.INVALID:
        return words.say("INVALID: nothing was graded; {lost}.", lost=lost)
    return words.say("INCOMPLETE: {lost}.", lost=lost)


def _consequences(summary: RunSummary, words: Words) -> list[str]:
    texts = []
    if summary.status is RunStatus.INVALID:
        texts.append(words.say("There is no score: this says nothing about the model."))
    elif summary.outcomes.get(Outcome.ENDPOINT_ERROR, 0):
        texts.append(
            words.say(
                "Until they are repeated, the number also measures the network, "
                "not the model alone."
            )
        )
    else:
        texts.append(words.say("Until they are there, the number speaks of the rest alone."))
    if summary.bounds is not None:
        low, high = (words.percent(bound) for bound in summary.bounds)
        texts.append(
            words.say(
                "Score if everything missing were wrong: {low}; if it were right: {high}.",
                low=low,
                high=high,
            )
        )
    return texts


def _first_error(error: ErrorSummary, summary: RunSummary, words: Words) -> list[Line]:
    where = words.say("First error")
    if error.item is not None:
        where = words.say("First error, item {item}", item=one_line(error.item, _NAME))
    what = one_line(error.message, _BODY)
    if error.status is not None and str(error.status) not in what:
        what = words.say("HTTP {status}: {message}", status=error.status, message=what)
    lines = [Line(f"{where}{words.colon}{what}")]
    if error.body.strip():
        lines.append(Line(words.say("Its reply: {body}", body=one_line(error.body, _BODY))))
    lines.append(Line(words.say("Mend: {mend}", mend=_mend(error, summary, words)), Style.STRONG))
    return lines


def _is_quota(error: ErrorSummary | None) -> bool:
    return error is not None and _mend_of(error) is _quota


def _mend(error: ErrorSummary, summary: RunSummary, words: Words) -> str:
    return _mend_of(error)(summary, words)


def _mend_of(error: ErrorSummary) -> "_Mend":
    by_status = _BY_STATUS.get(error.status) if error.status is not None else None
    return by_status or _BY_KIND.get(error.kind) or _again


def _key(_: RunSummary, words: Words) -> str:
    return words.say(
        "the key was not accepted; put a valid one into AFERE_API_KEY, "
        "or name the variable that holds it with --key-env NAME."
    )


def _place(summary: RunSummary, words: Words) -> str:
    return words.say(
        "check the base URL ({url}; it often ends in /v1) and the model's name ({model}).",
        url=one_line(address(summary.base_url), _NAME),
        model=one_line(summary.model, _NAME),
    )


def _header(_: RunSummary, words: Words) -> str:
    return words.say(
        "a gateway may want a header: --header 'Name: value'; otherwise the reply names what it "
        "refuses, and --param NAME=VALUE changes it."
    )


def _quota(summary: RunSummary, words: Words) -> str:
    if summary.resume_after:
        return _come_back(summary.resume_after, words)
    return words.say(
        "the quota is used up; set the provider's limits (rpm, rpd, tpm) in models.yaml, "
        "or run the same command later: only what is missing is asked."
    )


def _come_back(resume_after: str, words: Words) -> str:
    return words.say(
        "run the same command after {time}, when the quota is fresh again: only what is missing "
        "is asked.",
        time=words.time(resume_after),
    )


def _patience(_: RunSummary, words: Words) -> str:
    return words.say(
        "ask fewer at once (--concurrency 1), or allow more time "
        "(timeouts: {{total: 1200}} for the provider in models.yaml)."
    )


def _reach(summary: RunSummary, words: Words) -> str:
    return words.say(
        "nothing answered at {url}; is the server running, and the address right?",
        url=one_line(address(summary.base_url), _NAME),
    )


def _protocol(summary: RunSummary, words: Words) -> str:
    return words.say(
        "{url} answers, but not as an OpenAI-compatible endpoint does; check the base URL.",
        url=one_line(address(summary.base_url), _NAME),
    )


def _redirect(_: RunSummary, words: Words) -> str:
    return words.say("the address sends elsewhere; give the final one as --base-url.")


def _again(_: RunSummary, words: Words) -> str:
    return words.say("run the same command again: only what is missing is asked.")


_Mend = Callable[[RunSummary, Words], str]
_BY_STATUS: dict[int, _Mend] = {
    400: _header,
    401: _key,
    403: _header,
    404: _place,
    408: _patience,
    429: _quota,
    504: _patience,
}
_BY_KIND: dict[str, _Mend] = {
    FailureKind.CONNECTION: _reach,
    FailureKind.TIMEOUT: _patience,
    FailureKind.RATE_LIMIT: _quota,
    FailureKind.QUOTA: _quota,
    FailureKind.BAD_BODY: _protocol,
    FailureKind.BAD_REQUEST: _header,
    FailureKind.KEY: _key,
    FailureKind.FORBIDDEN: _header,
    FailureKind.NOT_FOUND: _place,
    FailureKind.REDIRECT: _redirect,
}
