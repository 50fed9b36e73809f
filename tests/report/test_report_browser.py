"""Pages of hostile runs in a real browser: nothing runs, everything is shown as text."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browser import seen, started
from report_attacks import ATTACKS, hostile

from afere.report import comparison_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser

MARKDOWN = "# Head\n**bold** [link](javascript:alert(1)) ![](https://example.com/x.png) <b>b</b>"


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    with started() as found:
        yield found


@pytest.mark.parametrize("text", [*ATTACKS, MARKDOWN])
def test_an_attack_in_every_field_is_shown_as_text(
    browser: "Browser", tmp_path: Path, text: str
) -> None:
    path = tmp_path / "page.html"
    path.write_text(comparison_page(*hostile(text)), "utf-8")
    with seen(browser, path) as page:
        assert page.page.locator("tr[data-item]").count() == 2
        page.page.locator("tr[data-item] .open").first.click()
        for each in page.page.locator("details summary").all():
            each.click()
        for name in ("different", "unreadable", "all"):
            button = page.page.locator(f"[data-filter={name}]")
            if button.count():
                button.click()
        assert page.page.locator("main img, main iframe, main b b").count() == 0
        assert page.page.locator("script").count() == 2
        attributes = page.page.evaluate(
            "[...document.querySelectorAll('*')].flatMap(node => node.getAttributeNames())"
        )
        assert not [name for name in attributes if name.startswith("on")]


def test_an_attack_can_be_read_as_it_was_written(browser: "Browser", tmp_path: Path) -> None:
    attack = "</script><img src=x onerror=alert(1)>"
    path = tmp_path / "page.html"
    path.write_text(comparison_page(*hostile(attack)), "utf-8")
    with seen(browser, path) as page:
        page.page.locator("tr[data-item] .open").first.click()
        told = page.page.inner_text("tr.more")
        assert f"reply {attack}" in told
        assert f"by the rule {attack}" in told
        assert page.items == [attack, f"{attack}'"]


def test_what_steers_the_direction_of_text_is_shown_as_an_escape(
    browser: "Browser", tmp_path: Path
) -> None:
    path = tmp_path / "page.html"
    path.write_text(comparison_page(*hostile("\u202eevil\x1b[31m")), "utf-8")
    with seen(browser, path) as page:
        page.page.locator("tr[data-item] .open").first.click()
        assert "reply \\u202eevil\\x1b[31m" in page.page.inner_text("tr.more")
        assert "\u202e" not in page.page.inner_text("body")


def test_markdown_of_a_reply_stays_text(browser: "Browser", tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(comparison_page(*hostile(MARKDOWN)), "utf-8")
    with seen(browser, path) as page:
        page.page.locator("tr[data-item] .open").first.click()
        assert f"reply {MARKDOWN}" in page.page.inner_text("tr.more")
        assert page.page.locator("#table a").count() == 0
