"""The servers of the tests do what they say."""

import json
import subprocess
import sys
import urllib.request
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from servers import ChatServer, by_prompt, faults  # noqa: E402 - found by the line above


def post(base_url: str, prompt: str, model: str = "small") -> dict[str, object]:
    body = {"model": model, "messages": [{"role": "user", "content": prompt}]}
    request = urllib.request.Request(  # noqa: S310 - our own server
        f"{base_url}/chat/completions",
        json.dumps(body).encode(),
        {"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=10) as reply:  # noqa: S310 - our own server
        return json.load(reply)


def content(reply: dict[str, object]) -> str:
    return reply["choices"][0]["message"]["content"]


def test_answers_are_known_and_requests_are_counted() -> None:
    """Twenty items, three rounds, two models: the small one errs in every fifth item."""

    def answers(body: dict[str, object]) -> str:
        number = int(body["messages"][-1]["content"].split()[1])
        return "wrong" if body["model"] == "small" and number % 5 == 0 else str(number * 2)

    with ChatServer(answers) as server:
        right = {"small": 0, "large": 0}
        for model in right:
            for _ in range(3):
                for n in range(20):
                    right[model] += content(post(server.base_url, f"double {n}", model)) == str(
                        n * 2
                    )
        assert server.count == 120
        assert server.calls[-1].nth == 3
    assert right == {"small": 48, "large": 60}


def test_faults_come_by_prompt_and_turn() -> None:
    with ChatServer(
        plan=by_prompt({"q3": [faults.ok({"n": 1}), None], "q4": faults.ok({"n": 4})})
    ) as server:
        assert post(server.base_url, "ask q3") == {"n": 1}
        assert content(post(server.base_url, "ask q3")) == "42"
        assert [post(server.base_url, "ask q4") for _ in range(2)] == [{"n": 4}] * 2
        assert content(post(server.base_url, "ask q33")) == "42"


def test_the_instant_server_is_a_program_that_tells_its_port_and_counts() -> None:
    program = [sys.executable, str(HERE / "instant.py"), "--port", "0"]
    with subprocess.Popen(
        program,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        port = int(server.stdout.readline().removeprefix("port "))
        for _ in range(3):
            assert content(post(f"http://127.0.0.1:{port}/v1", "anything")) == "42"
        server.stdin.close()
        assert server.stdout.read() == "calls 3 in_flight 1\n"
