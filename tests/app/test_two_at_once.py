"""Two processes that ask the same question at once: the first reply kept counts for both."""

import itertools
import time

from command import Afere
from servers import ChatServer

ONE = ("run", "suite.yaml", "-m", "good", "--rounds", "2", "--json")


def test_both_judge_the_reply_that_counts(project: Afere, server: ChatServer) -> None:
    told = itertools.count()
    server.answers = lambda _body: str(next(told))  # no two replies are alike
    server.delay = 0.15
    started = []
    for _ in range(2):
        started.append(project.start(*ONE, "--concurrency", "5"))
        time.sleep(0.05)
    for process in started:
        _, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
    assert server.count > 40  # they did meet
    rows = project("show", "latest", "--json").json["rows"]
    assert len(rows) == 40
    for row in rows:
        assert row["read"] == row["content"]


def test_a_resume_replays_what_counted(project: Afere, server: ChatServer) -> None:
    told = itertools.count()
    server.answers = lambda _body: str(next(told))
    server.delay = 0.1
    started = [project.start(*ONE, "--concurrency", "4") for _ in range(2)]
    for process in started:
        process.communicate(timeout=60)
    before = project("show", "latest", "--json").json["rows"]
    text = (project.folder / "suite.yaml").read_text("utf-8")
    project.write("suite.yaml", text.replace("suite: twenty", "suite: renamed"))
    asked = server.count
    project(*ONE)  # another run of the same questions: judged from the store
    assert server.count == asked
    after = project("show", "latest", "--json").json["rows"]
    assert [(row["item"], row["round"], row["content"]) for row in before] == [
        (row["item"], row["round"], row["content"]) for row in after
    ]
