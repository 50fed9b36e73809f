"""Reports in Portuguese and Chinese: nothing is left in English, numbers are written as there."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from string import Formatter

import pytest
from report_messages import CATALOGUES, missing
from report_records import (
    LETTERS,
    behind,
    comparison,
    incomplete,
    invalid,
    row,
    run,
    suite,
    summary,
)

from afere import analysis
from afere.domain import (
    Comparison,
    Invocation,
    LostBounds,
    Needed,
    Outcome,
    PairedCounts,
    Row,
    Run,
    Sentence,
    Unmatched,
    VerdictKind,
)
from afere.report import (
    LANGUAGES,
    Words,
    answers_report,
    check_report,
    comparison_junit,
    comparison_markdown,
    comparison_page,
    comparison_report,
    gate_line,
    graded_report,
    plan_report,
    rank_report,
    regraded_report,
    round_line,
    run_report,
    runs_table,
    verdict_sentence,
    words_for,
)
from afere.report.catalogue import in_context, read_catalogue

OTHERS = LANGUAGES[1:]
PORTUGUESE, CHINESE = words_for("pt-BR"), words_for("zh-CN")


def fields(template: str) -> set[str | None]:
    return {field for _, field, _, _ in Formatter().parse(template) if field is not None}


@pytest.mark.parametrize("language", OTHERS)
def test_no_message_lacks_a_translation(language: str) -> None:
    stubs = missing(language)
    assert not stubs, f"add to {CATALOGUES / language}.po:\n\n" + "\n\n".join(stubs)


@pytest.mark.parametrize("language", OTHERS)
def test_placeholders_agree(language: str) -> None:
    for name, text in words_for(language).catalogue.items():
        english = name.rpartition("\4")[2]
        assert fields(text) - {"n"} == fields(english) - {"n"}, english
        assert fields(english) <= fields(text) | ({"n"} if language == "zh-CN" else set())


@pytest.mark.parametrize("language", OTHERS)
def test_a_translation_keeps_commands_options_and_names(language: str) -> None:
    for name, text in words_for(language).catalogue.items():
        english = name.rpartition("\4")[2]
        for word in english.replace("(", " ").replace(")", " ").replace(":", " ").split():
            if word.startswith("--") or word.rstrip(".,;") in {"models.yaml", "AFERE_API_KEY"}:
                assert word.rstrip(".,;") in text, english


class Asked(dict[str, str]):
    """A catalogue that remembers what it was asked for and does not have."""

    def __init__(self, known: Mapping[str, str]) -> None:
        super().__init__(known)
        self.lacking: set[str] = set()

    def get(self, template: str, default: object = None) -> object:  # type: ignore[override]
        if template not in self:
            self.lacking.add(template)
        return super().get(template, default)


UNDECIDED = {
    "verdict": VerdictKind.UNDECIDED,
    "difference": 0.01,
    "interval": (-0.05, 0.07),
    "needed": Needed(items_even=400, items_80_power=800, rounds_help=True, items_equivalence=900),
}


def told_everywhere(words: Words) -> Iterator[str]:
    """Say everything that the records of these tests can make the reports say."""
    asked = run(suite("p01", "p02"), (row("p01", 1), row("p02", 1, Outcome.TRUNCATED)))
    other = run(suite("p01", "p02"), (row("p01", 1, Outcome.WRONG), row("p02", 1)), name="b")
    letters = {"letters": LETTERS}
    sides = {"baseline": summary(model="a", **letters), "candidate": summary(**letters)}
    bounds = LostBounds(lo_verdict=VerdictKind.WORSE, hi_verdict=VerdictKind.UNDECIDED)
    unmatched = Unmatched(only_baseline=("x",), only_candidate=("y", "z"), different_key=("k",))
    comparisons: list[Comparison] = [
        comparison(**sides),
        comparison(verdict=VerdictKind.BETTER, difference=0.03, interval=(0.01, 0.05)),
        comparison(verdict=VerdictKind.BETTER, difference=0.01, within_margin=True),
        comparison(verdict=VerdictKind.EQUIVALENT, difference=0.0, interval=(-0.01, 0.01)),
        comparison(verdict=VerdictKind.EQUIVALENT, suite="swap-20", unmatched=unmatched, groups=9),
        comparison(**UNDECIDED),
        comparison(**{**UNDECIDED, "difference": -0.01}),
        comparison(**{**UNDECIDED, "difference": 0.0}),
        comparison(**{**UNDECIDED, "interval": None, "why": ""}),
        comparison(verdict=VerdictKind.INVALID, bounds=bounds, candidate=incomplete()),
        comparison(
            verdict=VerdictKind.INVALID, difference=None, interval=None, candidate=invalid()
        ),
        comparison(average="macro", margin=0.01, differing={"params.x": (1, None)}, p_exact=0.5),
        comparison(
            paired=PairedCounts(
                items=1, excluded=1, both_right=1, only_baseline=0, only_candidate=0, both_wrong=0
            ),
            baseline=summary(rounds=1),
        ),
    ]
    for each in comparisons:
        yield str(comparison_report(each, behind(), words=words))
        yield comparison_markdown(each, behind(), gate="better", exit_code=4, words=words)
        yield comparison_junit(each, words=words)
        yield comparison_page(each, asked, other, behind=behind(), words=words)
        for code in (0, 1, 3, 4):
            yield gate_line(each, "decided", code, words=words)
    for each in (summary(), summary(rounds=1), incomplete(resume_after="2026-12-01T00:00:00Z")):
        yield str(run_report(each, store="s", next_command="c", words=words))
    yield str(run_report(invalid(), store="s", next_command="c", words=words))
    yield round_line(1, 3, {outcome.value: 1 for outcome in Outcome}, words=words)
    yield from _small_reports(asked, other, words)


def _small_reports(asked: Run, other: Run, words: Words) -> Iterator[str]:
    rows: tuple[Row, ...] = asked.rows
    ended = Invocation(started=1796024700.0, finished=1796024770.0)
    plans = [(asked.plan, ended), (replace(other.plan, probe=True), replace(ended, finished=None))]
    yield str(runs_table(plans, words=words))
    yield str(runs_table([], words=words))
    yield str(answers_report(asked, [(row, "4") for row in rows], words=words))
    yield str(answers_report(asked, [], words=words))
    yield str(rank_report(analysis.rank([asked, other]), words=words))
    yield str(rank_report(analysis.rank([asked]), words=words))
    for discordance in (None, 0.5):
        plan = analysis.plan_suite(400, discordance=discordance, price=None)
        yield str(plan_report(plan, suite="s", model="m", words=words))
    few = analysis.plan_suite(3, price={"input": 1, "output": 2}, tokens=(10, 5))
    yield str(plan_report(few, words=words))
    left = {"missing": [("a", 1)], "unknown": ["b", "c"], "duplicates": 1}
    yield str(graded_report(asked.suite, rows, score=0.5, words=words, **left))  # type: ignore[arg-type]
    yield str(regraded_report(summary(), summary(), [(rows[0], rows[1])], words=words))
    problems = [("error", "p01", Sentence("asks the same as {other}", other="p02"))]
    sizes = {"1": None, "3": 0.05}
    yield str(check_report(asked.suite, problems, ["w"], sizes, words=words))


@pytest.mark.parametrize("language", OTHERS)
def test_whatever_a_report_says_it_says_in_the_language(language: str) -> None:
    words = words_for(language)
    catalogue = Asked(words.catalogue)
    texts = list(told_everywhere(replace(words, catalogue=catalogue)))
    assert len(texts) > 100
    assert not catalogue.lacking
    own = {text for text in words.catalogue.values() if " " in text and "{" not in text}
    english = {name for name in words.catalogue if " " in name and "{" not in name} - own
    assert not [name for name in english for text in texts if f"\n{name}\n" in text]


SIDES = ([1.0] * 60 + [0.0] * 20, [1.0] * 30 + [0.0] * 50)
REASONS = [
    analysis.compare_scores(*SIDES),
    analysis.compare_scores(*reversed(SIDES)),
    analysis.compare_scores(*SIDES, margin=0.9),
    analysis.compare_scores(*reversed(SIDES), margin=0.9),
    analysis.compare_scores([1.0] * 900, [1.0] * 900),
    analysis.compare_scores([1.0] * 20, [1.0] * 19 + [0.0]),
    analysis.compare_scores([1.0], [0.0]),
    analysis.compare_scores([1.0] * 20, [1.0] * 10 + [float("nan")] * 10),
    analysis.compare_scores([1.0] * 20, [float("nan")] * 20),
    analysis.compare_scores([1.0] * 20, [0.0] * 20, groups=["a", "b"] * 10),
]


@pytest.mark.parametrize("language", OTHERS)
def test_every_reason_of_a_verdict_is_translated(language: str) -> None:
    words = words_for(language)
    assert {each.verdict for each in REASONS} == set(VerdictKind)
    for each in REASONS:
        for text in (each.why, *each.warnings):
            assert isinstance(text, Sentence)
            assert text.template in words.catalogue, text.template
            assert words.tell(text) != str(text)


def test_the_verdict_in_portuguese() -> None:
    assert verdict_sentence(comparison(), words=PORTUGUESE) == (
        "pior: qwen-27b acerta 3,2 pontos percentuais a menos nestes itens do que gpt-oss-120b "
        "(intervalo de 95%: 1,1 a 5,4)"
    )
    assert verdict_sentence(comparison(**UNDECIDED), words=PORTUGUESE).startswith("inconclusivo: ")


def test_the_verdict_in_chinese() -> None:
    assert verdict_sentence(comparison(), words=CHINESE) == (
        "更差：qwen-27b 在这些题目上的得分比 gpt-oss-120b 低 3.2 个百分点（95% 区间 1.1 至 5.4）"
    )


def test_numbers_are_written_as_in_the_language() -> None:
    assert PORTUGUESE.percent(0.867) == "86,7%"
    assert PORTUGUESE.count(12345) == "12.345"
    assert PORTUGUESE.price(4321.5) == "US$ 4.321,50"
    assert PORTUGUESE.price(0.00001) == "menos de US$ 0,0001"
    assert PORTUGUESE.seconds(1240.4) == "1.240 s"
    assert PORTUGUESE.margin(0.025) == "2,5 pontos"
    assert PORTUGUESE.percent_limits((0.781, 0.923)) == "78,1 a 92,3%"
    assert PORTUGUESE.probability(0.0001) == "< 0,001"
    assert replace(PORTUGUESE, minus="−").points(-0.032) == "−3,2"
    assert CHINESE.percent(0.867) == "86.7%"
    assert CHINESE.count(12345) == "12,345"
    assert CHINESE.price(12.3) == "12.30 美元"
    assert CHINESE.listing(["a", "b"]) == "a、b"


def test_one_answer_and_many_agree_with_their_number() -> None:
    assert PORTUGUESE.outcomes("truncated", 1) == "1 cortada"
    assert PORTUGUESE.outcomes("truncated", 2) == "2 cortadas"
    assert PORTUGUESE.many("{n} item", "{n} items", n=1) == "1 item"
    assert PORTUGUESE.many("{n} item", "{n} items", n=2) == "2 itens"
    assert CHINESE.many("{n} item", "{n} items", n=1) == "1 道题"
    assert words_for("en").outcomes("endpoint_error", 2) == "2 failed"


def test_numbers_and_terms_inside_a_sentence_of_another_room_are_translated() -> None:
    said = Sentence(
        "{excluded} of {items} pairs were lost, and could turn the verdict: with all of them "
        "against {candidate} it is {lo}, with all of them for it {hi}",
        excluded=3,
        items=20,
        candidate="worse",
        lo="worse",
        hi="undecided",
    )
    assert PORTUGUESE.tell(said) == (
        "3 de 20 pares se perderam e poderiam virar o veredito: com todos contra worse ele seria "
        "pior; com todos a favor, inconclusivo"
    )
    flat = Sentence("{model} is {status}", model="invalid", status="incomplete")
    assert PORTUGUESE.tell(flat) == "invalid: execução incompleta"
    share = Sentence("one side has {items} items: too few to tell", items=1.5)
    assert PORTUGUESE.tell(share).startswith("um dos lados tem 1,5 itens")
    assert PORTUGUESE.tell("as it is") == "as it is"


def test_the_page_is_in_the_language() -> None:
    asked = run(suite("p01"), (row("p01", 1),))
    page = comparison_page(comparison(), asked, asked, words=CHINESE)
    assert '<html lang="zh-CN">' in page
    assert '<h1 id="verdict"><b>更差</b>：qwen-27b' in page
    assert "这不能证明什么" in page


CATALOGUE = r"""
# a comment
msgid ""
msgstr ""
"Language: xx\n"

#: place.py
msgid "a \"quoted\" text\n"
msgstr "ein "
"\"zitierter\" Text\n"

msgctxt "one answer"
msgid "right"
msgstr "richtige"

msgid "{n} item"
msgid_plural "{n} items"
msgstr[0] "{n} Stück"
msgstr[1] "{n} Stücke"

msgid "one"
msgid_plural "more"
msgstr[0] "alle"

#, fuzzy
msgid "doubtful"
msgstr "zweifelhaft"

msgid "not yet"
msgstr ""

#~ msgid "gone"
#~ msgstr "weg"
"""


def test_a_catalogue_is_read_as_gettext_reads_it() -> None:
    assert read_catalogue(CATALOGUE) == {
        'a "quoted" text\n': 'ein "zitierter" Text\n',
        in_context("one answer", "right"): "richtige",
        "{n} item": "{n} Stück",
        "{n} items": "{n} Stücke",
        "one": "alle",
        "more": "alle",
    }


@pytest.mark.parametrize(
    ("text", "line"),
    [("\nnonsense", 2), ('msgid "a\n', 1), ("msgid a", 1), ("msgid 3", 1), ('msgid "a" b', 1)],
)
def test_a_broken_catalogue_is_refused_with_its_line(text: str, line: int) -> None:
    with pytest.raises(ValueError, match=f"line {line} "):
        read_catalogue(text)


def test_a_language_that_is_not_known_is_english() -> None:
    assert words_for("tlh").language == "en"
    assert words_for("pt-BR") is PORTUGUESE
