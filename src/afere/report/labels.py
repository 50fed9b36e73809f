"""What the page's script shows besides the data: marks, names and texts in one language."""

from afere.domain import Outcome
from afere.report.items import CODES, PARTLY
from afere.report.subject import Subject
from afere.report.words import Words, message

__all__ = ["labels"]

_MARKS = {
    Outcome.RIGHT: "✓",
    Outcome.WRONG: "✗",
    Outcome.UNREADABLE: "?",
    Outcome.EMPTY: "∅",
    Outcome.TRUNCATED: "…",
    Outcome.REFUSED: "⊘",
    Outcome.BLOCKED: "⊘",
    Outcome.NOT_ASKED: "·",
    Outcome.ENDPOINT_ERROR: "!",
    Outcome.GRADER_ERROR: "!",
}
_PARTLY = "◐"


def labels(told: Subject, words: Words) -> dict[str, object]:
    """Give them as plain data, by the names that the script knows."""
    outcomes = {
        code: [outcome.value, _MARKS[outcome], words.outcome(outcome, one=True)]
        for outcome, code in CODES.items()
    }
    outcomes[PARTLY] = ["partly", _PARTLY, words.say("partly right")]
    return {
        "language": words.language,
        "kind": told.kind,
        "names": list(told.names),
        "roles": list(told.roles),
        "heads": list(words.each("baseline", "candidate") if told.comparison else told.names),
        "outcomes": outcomes,
        "colon": words.colon,
        "comma": words.comma,
        "say": {text: words.say(text, **_HELD) for text in _SAID},
    }


_FIELDS = "n total first last item name round shift rule reason flag grader names command level"
_HELD = {name: f"{{{name}}}" for name in _FIELDS.split()}  # for the script to fill in
_SAID = (
    message("all"),
    message("different"),
    message("lost by the candidate"),
    message("won by the candidate"),
    message("wrong with both"),
    message("wrong"),
    message("unsteady"),
    message("unreadable"),
    message("truncated"),
    message("failed"),
    message("all categories"),
    message("item"),
    message("category"),
    message("right answer"),
    message("read"),
    message("question"),
    message("lost"),
    message("won"),
    message("not the same"),
    message("round {n}"),
    message("round {n}, shift {shift}"),
    message("by the rule {rule}"),
    message("{n} token in"),
    message("{n} tokens in"),
    message("{n} token out"),
    message("{n} tokens out"),
    message("{n} of them reasoning"),
    message("{n} s"),
    message("ended: {reason}"),
    message("flag: {flag}"),
    message("score {n}"),
    message("executed under {level}"),
    message("failures"),
    message("output"),
    message("graded by {grader}"),
    message("sent otherwise, as the server asked: {names}"),
    message("reasoning"),
    message("the request"),
    message("The reply is empty."),
    message("not asked"),
    message("So that the page opens at once, replies to this item are left out: {command}"),
    message("{n} of {total} items"),
    message("items {first} to {last} of {total}"),
    message("no item passes"),
    message("There is no item {item} here."),
    message("previous"),
    message("next"),
    message("close"),
    message("Question and replies of {item}"),
    message("sort by {name}"),
    message("baseline"),
    message("candidate"),
    message("So that the page opens at once, {n} items are not listed: afere export RUN has all."),
    message("So that the page opens at once, the replies to {n} items are left out."),
    message("This item is not the same for all models: it is in no comparison."),
)
