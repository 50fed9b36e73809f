"""Texts that try to leave their place in a page, and a comparison with one in every field."""

from collections.abc import Mapping
from dataclasses import replace

from report_records import comparison, row, run, suite, summary

from afere.domain import (
    CategoryScore,
    Comparison,
    Expect,
    Failure,
    FailureKind,
    Message,
    Response,
    Run,
    Unmatched,
)

ATTACKS = [
    'x" onmouseover="alert(1)',
    "</script><img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "</style><script>alert(1)</script>",
    "</title></textarea></pre><script>alert(1)</script>",
    "javascript:alert(1)",
    "{{ 7 * 7 }}{% raw %}{0}{x.__class__}",
    "<!-- --> <![CDATA[ ]]> &lt;b&gt; &#60;b&#62;",
    "'onfocus='alert(1)' autofocus='",
    "\u202eevil\u2066 \x00\x1b[31m\x07 \u2028",
    "lone \ud800 surrogate",
    "a\r\nb\tc",
]


def hostile(text: str) -> tuple[Comparison, Run, Run, Mapping[str, Response]]:
    """A comparison with the text in each field that comes from outside."""
    other = text + "'"
    ids = (text, other)
    asked = suite(*ids, name=text, version=text, prompt=text, system=text)
    items = tuple(
        replace(
            item,
            category=text,
            group=text,
            source=text,
            input=text if place else (Message(role=text, content=text),),
            options={text: text},
            expect=Expect(kind="choice", key=text),
        )
        for place, item in enumerate(asked.items)
    )
    asked = replace(asked, items=items)
    failure = Failure(kind=FailureKind.SERVER, message=text, body=text)
    rows = []
    for item in ids:
        for number in (1, 2):
            plain = row(item, number, key=f"{number}{item}", finish_reason=text, served_model=text)
            grade = replace(plain.grade, read=text, rule=text, flags=(text,), grader=text)
            rows.append(replace(plain, grade=grade, error=failure if number == 2 else None))
    plan = {"name": text, "model": text, "params": {f"p{text}": text}, "series": text}
    runs = [run(asked, tuple(rows), **plan) for _ in (1, 2)]
    runs = [
        replace(each, invocations=(replace(each.invocations[0], version=f"0{text}"),))
        for each in runs
    ]
    replies = {each.key: Response(content=f"reply {text}") for each in rows}
    score = CategoryScore(items=2, score=0.5, interval=(0.2, 0.8))
    outside = {
        "run": f"r{text}",
        "suite": text,
        "suite_hash": f"h{text}",
        "base_url": "https://x",
        "series": f"s{text}",
        "served_model": f"m{text}",
        "fingerprint": f"f{text}",
        "started": f"t{text}",
        "finished": f"t{text}",
        "categories": {f"c{text}": score, "other": score},
        "warnings": (f"w{text}",),
    }
    letters = {text[:9]: {"chosen": 3, "key": 2}, "other": {"chosen": 1, "key": 2}}
    sides = [summary(model=name, **outside, letters=letters) for name in (f"a{text}", f"b{text}")]
    case = comparison(
        suite=text,
        baseline=sides[0],
        candidate=sides[1],
        why=f"y{text}",
        method=f"m{text}",
        only_baseline_items=(text,),
        only_candidate_items=(other,),
        unmatched=Unmatched(only_baseline=(f"u{text}",)),
        differing={f"d{text}": (text, {text: text})},
        warnings=(f"v{text}",),
    )
    return case, *runs, replies
