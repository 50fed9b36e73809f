"""A real browser for the tests of pages: what it saw, asked for and complained of is remembered."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
NAMES = ("chromium", "chromium-browser", "google-chrome")


def chromium() -> str | None:
    """Give the path of the system's Chromium."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


@contextmanager
def started() -> Iterator["Browser"]:
    """Start the system's Chromium; skips the test, saying why, where it or Playwright is absent."""
    path = chromium()
    if path is None:
        pytest.skip("no Chromium is installed (apt-get install chromium)")
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    sync_api.expect.set_options(timeout=30_000)  # a busy machine is no fault of the page
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        browser.close()


class Seen:
    """A page that is open in the browser, with everything that should not have happened."""

    def __init__(self, page: "Page", address: str) -> None:
        self.page, self.address = page, address
        self.complaints: list[str] = []
        self.requests: list[str] = []
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", self._dialog)
        page.on("request", lambda request: self.requests.append(request.url))
        page.goto(address)

    def _hear(self, message: Any) -> None:
        if message.type in {"error", "warning"}:
            self.complaints.append(message.text)

    def _dialog(self, dialog: Any) -> None:
        self.complaints.append(f"dialog {dialog.message}")
        dialog.dismiss()

    @property
    def items(self) -> list[str]:
        """The ids of the items in the table, in order."""
        found: list[str] = self.page.eval_on_selector_all(
            "tr[data-item]", "rows => rows.map(row => row.dataset.item)"
        )
        return found

    @property
    def fragment(self) -> str:
        """What the address says after its #."""
        return self.page.url.partition("#")[2]

    def wait_for_rows(self, count: int) -> None:
        """Wait until the table has so many rows, as after typing."""
        from playwright.sync_api import expect

        expect(self.page.locator("tr[data-item]")).to_have_count(count)

    def choose(self, name: str) -> None:
        """Click a filter."""
        self.page.click(f"[data-filter={name}]")

    def check(self) -> None:
        """Fail where the page complained, ran foreign code or asked anybody for anything."""
        assert self.complaints == []
        assert not self.page.evaluate("window.attacked")
        own = self.address.partition("#")[0]
        foreign = [url for url in self.requests if not url.startswith((own, "data:,"))]
        assert not foreign


@contextmanager
def seen(browser: "Browser", address: Path | str, **context: Any) -> Iterator[Seen]:
    """Open a page; what it did wrong fails the test at the end."""
    url = address.as_uri() if isinstance(address, Path) else address
    opened = browser.new_context(**({"viewport": {"width": 1280, "height": 900}} | context))
    try:
        page = Seen(opened.new_page(), url)
        yield page
        page.check()
    finally:
        opened.close()
