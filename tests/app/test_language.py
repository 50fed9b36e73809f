"""The language of reports: as asked for, else the locale's; JSON stays as it is."""

import pytest
from command import Afere

from afere.app.language import language_of

BOTH = ("run", "suite.yaml", "-m", "good", "-m", "fair", "--rounds", "1")


@pytest.mark.parametrize(
    ("environ", "language"),
    [
        ({}, "en"),
        ({"LANG": "pt_BR.UTF-8"}, "pt-BR"),
        ({"LANG": "pt_PT"}, "pt-BR"),
        ({"LANG": "zh_CN.GB18030"}, "zh-CN"),
        ({"LANG": "zh_Hans_SG.UTF-8"}, "zh-CN"),
        ({"LANG": "zh_TW.UTF-8"}, "en"),
        ({"LANG": "de_DE.UTF-8@euro"}, "en"),
        ({"LANG": "pt_BR.UTF-8", "LC_MESSAGES": "zh_CN.UTF-8"}, "zh-CN"),
        ({"LANG": "pt_BR.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "pt_BR.UTF-8", "LC_ALL": ""}, "pt-BR"),
        ({"LC_ALL": "POSIX", "LC_MESSAGES": "pt_BR"}, "en"),
        ({"LANG": "pt-br"}, "pt-BR"),
    ],
)
def test_the_locale_decides_as_for_every_program(environ: dict[str, str], language: str) -> None:
    assert language_of(environ) == language


def test_a_report_is_in_the_language_asked_for(project: Afere) -> None:
    project(*BOTH)
    assert project("compare", "--lang", "pt-BR").out.startswith("pior: fair acerta 20,0 pontos")
    assert project("compare", LC_ALL="zh_CN.UTF-8").out.startswith("更差：fair")
    assert project("compare", "--lang", "en", LC_ALL="pt_BR.UTF-8").out.startswith("worse: ")
    assert "lugar" in project("rank", LC_ALL="pt_BR.UTF-8").out
    assert "execução" in project("runs", "--lang", "pt-BR").out


def test_json_is_the_same_in_every_language(project: Afere) -> None:
    project(*BOTH)
    english = project("compare", "--json").json
    assert project("compare", "--json", "--lang", "pt-BR").json == english
    assert english["verdict"] == "worse"


def test_another_language_is_refused(project: Afere) -> None:
    ended = project("runs", "--lang", "de")
    assert ended.code == 2
    assert "zh-CN" in ended.err
