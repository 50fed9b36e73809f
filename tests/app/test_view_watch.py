"""`afere view` and `afere watch`: the store live, on this machine alone, and how runs get on."""

import http.client
import json
import re
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browser import seen, started
from command import Afere
from servers import ChatServer
from twenty import SUITE, answers, models_yaml

from afere.app.view import is_loopback

if TYPE_CHECKING:
    from playwright.sync_api import Browser

LOST = ["i14", "i15", "i16", "i19"]


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Afere:
    """A folder in which two models were asked twenty items."""
    afere = Afere(tmp_path_factory.mktemp("asked"))
    with ChatServer(answers) as server:
        afere.write("suite.yaml", SUITE)
        afere.write("models.yaml", models_yaml(server.base_url))
        for model in ("good", "fair"):
            assert afere("run", "suite.yaml", "-m", model).code == 0
    return afere


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    with started() as found:
        yield found


@contextmanager
def viewing(afere: Afere, *options: str) -> Iterator[str]:
    """Serve the store of a folder; gives the address that is printed."""
    running = afere.start("view", "--port", "0", *options)
    try:
        assert running.stdout is not None
        line = running.stdout.readline().decode()
        found = re.search(r"http://\S+", line)
        assert found is not None, line
        yield found.group()
    finally:
        running.terminate()
        running.communicate(timeout=20)


def get(address: str, path: str = "", host: str | None = None) -> tuple[int, str, dict[str, str]]:
    """Ask as a browser that was sent here by that name would."""
    scheme, _, rest = address.partition("://")
    place, _, prefix = rest.partition("/")
    assert scheme == "http"
    connection = http.client.HTTPConnection(place, timeout=30)
    try:
        connection.request("GET", f"/{prefix}{path}", headers={"Host": host or place})
        answer = connection.getresponse()
        return answer.status, answer.read().decode(), dict(answer.getheaders())
    finally:
        connection.close()


def run_ids(afere: Afere) -> list[str]:
    return [run["run"] for run in afere("runs", "--json").json["runs"]]


@pytest.mark.parametrize(
    ("host", "own"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),  # noqa: S104 - it is asked about, not bound
        ("192.168.0.7", False),
        ("localhost.evil.example", False),
        ("", False),
    ],
)
def test_which_hosts_only_this_machine_reaches(host: str, own: bool) -> None:  # noqa: FBT001 - a table
    assert is_loopback(host) is own


def test_the_first_page_lists_suites_runs_and_comparisons(asked: Afere) -> None:
    with viewing(asked) as address:
        status, page, headers = get(address)
        assert status == 200
        ours, theirs = run_ids(asked)
        assert "twenty" in page
        assert f'href="page?run={ours}&amp;run={theirs}"' in page
        assert "fair against good" in page
        assert headers["Cache-Control"] == "no-store"
        assert headers["Content-Security-Policy"] == "frame-ancestors 'none'"
        assert headers["X-Content-Type-Options"] == "nosniff"


def test_a_page_served_is_the_page_written(asked: Afere) -> None:
    ours, theirs = run_ids(asked)
    assert asked("report", ours, theirs, "-o", "written.html").code == 0
    with viewing(asked) as address:
        for _ in ("made", "kept"):
            status, page, _ = get(address, f"page?run={ours}&run={theirs}")
            assert status == 200
            assert page == (asked.folder / "written.html").read_text("utf-8")


@pytest.mark.parametrize(
    "path",
    ["nothing", "page", "page?run=nobody", "../suite.yaml", "page?run=suite.yaml", "%2e%2e/"],
)
def test_nothing_else_is_served(asked: Afere, path: str) -> None:
    with viewing(asked) as address:
        status, text, _ = get(address, path)
        assert status == 404
        assert "Traceback" not in text
        assert "params" not in text


def test_a_file_of_this_machine_is_no_run(asked: Afere) -> None:
    """What `afere report` takes from its user, the server does not take from a link."""
    assert asked("export", "good", "-o", "good.csv").code == 0
    with viewing(asked) as address:
        assert get(address, "page?run=good.csv")[0] == 404


def test_a_foreign_name_for_this_machine_is_refused(asked: Afere) -> None:
    with viewing(asked) as address:
        port = address.rstrip("/").rpartition(":")[2]
        assert get(address, host=f"localhost:{port}")[0] == 200
        assert get(address, host=f"[::1]:{port}")[0] == 200
        for host in ("evil.example", f"evil.example:{port}", "127.0.0.1.evil.example", "[", "@"):
            status, text, _ = get(address, host=host)
            assert status == 421
            assert "twenty" not in text


def test_where_others_can_reach_it_the_address_holds_a_token(asked: Afere) -> None:
    with viewing(asked, "--host", "0.0.0.0") as address:  # noqa: S104 - that is the question
        token = address.rstrip("/").rpartition("/")[2]
        assert len(token) >= 20
        port = address.split(":")[2].partition("/")[0]
        local = f"http://127.0.0.1:{port}/"
        assert get(local)[0] == 404
        assert get(f"{local}{token[:-1]}x/")[0] == 404
        assert get(f"{local}{token}/")[0] == 200
        assert get(f"{local}{token}/", "progress.json")[1] == '{"rows": []}'
    with viewing(asked, "--host", "0.0.0.0") as other:  # noqa: S104 - that is the question
        assert other.rstrip("/").rpartition("/")[2] != token


def test_only_reading_is_answered(asked: Afere) -> None:
    with viewing(asked) as address:
        place = address.split("/")[2]
        for method in ("POST", "PUT", "DELETE", "OPTIONS"):
            connection = http.client.HTTPConnection(place, timeout=30)
            connection.request(method, "/")
            assert connection.getresponse().status == 501
            connection.close()


def test_a_store_that_is_not_there_yet_is_said(afere: Afere) -> None:
    with viewing(afere) as address:
        assert "No runs yet. Start with: afere demo" in get(address)[1]
        assert get(address, "progress.json")[0] in {200, 404}


def test_a_port_that_is_taken_is_said_in_two_lines(asked: Afere) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        ended = asked("view", "--port", str(taken.getsockname()[1]))
    assert ended.code == 2
    assert "cannot be listened at" in ended.err
    assert "--port 0" in ended.err


def test_json_names_the_address(asked: Afere) -> None:
    running = asked.start("view", "--port", "0", "--json")
    assert running.stdout is not None
    lines = [running.stdout.readline().decode() for _ in range(3)]
    running.terminate()
    running.communicate(timeout=20)
    assert json.loads("".join(lines))["url"].startswith("http://127.0.0.1:")


def test_from_the_first_page_to_a_lost_question_by_clicks(asked: Afere, browser: "Browser") -> None:
    with viewing(asked) as address, seen(browser, address) as page:
        page.page.click("text=fair against good")
        page.page.click("text=4 questions lost")
        assert page.items == LOST


def test_runs_can_be_chosen_for_a_comparison(asked: Afere, browser: "Browser") -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="no axe installed")
    with viewing(asked) as address, seen(browser, address) as page:
        found = axe.Axe().run(page.page).response["violations"]
        assert [each["id"] for each in found if each["impact"] in {"serious", "critical"}] == []
        ours, theirs = run_ids(asked)
        page.page.check(f"input[value='{ours}']")
        page.page.check(f"input[value='{theirs}']")
        page.page.click("#open")
        page.page.wait_for_url("**/page?*")
        assert "fair answers" in page.page.inner_text("h1")


def test_hostile_names_are_text_in_the_list(browser: "Browser", afere: Afere) -> None:
    attacks = [
        'x" onmouseover="alert(1)',
        "</script><img src=x onerror=alert(1)>",
        "<svg/onload=alert(1)>",
    ]
    afere.write(
        "suite.yaml",
        json.dumps(
            {
                "suite": attacks[1],
                "items": [{"id": attacks[2], "input": "2?", "expect": {"number": 2}}],
            }
        ),
    )
    with ChatServer(lambda _: attacks[1]) as server:
        models = [part for name in attacks for part in ("-m", name)]
        asked = afere("run", "suite.yaml", *models, "--base-url", server.base_url, "--rounds", "1")
        assert asked.code == 0
    with viewing(afere) as address, seen(browser, address) as page:
        names = page.page.locator("table.runs td.name").all_inner_texts()
        assert sorted(names) == sorted(attacks)
        assert page.page.inner_text("h2 >> nth=1") == attacks[1]
        assert page.page.locator("main img, main svg").count() == 0
        page.page.click("text=all models ranked")
        assert page.items == [attacks[2]]


def test_a_name_that_comes_to_mean_another_run_gives_another_page(afere: Afere) -> None:
    with ChatServer(answers) as server:
        afere.write("suite.yaml", SUITE)
        afere.write("models.yaml", models_yaml(server.base_url))
        assert afere("run", "suite.yaml", "-m", "good", "--rounds", "1").code == 0
        with viewing(afere) as address:
            assert '<h1 id="verdict"><b>good</b>' in get(address, "page?run=latest")[1]
            assert afere("run", "suite.yaml", "-m", "fair", "--rounds", "1").code == 0
            assert '<h1 id="verdict"><b>fair</b>' in get(address, "page?run=latest")[1]


def test_too_long_an_address_is_no_fault(asked: Afere) -> None:
    with viewing(asked) as address:
        many = "&".join(["run=a"] * 200)
        assert get(address, f"page?{many}")[0] == 404


# --- runs under way


@contextmanager
def under_way(afere: Afere, delay: float) -> Iterator["subprocess.Popen[bytes]"]:
    """A run of forty answers, each of which takes a while."""

    def slowly(body: object) -> str:
        time.sleep(delay)
        return answers(body)  # type: ignore[arg-type] # the body of a request

    with ChatServer(slowly) as server:
        afere.write("suite.yaml", SUITE)
        priced = models_yaml(server.base_url).replace(
            "good: {provider: here}", "good: {provider: here, price: {input: 1, output: 2}}"
        )
        afere.write("models.yaml", priced)
        running = afere.start(
            "run", "suite.yaml", "-m", "good", "--rounds", "2", "--concurrency", "1"
        )
        try:
            yield running
        finally:
            running.terminate()
            running.communicate(timeout=20)


def progress(afere: Afere, least: int) -> dict[str, object]:
    """Wait until so many answers are in; gives how the run gets on."""
    for _ in range(400):
        if (afere.folder / ".afere" / "afere.db").exists():
            ended = afere("watch", "--json")
            running = ended.json["running"] if ended.code == 0 else []
            if running and running[0]["done"] >= least:
                found: dict[str, object] = running[0]
                return found
        time.sleep(0.05)
    raise AssertionError("the run did not begin")


def test_watch_tells_speed_cost_and_time_left(afere: Afere) -> None:
    with under_way(afere, 0.2):
        found = progress(afere, 3)
        assert (found["model"], found["suite"], found["rows"]) == ("good", "twenty", 40)
        done = found["done"]
        assert isinstance(done, int)
        assert found["outcomes"] == {"right": done}
        assert found["cost"] == pytest.approx(done * (11 * 1 + 7 * 2) / 1e6)
        assert isinstance(found["rate"], float)
        assert isinstance(found["left"], float)
        assert found["left"] == pytest.approx((40 - done) / found["rate"])
        told = afere("watch", "--once")
        assert "good   twenty" in told.out
        assert "/40" in told.out


def test_watch_follows_a_run_to_its_end(afere: Afere) -> None:
    with under_way(afere, 0.05):
        progress(afere, 1)
        watched = afere("watch", "--every", "0.2")
    assert watched.code == 0
    lines = watched.out.splitlines()
    assert all(line.startswith("good on twenty: ") for line in lines[:-1])
    run = afere("runs", "--json").json["runs"][0]["run"]
    assert lines[-1] == f"good on twenty has ended: afere show {run}"


def test_nothing_under_way_is_said(asked: Afere) -> None:
    assert asked("watch", "--json").json == {"running": []}
    assert asked("watch").out == "Nothing is running. What is done: afere runs\n"


def test_the_live_page_follows_a_run(afere: Afere, browser: "Browser") -> None:
    from playwright.sync_api import expect

    with under_way(afere, 1.0):
        progress(afere, 1)
        with viewing(afere) as address, seen(browser, address) as page:
            share = page.page.locator("#rows td").nth(3)
            first = share.inner_text()
            expect(share).not_to_have_text(first, timeout=20_000)
            page.page.click("#rows a")
            page.page.wait_for_url("**/page?*")
            assert page.page.inner_text(".kicker") == "Suite twenty"


def test_paths_of_this_machine_are_not_in_the_address_bar(asked: Afere) -> None:
    with viewing(asked) as address:
        assert str(Path(asked.folder)) not in get(address)[1]
