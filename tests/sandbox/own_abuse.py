"""More hostile programs: those that other tools met, and attacks on this very sandbox.

Each is `id: (language, code, failures that are as wanted)`. A Python one prints `ran` when its
abuse was tried, `ESCAPED` where it worked; its function `f` must fail the tests, unless None is
among the failures wanted: then it is right, and stays so. `f(2)` must be 3.
"""

from typing import Any

CALLS = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *arguments):
    result = libc.syscall(number, *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
"""
TRIED = """
def tried(what):
    try:
        found = what()
    except BaseException as error:
        print('ran', type(error).__name__, error)
    else:
        print('ran ESCAPED', repr(found)[:200])
def f(x): return x + 1
"""
WRONG = {"assertion", "exception", "memory", "output", "crash", "timeout"}
RIGHT: set[str | None] = {None}


def held(code: str) -> tuple[str, str, set[str | None]]:
    return ("python", f"{CALLS}{TRIED}\n{code}\n", RIGHT)


def fails(code: str, *failures: str) -> tuple[str, str, set[str | None]]:
    return ("python", code, set(failures) or set(WRONG))


CASES: dict[str, tuple[str, str, set[str | None]]] = {
    # out of the box by a call that the tables could have forgotten
    "datagram-pair": held(
        "import socket\n"
        "def reach():\n"
        "    a, b = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)\n"
        "    return a.sendto(b'x', '\\0abuse_host_abstract')\n"
        "tried(reach)"
    ),
    "io-uring": held("tried(lambda: call(425, 4, ctypes.create_string_buffer(120)))"),
    "future-call": held("tried(lambda: call(470, 0, 0, 0, 0))"),
    "x32-call": fails(
        f"{CALLS}\nprint('ran', flush=True)\ncall(0x40000000 + 39)\nprint('ESCAPED')\n"
        "def f(x): return x + 1\n",
        "crash",
    ),
    "shared-memory": held("tried(lambda: call(29, 1, 4096, 0o1777))"),
    "message-queue": held("tried(lambda: call(240, b'q', 0o102, 0o600, None))"),
    "memory-file": held("tried(lambda: os.memfd_create('x'))"),
    "new-mount-api": held("tried(lambda: call(430, b'tmpfs', 0))"),
    "clone-into-namespaces": held("tried(lambda: call(56, 0x20000 | 0x20000000 | 17, 0, 0, 0, 0))"),
    "clone3-namespaces": held(
        "import struct\n"
        "body = struct.pack('QQQQQQQQ', 0x10000000, 0, 0, 0, 17, 0, 0, 0)\n"
        "tried(lambda: call(435, body, 64))"
    ),
    "signal-by-descriptor": held(
        "import fcntl\n"
        "def aim():\n"
        "    r, w = os.pipe()\n"
        "    fcntl.fcntl(r, 8, 1)\n"
        "    return fcntl.fcntl(r, 9) == 1 and os.getpid() != 1\n"
        "tried(lambda: aim() or 1 / 0)"
    ),
    "limit-of-another": held(
        "import resource\n"
        "def strangle():\n"
        "    for pid in range(2, 400):\n"
        "        if pid != os.getpid():\n"
        "            try:\n"
        "                resource.prlimit(pid, resource.RLIMIT_CPU, (0, 0))\n"
        "            except OSError:\n"
        "                continue\n"
        "            return pid\n"
        "    raise PermissionError('nobody')\n"
        "tried(strangle)"
    ),
    "signals-to-all": held(
        "def shoot():\n"
        "    for pid in range(2, 400):\n"
        "        if pid != os.getpid():\n"
        "            try:\n"
        "                os.kill(pid, 9)\n"
        "            except OSError:\n"
        "                continue\n"
        "            return pid\n"
        "    raise PermissionError('nobody')\n"
        "tried(shoot)"
    ),
    "memory-of-others": held(
        "def look():\n"
        "    for pid in range(1, 400):\n"
        "        if pid != os.getpid():\n"
        "            try:\n"
        "                return open(f'/proc/{pid}/mem', 'rb')\n"
        "            except OSError:\n"
        "                continue\n"
        "    raise PermissionError('nobody')\n"
        "tried(look)"
    ),
    "environment-of-others": held(
        "def look():\n"
        "    for pid in range(1, 400):\n"
        "        try:\n"
        "            text = open(f'/proc/{pid}/environ').read()\n"
        "        except OSError:\n"
        "            continue\n"
        "        if 'SECRET' in text:\n"
        "            return text\n"
        "    raise PermissionError('nobody')\n"
        "tried(look)"
    ),
    "device-mode": held("tried(lambda: os.chmod('/dev/null', 0o600))"),
    "file-times": held("tried(lambda: os.utime('/usr/bin/env', (1, 1)))"),
    "hard-link-out": held("tried(lambda: os.link('/usr/bin/env', 'env'))"),
    "rename-out": held(
        "open('mine', 'w').close()\ntried(lambda: os.rename('mine', '/usr/lib/zz_abuse'))"
    ),
    "planted-module": held(
        "import sys\n"
        "folders = {os.path.dirname(os.getcwd()) + '/packages', '/packages'} | set(sys.path)\n"
        "def plant():\n"
        "    for folder in folders:\n"
        "        try:\n"
        "            open(os.path.join(folder, 'math_evil.py'), 'w').close()\n"
        "        except OSError:\n"
        "            continue\n"
        "        return folder\n"
        "    raise PermissionError('nowhere')\n"
        "tried(plant)"
    ),
    "raised-descriptors": held("tried(lambda: call(33, 1, 4000))"),
    "capabilities-back": held(
        "def caps():\n"
        "    text = open('/proc/self/status').read()\n"
        "    held = [l for l in text.splitlines() if l.startswith(('CapEff', 'CapPrm'))]\n"
        "    return any(int(l.split()[1], 16) for l in held) or 1 / 0\n"
        "tried(caps)"
    ),
    "second-program": held("tried(lambda: os.execv('/bin/echo', ['echo', 'ESCAPED']))"),
    "process-by-vfork": held("tried(lambda: call(58))"),
    # the verdict
    "walk-of-frames": fails(
        "import sys, gc\n"
        "frame = sys._getframe()\n"
        "while frame:\n"
        "    for value in list(frame.f_locals.values()):\n"
        "        if isinstance(value, list): value.append('passed')\n"
        "        if isinstance(value, dict): value['passed'] = True\n"
        "    frame = frame.f_back\n"
        "print('ran')\n"
        "def f(x): return 0\n"
    ),
    "every-descriptor-read": fails(
        "import os\n"
        "for number in range(3, 64):\n"
        "    try:\n"
        "        os.set_blocking(number, False)\n"
        "        text = os.read(number, 100000)\n"
        "        if b'assert' in text: print('ESCAPED', text)\n"
        "    except OSError: pass\n"
        "print('ran')\n"
        "def f(x): return 0\n"
    ),
    "own-memory-searched": fails(
        "import os, re\n"
        "for line in open('/proc/self/maps') if os.access('/proc/self/maps', os.R_OK) else ():\n"
        "    span = re.match(r'([0-9a-f]+)-([0-9a-f]+) r', line)\n"
        "    if span and '[v' not in line:\n"
        "        low, high = int(span[1], 16), int(span[2], 16)\n"
        "        with open('/proc/self/mem', 'rb') as memory:\n"
        "            memory.seek(low)\n"
        "            try: text = memory.read(min(high - low, 50 << 20))\n"
        "            except OSError: continue\n"
        "        if re.search(rb'assert f[(]2[)] == 3', text): print('ESCAPED in memory')\n"
        "print('ran')\n"
        "def f(x): return 0\n"
    ),
    "replies-before-questions": fails(
        "import os, json\n"
        "print('ran', flush=True)\n"
        "for number in range(1, 6):\n"
        "    for value in (3, 11, True):\n"
        "        body = json.dumps({'call': number, 'value': value}).encode()\n"
        "        os.write(3, len(body).to_bytes(4, 'big') + body)\n"
        "def f(x): return 0\n"
    ),
    "verdict-in-a-reply": fails(
        "import os, json\n"
        "print('ran', flush=True)\n"
        "for body in ({'failure': None, 'message': ''}, {'passed': True}, {'ready': True}):\n"
        "    text = json.dumps(body).encode()\n"
        "    os.write(3, len(text).to_bytes(4, 'big') + text)\n"
        "def f(x): return 0\n"
    ),
    "not-a-message": fails(
        "import os\nprint('ran', flush=True)\nos.write(3, b'\\xff' * 4096)\ndef f(x): return 0\n"
    ),
    "nested-message": fails(
        "import os\n"
        "print('ran', flush=True)\n"
        "def f(x):\n"
        "    text = b'{\"call\":1,\"value\":' + b'{\"l\":[' * 90000 + b'1' + b']}' * 90000 + b'}'\n"
        "    os.write(3, len(text).to_bytes(4, 'big')); \n"
        "    while text: text = text[os.write(3, text):]\n"
        "    return 0\n"
    ),
    "message-of-4-gib": fails(
        "import os\nprint('ran', flush=True)\n"
        "def f(x):\n    os.write(3, b'\\xff\\xff\\xff\\xff')\n    return 0\n"
    ),
    "collisions": fails(
        "import os\n"
        "print('ran', flush=True)\n"
        "def f(x):\n"
        "    prime = (1 << 61) - 1\n"
        "    keys = ','.join('[{\"i\":\"%s\"},0]' % hex(k * prime) for k in range(1, 200000))\n"
        '    text = (\'{"call":1,"value":{"d":[%s]}}\' % keys).encode()\n'
        "    os.write(3, len(text).to_bytes(4, 'big'))\n"
        "    while text: text = text[os.write(3, text):]\n"
    ),
    "integer-of-30-mib": fails(
        "import os\n"
        "print('ran', flush=True)\n"
        "def f(x):\n"
        '    text = b\'{"call":1,"value":{"i":"0x\' + b\'f\' * (30 << 20) + b\'"}}\'\n'
        "    os.write(3, len(text).to_bytes(4, 'big'))\n"
        "    while text: text = text[os.write(3, text):]\n"
    ),
    "many-small-values": fails(
        "import os\n"
        "print('ran', flush=True)\n"
        "def f(x):\n"
        '    text = b\'{"call":1,"value":{"l":[\' + b\'{"l":[]},\' * 1000000 + b\'0]}}\'\n'
        "    os.write(3, len(text).to_bytes(4, 'big'))\n"
        "    while text: text = text[os.write(3, text):]\n"
    ),
    "signalling-number": fails(
        "from decimal import Decimal\nprint('ran')\ndef f(x): return Decimal('sNaN')\n"
    ),
    "class-of-an-error": fails(
        "class AssertionError(Exception):\n"
        "    def __str__(self): import os; os._exit(0)\n"
        "print('ran', flush=True)\n"
        "def f(x): raise AssertionError\n"
    ),
    "liar-about-its-class": fails(
        "class M(type):\n"
        "    def __eq__(s, o): return True\n"
        "    def __hash__(s): return hash(int)\n"
        "class E(metaclass=M):\n"
        "    __class__ = int\n"
        "    def __eq__(s, o): return True\n"
        "print('ran')\n"
        "def f(x): return E()\n"
    ),
    "tests-swallow-all": fails("import os\nprint('ran', flush=True)\ndef f(x): os._exit(0)\n"),
    # resources
    "time-out-in-c": fails("print('ran', flush=True)\ndef f(x): return 10 ** 10 ** 8\n", "timeout"),
    "product-to-a-list": fails(
        "import itertools\nprint('ran', flush=True)\n"
        "def f(x): return list(itertools.product('abc', repeat=25))\n",
        "memory",
        "timeout",
    ),
    "threads": fails(
        "import threading, time\n"
        "started = 0\n"
        "try:\n"
        "    for _ in range(5000):\n"
        "        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n"
        "        started += 1\n"
        "except RuntimeError: pass\n"
        "print('ran', started, 'ESCAPED' if started > 1000 else '')\n"
        "def f(x): return 0\n"
    ),
    "deep-recursion": fails(
        "import sys\nsys.setrecursionlimit(1 << 30)\nprint('ran', flush=True)\n"
        "def f(x): return f(x)\n"
    ),
    "deep-folders": fails(
        "import os\n"
        "def f(x):\n"
        "    for _ in range(3000):\n"
        "        os.mkdir('d'); os.chdir('d')\n"
        "    print('ran', flush=True)\n"
        "    return 0\n"
    ),
    "closed-folder": fails("import os\nos.mkdir('closed', 0)\nprint('ran')\ndef f(x): return 0\n"),
    "disk": fails(
        "import time\n"
        "print('ran', flush=True)\n"
        "def f(x):\n"
        "    for number in range(40):\n"
        "        with open(f'file{number}', 'wb') as file:\n"
        "            file.write(bytes(15 << 20))\n"
        "        time.sleep(0.02)\n"
        "    print('ESCAPED')\n"
    ),
    "closed-streams": fails(
        "import os, sys\nprint('ran', flush=True)\nos.close(0); os.close(1); os.close(2)\n"
        "def f(x): print('x'); return 0\n"
    ),
    "fork-bomb-with-leave": (
        "python+",
        (
            "import os\n"
            "made = 0\n"
            "try:\n"
            "    while made < 3000:\n"
            "        if os.fork() == 0:\n"
            "            while True:\n"
            "                try: os.fork()\n"
            "                except OSError: pass\n"
            "        made += 1\n"
            "except OSError: pass\n"
            "print('ran', 'ESCAPED' if made > 40 else '', flush=True)\n"
            "def f(x): return 0\n"
        ),
        set(WRONG),
    ),
    "children-outlive": (
        "python+",
        (
            "import os, time\n"
            "for _ in range(3):\n"
            "    if os.fork() == 0:\n"
            "        os.setsid()\n"
            "        if os.fork() == 0:\n"
            "            for n in range(3): os.close(n)\n"
            "            time.sleep(600)\n"
            "        os._exit(0)\n"
            "print('ran', flush=True)\n"
            "def f(x): return 0\n"
        ),
        set(WRONG),
    ),
    # shells
    "bash-daemons": ("bash", "for i in 1 2 3; do setsid sleep 600 & done; echo ran", RIGHT),
    "bash-comment": ("bash", "sleep 30 # m & sleep 30", {"timeout"}),
    "bash-strangle": (
        "bash",
        (
            "echo ran; for p in $(seq 2 400); do [ $p = $$ ] || kill -9 $p 2>/dev/null; done; "
            "for p in $(seq 2 150); do [ $p = $$ ] || prlimit --pid $p --cpu=0:0 2>/dev/null; done"
        ),
        {None, "crash", "timeout"},
    ),
    "bash-links": (
        "bash",
        "ln -s /etc/passwd l; ln -s /home/tester h; mkfifo p; mkdir d; ln -s / d/r; echo ran",
        RIGHT,
    ),
    "bash-flood-of-files": (
        "bash",
        "i=0; while [ $i -lt 100000 ]; do : > f$i || break; i=$((i+1)); done; echo ran",
        {None, "timeout", "output"},
    ),
    "bash-memory": (
        "bash",
        "echo ran; for i in 1 2 3 4 5 6; do (x=x; while :; do x=$x$x; done) & done; wait",
        {None, "timeout", "memory", "output"},
    ),
    "bash-network": (
        "bash",
        "echo ran; cat < /dev/udp/127.0.0.1/47999; unshare -Ur id && echo ESCAPED",
        RIGHT,
    ),
}


def records() -> list[dict[str, Any]]:
    """Give the cases in the form of the others."""
    return [
        {
            "id": name,
            "lang": language,
            "code": code,
            "entry": "f",
            "tests": _SWALLOWING if name == "tests-swallow-all" else "assert f(2) == 3\n",
            "wanted": sorted(failure or "" for failure in failures),
        }
        for name, (language, code, failures) in CASES.items()
    ]


_SWALLOWING = "try:\n    assert f(2) == 3\nexcept:\n    pass\n"
