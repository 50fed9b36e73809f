"""Secrets in addresses and headers, odd settings, closed pipes: nothing leaks, nothing crashes."""

import subprocess

import pytest
from command import Afere
from servers import ChatServer, faults
from twenty import SUITE


def kept(afere: Afere) -> bytes:
    return b"".join(path.read_bytes() for path in afere.folder.rglob("*") if path.is_file())


def test_user_password_and_query_of_an_address_are_kept_and_shown_nowhere(
    afere: Afere,
    server: ChatServer,
) -> None:
    afere.write("suite.yaml", SUITE)
    url = server.base_url.replace("http://", "http://user:hunter2pw@") + "?api_key=query-canary-1"
    out = ""
    for command in (
        ("run", "suite.yaml", "-m", "good", "--rounds", "1", "--base-url", url),
        ("show", "latest", "--json"),
        ("runs", "--json"),
        ("runs",),
        ("report", "latest", "-o", "page.html"),
        ("ping", "-m", "good", "--base-url", url),
    ):
        ended = afere(*command)
        out += ended.out + ended.err
    assert server.calls[0].path.endswith("?api_key=query-canary-1")
    for secret in ("hunter2pw", "query-canary-1"):
        assert secret not in out
        assert secret.encode() not in kept(afere)


def test_header_values_echoed_in_a_failure_are_cut_out(afere: Afere, server: ChatServer) -> None:
    afere.write("suite.yaml", SUITE)
    server.plan = lambda _call: faults.echo_headers(400)
    ended = afere(
        *("run", "suite.yaml", "-m", "good", "--rounds", "1", "--limit", "1"),
        *("--base-url", server.base_url, "--header", "X-Gateway: swordfish99"),
    )
    assert ended.code == 3
    assert "swordfish99" not in ended.out + ended.err
    assert b"swordfish99" not in kept(afere)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--base-url", "http://[::1"), "http://127.0.0.1"),
        (("--base-url", "http://127.0.0.1:port/v1"), "http://127.0.0.1"),
        (("--param", "temperature=1e400"), "temperature"),
        (("--param", "stream=true"), "--rounds"),
        (("--param", "n=3"), "--rounds"),
        (("--header", "Content-Length: 1"), "Content-Length"),
        (("--max-cost", "nan"), "finite"),
        (("--pause", "inf"), "0<=x<=86400"),
        (("--seed-per-item", "--param", "seed=abc"), "--param seed=1"),
        (("--key-env", "NOT_SET_AT_ALL"), "NOT_SET_AT_ALL"),
    ],
    ids=str,
)
def test_an_odd_setting_is_refused_with_its_mend(
    afere: Afere,
    server: ChatServer,
    more: tuple[str, ...],
    said: str,
) -> None:
    afere.write("suite.yaml", SUITE)
    url = () if "--base-url" in more else ("--base-url", server.base_url)
    ended = afere("run", "suite.yaml", "-m", "good", *url, *more)
    assert ended.code == 2, ended
    assert said in ended.err
    assert server.count == 0


@pytest.mark.parametrize("limits", ["{rpm: 0}", "{concurrency: 0}", "{concurrency: 1.5}"])
def test_a_limit_of_nothing_is_refused(project: Afere, limits: str) -> None:
    text = (project.folder / "models.yaml").read_text("utf-8")
    project.write(
        "models.yaml", text.replace("    retries:", f"    limits: {limits}\n    retries:")
    )
    ended = project("run", "suite.yaml", "-m", "good")
    assert ended.code == 2
    assert "limits" in ended.err


def test_a_number_of_a_round_beyond_all_use_is_refused(project: Afere) -> None:
    project.write("answers.jsonl", '{"item": "i0", "round": 1000000000, "content": "0"}\n')
    ended = project("grade", "suite.yaml", "answers.jsonl")
    assert ended.code == 2
    assert "round" in ended.err


def test_one_pattern_that_never_ends_costs_its_rows_alone(afere: Afere) -> None:
    afere.write(
        "suite.yaml",
        "suite: s\nitems:\n  - {id: a, input: x, expect: {match: '(a+)+$'}}\n"
        "  - {id: b, input: y, expect: {number: 4}}\n",
    )
    afere.write(
        "answers.jsonl",
        f'{{"item": "a", "content": "{"a" * 5000}b"}}\n{{"item": "b", "content": "4"}}\n',
    )
    ended = afere("grade", "suite.yaml", "answers.jsonl", "--json")
    outcomes = {row["item"]: row["outcome"] for row in ended.json["answers"]}
    assert outcomes["b"] == "right"
    assert outcomes["a"] in {"grader_error", "wrong"}


@pytest.mark.parametrize("command", ["suites", "runs", "show latest", "run --help", "--help"])
def test_a_reader_that_leaves_at_once_is_no_error(project: Afere, command: str) -> None:
    project("run", "suite.yaml", "-m", "good", "--rounds", "1")
    line = f"{' '.join(project.command(*command.split()))} | true; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", line],
        cwd=project.folder,
        env=project.environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.stdout.strip().splitlines()[-1] == "0", done
    assert done.stderr == ""


@pytest.mark.parametrize("to", [">/dev/full", ">&-"])
def test_nowhere_to_write_is_told_without_a_traceback(project: Afere, to: str) -> None:
    line = f"{' '.join(project.command('suites'))} {to}"
    done = subprocess.run(
        ["bash", "-c", line],
        cwd=project.folder,
        env=project.environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode in {0, 2}
    assert "Traceback" not in done.stderr
    assert "fault of afere" not in done.stderr


def test_escapes_in_a_model_s_name_reach_no_terminal(afere: Afere, server: ChatServer) -> None:
    afere.write("suite.yaml", SUITE)
    name = "good\x1b]0;title\x07\u202e"
    ended = afere("run", "suite.yaml", "-m", name, "--rounds", "1", "--base-url", server.base_url)
    for sign in "\x1b\x07\u202e":
        assert sign not in ended.out + ended.err


def test_items_times_rounds_is_the_sum_of_outcomes_in_a_cut_run(project: Afere) -> None:
    (run,) = project("run", "suite.yaml", "-m", "good", "--max-calls", "7", "--json").json["runs"]
    assert run["items"] * run["rounds"] == sum(run["outcomes"].values()) == 60
    assert run["scored"] == 7


def test_calls_are_those_of_this_command_alone(project: Afere, server: ChatServer) -> None:
    server.delay = 0.02
    started = [project.start("run", "suite.yaml", "-m", "good", "--json") for _ in range(2)]
    ended = [each.communicate(timeout=100) for each in started]
    import json

    made = [json.loads(out)["runs"][0]["calls"]["made"] for out, _ in ended]
    assert sum(made) == server.count


def test_an_interval_of_a_difference_holds_the_difference(
    project: Afere,
    server: ChatServer,
) -> None:
    server.answers = lambda body: (
        str(2 * int(body["messages"][0]["content"].split()[1]))
        if body["model"] == "good"
        else "no idea"
    )
    project("run", "suite.yaml", "-m", "good", "-m", "fair")
    found = project("compare", "good", "fair", "--json").json
    low, high = found["interval"]
    assert found["difference"] == -1.0
    assert low <= found["difference"] <= high
