"""The key as a canary (BR-067): in whatever form a server echoes it, it is written nowhere."""

from base64 import b64encode
from urllib.parse import quote

import pytest
from command import Afere
from servers import ChatServer, Reply, by_prompt, faults
from twenty import SUITE, models_yaml

CANARY = "sk-Canary+0123/456789"
FORMS = {
    "plain": CANARY,
    "upper": CANARY.upper(),
    "percent": quote(CANARY, safe=""),
    "base64": b64encode(CANARY.encode()).decode(),
    "inside base64": b64encode(f"user:{CANARY}".encode()).decode(),
    "hex": CANARY.encode().hex(),
}


def written(afere: Afere) -> str:
    """Everything that is on disk, as text in small letters."""
    files = (path for path in afere.folder.rglob("*") if path.is_file())
    kept = [path.read_bytes() for path in files if path.name != "models.yaml"]
    return b"\n".join(kept).decode("latin-1").lower()


def all_outputs(afere: Afere) -> str:
    """Run every command that tells or writes something of the store."""
    told = [
        afere("show", "good", "--item", "i0", "--item", "i3"),
        afere("show", "good", "--json"),
        afere("compare", "good", "fair", "--format", "md", "-o", "told.md"),
        afere("export", "good", "--format", "csv", "-o", "out.csv"),
        afere("export", "good", "--format", "parquet", "-o", "out.parquet"),
    ]
    return "\n".join(each.out + each.err for each in told).lower()


@pytest.mark.parametrize("where", ["error", "reply"])
def test_no_form_of_the_key_is_written_anywhere(
    afere: Afere, server: ChatServer, where: str
) -> None:
    afere.write("suite.yaml", SUITE)
    declared = models_yaml(server.base_url)
    afere.write("models.yaml", declared.replace("    retries", "    key: ${MY_KEY}\n    retries"))
    texts = dict(zip(map(str, range(len(FORMS))), FORMS.values(), strict=True))
    if where == "error":
        server.plan = by_prompt(
            {n: faults.error(500, f"no {text} here", code=text) for n, text in texts.items()}
        )
    else:
        server.plan = by_prompt(
            {
                n: faults.reply(Reply(content=f"it is {text}", extra={"model": text, "id": text}))
                for n, text in texts.items()
            }
        )
    ran = afere("run", "suite.yaml", "-m", "good", "-m", "fair", "--rounds", "1", MY_KEY=CANARY)
    assert server.calls[0].header("authorization") == f"Bearer {CANARY}"
    seen = (ran.out + ran.err).lower() + all_outputs(afere) + written(afere)
    assert "[redacted]" in seen
    for name, text in FORMS.items():
        assert text.lower() not in seen, name


def test_a_short_key_is_cut_out_of_what_a_server_echoes(afere: Afere, server: ChatServer) -> None:
    afere.write("suite.yaml", SUITE)
    declared = models_yaml(server.base_url, retries=0)
    afere.write("models.yaml", declared.replace("    retries", "    key: ${MY_KEY}\n    retries"))
    server.plan = lambda _call: faults.echo_headers(500)
    ran = afere("run", "suite.yaml", "-m", "good", "-m", "fair", "--rounds", "1", MY_KEY="QZ-J")
    seen = (ran.out + ran.err).lower() + all_outputs(afere) + written(afere)
    assert "[redacted]" in seen
    assert "qz-j" not in seen


def test_a_placeholder_changes_no_answer(afere: Afere, server: ChatServer) -> None:
    afere.write("suite.yaml", SUITE)
    declared = models_yaml(server.base_url)
    afere.write("models.yaml", declared.replace("    retries", "    key: ${MY_KEY}\n    retries"))
    server.answers = lambda _body: "none of it is 42"
    afere("run", "suite.yaml", "-m", "good", "--rounds", "1", "--limit", "1", MY_KEY="none")
    (row,) = afere("show", "latest", "--json").json["rows"]
    assert row["content"] == "none of it is 42"
