"""Wrong commands: exit 2, one to three lines, the mend, and nothing is asked."""

import shlex
from pathlib import Path

import pytest
from command import Afere
from servers import ChatServer
from twenty import SUITE


def lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]


def test_alone_it_prints_help_and_the_first_three_commands(afere: Afere) -> None:
    ended = afere()
    assert ended.code == 0
    for command in ("afere demo", "afere run", "afere compare"):
        assert command in ended.out


@pytest.mark.parametrize("header", ["X-Team eval", "NoColon", ": value", ""])
def test_a_header_without_a_colon_is_refused_with_the_right_form(
    project: Afere,
    server: ChatServer,
    header: str,
) -> None:
    ended = project("run", "suite.yaml", "-m", "good", "--header", header)
    assert ended.code == 2
    assert "--header 'Name: value'" in ended.err
    assert server.count == 0


def test_a_remote_endpoint_without_a_key_is_not_called(afere: Afere) -> None:
    afere.write("suite.yaml", SUITE)
    ended = afere("run", "suite.yaml", "-m", "m", "--base-url", "https://example.invalid/v1")
    assert ended.code == 2
    assert "export AFERE_API_KEY=" in ended.err
    assert len(lines(ended.err)) <= 4


def test_without_an_address_it_is_openai_s_and_needs_a_key(afere: Afere) -> None:
    afere.write("suite.yaml", SUITE)
    ended = afere("run", "suite.yaml", "-m", "m")
    assert ended.code == 2
    assert "https://api.openai.com/v1" in ended.err


def test_a_forgotten_address_sends_no_other_endpoint_s_key_to_the_default(afere: Afere) -> None:
    afere.write("suite.yaml", SUITE)
    ended = afere("run", "suite.yaml", "-m", "m", AFERE_API_KEY="of-another-host")
    assert ended.code == 2
    assert "--base-url https://HOST/v1" in ended.err
    assert "nothing was asked" in ended.err
    assert len(lines(ended.err)) <= 4


def test_a_key_as_an_argument_is_refused(project: Afere, server: ChatServer) -> None:
    ended = project("run", "suite.yaml", "-m", "good", "--api-key", "sk-canary-123456")
    assert ended.code == 2
    assert "--key-env" in ended.err
    assert "sk-canary" not in ended.err
    assert server.count == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run",), "SUITE"),
        (("run", "no-such-suite", "-m", "good"), "no-such-suite"),
        (("run", "swap-2o", "-m", "good"), "swap-20"),
        (("run", "suite.yaml"), "-m MODEL"),
        (("run", "suite.yaml", "-m", "god"), "'good'"),
        (("run", "suite.yaml", "-m", "good", "-m", "good"), "twice"),
        (("run", "suite.yaml", "-m", "good", "--item", "zz"), "'zz'"),
        (("run", "suite.yaml", "-m", "good", "--category", "zz"), "'zz'"),
        (("run", "suite.yaml", "-m", "good", "--param", "temperature"), "--param temperature=0.7"),
        (("run", "suite.yaml", "-m", "good", "--rounds", "0"), "--rounds"),
        (("run", "suite.yaml", "-m", "good", "--limit", "0"), "--limit"),
        (("run", "suite.yaml", "-m", "good", "--fresh", "--series", "x"), "--series"),
        (("run", "suite.yaml", "-m", "m", "--base-url", "localhost:80"), "http://"),
        (("run", "suite.yaml", "-m", "x.gguf"), "x.gguf"),
        (("run", "suite.yaml", "-m", "good", "--models", "none.yaml"), "none.yaml"),
        (("compare",), "afere run"),
        (("compare", "good"), "BASELINE CANDIDATE"),
        (("compare", "good", "fair"), "no store"),
        (("compare", "good", "fair", "--gate", "perfect"), "--gate"),
        (("show", "latest"), "afere run SUITE"),
        (("copmare",), "compare"),
        (("run", "suite.yaml", "-m", "good", "--store", "."), "."),
    ],
    ids=" ".join,
)
def test_a_wrong_command_says_what_is_wrong_and_how_to_mend_it(
    project: Afere,
    server: ChatServer,
    arguments: tuple[str, ...],
    said: str,
) -> None:
    ended = project(*arguments)
    assert ended.code == 2, ended
    assert said in ended.err
    assert 1 <= len(lines(ended.err)) <= 4
    assert ended.out == ""
    assert server.count == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("models: {m: {provider: p}}", "provider `p`"),
        ("providers: {p: {base_url: nowhere}}", "base_url"),
        ("providers: {p: {base_url: 'http://x', key: sk-abc}}", "${NAME}"),
        ("providers: {p: {base_url: 'http://x', limits: {rpn: 3}}}", "rpm"),
        ("providers: {p: {engine: vllm}}", "llama"),
        ("providers: {p: {engine: llama}}", "gguf"),
        ("provider: {}", "providers"),
        ("providers: [1]", "mapping"),
        (
            "providers: {p: {base_url: 'http://x'}}\nmodels: {m: {provider: p, price: {input: x}}}",
            "input",
        ),
        ("", "empty"),
        ("{", "models.yaml"),
    ],
)
def test_a_models_file_is_checked_at_the_door(
    project: Afere,
    server: ChatServer,
    text: str,
    said: str,
) -> None:
    project.write("models.yaml", text)
    ended = project("run", "suite.yaml", "-m", "m")
    assert ended.code == 2, ended
    assert said in ended.err
    assert "models.yaml" in ended.err
    assert server.count == 0


@pytest.mark.parametrize(
    ("provider", "model", "said"),
    [
        ("limits: {rpm: .nan}", "", "rpm"),
        ("limits: {concurrency: .inf}", "", "concurrency"),
        ("timeouts: {total: 1e400}", "", "total"),
        ("", "price: {input: .inf}", "10^12"),
        ("", "params: {temperature: 1e400}", "too large"),
        ("", "params: {stream: true}", "--rounds"),
        ("params: {n: 5}", "", "--rounds"),
        ("", "cutoff: 2025-13-45", "2025-03-01"),
    ],
)
def test_a_value_of_a_models_file_that_nothing_can_use_is_refused(
    project: Afere,
    server: ChatServer,
    provider: str,
    model: str,
    said: str,
) -> None:
    project.write(
        "models.yaml",
        f"providers: {{p: {{base_url: '{server.base_url}', {provider}}}}}\n"
        f"models: {{m: {{provider: p, {model}}}}}",
    )
    ended = project("run", "suite.yaml", "-m", "m")
    assert ended.code == 2, ended
    assert said in ended.err
    assert server.count == 0


def test_a_key_s_variable_that_is_not_set_is_named(project: Afere) -> None:
    project.write(
        "models.yaml",
        "providers: {p: {base_url: 'https://x.invalid/v1', key: '${MY_KEY}'}}\n"
        "models: {m: {provider: p}}",
    )
    ended = project("run", "suite.yaml", "-m", "m")
    assert ended.code == 2
    assert "export MY_KEY=" in ended.err


def test_a_header_s_variable_that_is_not_set_is_named(project: Afere, server: ChatServer) -> None:
    project.write(
        "models.yaml",
        f"providers: {{p: {{base_url: '{server.base_url}'}}}}\n"
        "models: {m: {provider: p, headers: {X-Team: 'team ${MY_TEAM}'}}, other: {provider: p}}",
    )
    ended = project("run", "suite.yaml", "-m", "m")
    assert ended.code == 2
    assert "export MY_TEAM=" in ended.err
    assert server.count == 0
    assert project("run", "suite.yaml", "-m", "other", "--limit", "1").code == 0
    assert project("run", "suite.yaml", "-m", "m", "--limit", "1", MY_TEAM="a").code == 0
    assert server.calls[-1].header("x-team") == "team a"


@pytest.mark.parametrize("away", ["2>/dev/full", "2>&-", "2>&1 | head -c 9", "2> >(head -c 0)"])
def test_a_run_goes_on_where_its_notes_cannot_be_written(
    project: Afere,
    server: ChatServer,
    away: str,
) -> None:
    import subprocess

    if away.endswith("full") and not Path("/dev/full").exists():
        pytest.skip("this system has no full device")
    command = shlex.join(project.command("run", "suite.yaml", "-m", "good", "--rounds", "1"))
    done = subprocess.run(
        ["bash", "-c", f"{command} {away}; exit ${{PIPESTATUS[0]}}"],
        cwd=project.folder,
        env=project.environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0
    assert server.count == 20
    assert project("show", "latest", "--json").json["run"]["status"] == "complete"


def test_a_full_output_is_told_once(project: Afere) -> None:
    import subprocess

    if not Path("/dev/full").exists():
        pytest.skip("this system has no full device")
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            project.command("suites"),
            env=project.environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            timeout=60,
        )
    assert done.returncode == 2
    assert done.stderr.count(b"cannot write") == 1


def test_a_pipe_that_closes_early_is_no_error(project: Afere) -> None:
    import subprocess

    project("run", "suite.yaml", "-m", "good")
    done = subprocess.run(  # noqa: S602 - a pipe is what is tested
        f"{' '.join(project.command('show', 'latest', '--json'))} | head -c 1",
        shell=True,
        cwd=project.folder,
        env=project.environment(),
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.stdout == b"{"
    assert b"Broken" not in done.stderr
    assert b"Traceback" not in done.stderr
