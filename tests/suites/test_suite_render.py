"""An item becomes a request; prompt templates are filled and cannot be turned against us."""

from dataclasses import replace
from decimal import Decimal

import pytest

from afere.domain import Expect, Item, Message, Request, Suite, SuiteError
from afere.suites import render

ITEM = Item(
    id="a",
    input="Which?",
    expect=Expect(kind="choice", key="B"),
    options={"A": "one", "B": "two"},
    labels=("x", "y"),
    metadata={"page": 3},
)
PLAIN = Item(id="b", input="How many?", expect=Expect(kind="number", key=1))


def asked(suite: Suite, item: Item = ITEM, round_: int = 1, **params: object) -> Request:
    return render(suite, item, endpoint="http://x", model="m", params=params, round=round_)


def prompt(template: str, item: Item = ITEM) -> str:
    suite = Suite(name="s", prompt=template, items=(item,))
    text = asked(suite, item).body["messages"][0]["content"]
    assert isinstance(text, str)
    return text


def test_without_a_prompt_the_input_is_sent_as_it_is() -> None:
    request = asked(Suite(name="s", system="Be brief."), PLAIN, temperature=Decimal("0.70"))
    assert request.body == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "How many?"},
        ],
        "temperature": 0.7,
    }
    assert (request.item, request.round, request.variant, request.endpoint) == (
        "b",
        1,
        0,
        "http://x",
    )


def test_without_a_prompt_options_stand_one_a_line_after_an_empty_line() -> None:
    content = asked(Suite(name="s")).body["messages"][0]["content"]
    assert content == "Which?\n\nA) one\nB) two"


def test_chat_messages_are_sent_as_they_are() -> None:
    chat = (Message(role="system", content="S"), Message(role="user", content="Q"))
    messages = asked(Suite(name="s", system="other"), replace(PLAIN, input=chat)).body["messages"]
    assert messages == [{"role": "system", "content": "S"}, {"role": "user", "content": "Q"}]


def test_options_of_a_chat_item_follow_its_last_message() -> None:
    parts = ({"type": "text", "text": "Q"},)
    item = replace(ITEM, input=(Message(role="user", content=parts),))
    (message,) = asked(Suite(name="s"), item).body["messages"]
    assert message["content"][-1] == {"type": "text", "text": "A) one\nB) two"}
    item = replace(ITEM, input=(Message(role="user", content="Q"),))
    assert asked(Suite(name="s"), item).body["messages"][0]["content"] == "Q\n\nA) one\nB) two"


def test_a_seed_rises_with_the_round() -> None:
    seeds = [asked(Suite(name="s"), PLAIN, n, seed=7).body["seed"] for n in (1, 2, 3)]
    assert seeds == [7, 8, 9]
    assert "seed" not in asked(Suite(name="s"), PLAIN, 2).body


def test_params_cannot_replace_model_or_messages() -> None:
    with pytest.raises(SuiteError, match="no parameter"):
        asked(Suite(name="s"), PLAIN, model="other")


def test_numbers_inside_params_become_json_numbers() -> None:
    body = asked(Suite(name="s"), PLAIN, deep={"list": [Decimal("0.5"), 1]}).body
    assert body["deep"] == {"list": [0.5, 1]}
    with pytest.raises(SuiteError, match="too large"):
        asked(Suite(name="s"), PLAIN, temperature=Decimal("1e999"))


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("Q: {{ input }}", "Q: Which?"),
        ("{{ options.A }}/{{ options['B'] }}", "one/two"),
        (
            "{% for letter, text in options.items() %}{{ letter }}={{ text }};{% endfor %}",
            "A=one;B=two;",
        ),
        ("{{ labels | join(', ') }}", "x, y"),
        ("{% for each in labels %}{{ loop.index }}{{ each }} {% endfor %}", "1x 2y "),
        ("{{ metadata.page }}", "3"),
        ("{% if category is defined %}C{% else %}none{% endif %}", "none"),
        ("{{ category | default('none') }}", "none"),
        ("{{ input | upper }} {{ input | length }}", "WHICH? 6"),
        ("{{ options | tojson }}", '{"A": "one", "B": "two"}'),
        ("{{ input[:2] }}", "Wh"),
        ("{{ 'yes' if 'hic' in input else 'no' }}", "yes"),
        ("<b>{{ input }}</b> & 'x'", "<b>Which?</b> & 'x'"),
        ("{% if options %}\nmany\n{% endif %}\nend\n", "many\nend"),
    ],
)
def test_a_template_may_use_the_items_fields(template: str, expected: str) -> None:
    assert prompt(template) == expected


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ("{{ category }}", "not filled"),
        ("{{ options.C }}", "not filled"),
        ("{{ metadata.none }}", "not filled"),
        ("{{ inptu }}", "unknown template field `inptu`"),
        ("{{ expect }}", "unknown template field"),
        ("{{ input", "broken"),
        ("{% if input %}", "broken"),
        ("{{ labels }}", "a list"),
        ("{{ options.items }}", "no text"),
        ("{{ '' }}", "empty"),
        ("{{ input.__class__ }}", "not taken"),
        ("{{ input['__class__'] }}", "not filled"),
        ("{{ input.format(1) }}", "calls are not taken"),
        ("{{ range(10**9) }}", "not taken"),
        ("{{ 10 ** 10 ** 10 }}", "not taken"),
        ("{{ 'a' * 1000000000 }}", "not taken"),
        ("{{ input ~ input }}", "not taken"),
        ("{% set x = input %}", "not taken"),
        ("{% include 'x' %}", "not taken"),
        ("{% macro m() %}{% endmacro %}", "not taken"),
        ("{{ input | center(1000000000) }}", "filter `center` is not taken"),
        ("{{ input | _each }}", "filter `_each` is not taken"),
        ("{{ _work }}", "unknown template field"),
        ("{% for input in labels %}x{% endfor %}", "cannot name"),
        ("{% for x in labels recursive %}x{% endfor %}", "recursive"),
        ("{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}", "too tangled"),
        ("{{ input }}" * 10_000, "too long"),
        ("{{ input }}" * 3_000, "too many parts"),
        ("{% for a in labels %}" * 30 + "x" + "{% endfor %}" * 30, "too tangled"),
        ("{{ labels | first | first | join | sort | first(3) }}", "cannot be filled"),
        ("{{ metadata.page | join }}", "cannot be filled"),
    ],
)
def test_a_template_that_cannot_be_filled_is_refused(template: str, words: str) -> None:
    with pytest.raises(SuiteError) as raised:
        prompt(template)
    assert words in raised.value.problem
    assert raised.value.field == "prompt"
    assert raised.value.mend


@pytest.mark.parametrize(
    "template",
    [
        "{% for a in input %}" * 3 + "{% endfor %}" * 3,
        "{{ input | tojson" + " | tojson" * 60 + " }}",
        "{{ input" + " | replace('a', input)" * 6 + " }}",
        "{{ input" + " | join(input)" * 6 + " }}",
    ],
)
def test_a_template_cannot_build_without_bound(template: str) -> None:
    item = replace(PLAIN, input='a"' * 2_000)
    with pytest.raises(SuiteError, match="builds too much"):
        prompt(template, item)
