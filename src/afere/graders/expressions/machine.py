"""The machine that runs a program against a text: backtracking that remembers what failed."""

from afere.graders.expressions.errors import UnfinishedError
from afere.graders.expressions.program import (
    AT,
    ATOMIC,
    BACK,
    CHAR,
    EMPTY,
    END,
    IF,
    JUMP,
    LOOK,
    MARK,
    RUN,
    SAVE,
    SPLIT,
    Instruction,
    Program,
)  # fmt: skip

__all__ = ["Budget", "Run"]

_STEPS = 200_000  # steps of one judgement; a quarter of a second at worst
_STEPS_A_CHARACTER = 10  # more of them for the characters of a long text

_State = tuple[int | None, ...]


class Budget:
    """Steps that are left for all matches of one judgement."""

    __slots__ = ("left",)

    def __init__(self, steps: int = _STEPS) -> None:
        self.left = steps

    @classmethod
    def for_text(cls, size: int) -> "Budget":
        """Give steps enough for an expression without nested repeats on a text of that size."""
        return cls(_STEPS + _STEPS_A_CHARACTER * size)

    def spend(self, steps: int = 1) -> None:
        """Take steps off; raises UnfinishedError when none is left."""
        self.left -= steps
        if self.left < 0:
            raise UnfinishedError("the expression did not end within its steps")


class Run:
    """One match of a program against a text."""

    def __init__(self, program: Program, text: str, budget: Budget, *, whole: bool) -> None:
        self._code = program.code
        self._text = text
        self._whole = whole
        self._blank: _State = (None,) * program.slots
        self._remembers = program.remembers
        self._failed: set[tuple[int, int]] = set()
        self._inner: dict[tuple[int, int], tuple[int, _State] | None] = {}
        self._budget = budget

    def begins_at(self, place: int) -> bool:
        """Tell whether a match begins at a place."""
        end = len(self._text) if self._whole else None
        return self._from(0, place, self._blank, self._failed, end) is not None

    def _inside(self, start: int, place: int, state: _State) -> tuple[int, _State] | None:
        """Run a part of its own (look-around, atomic group): its first match alone counts."""
        if not self._remembers:
            return self._from(start, place, state, set(), None)
        key = (start, place)
        if key not in self._inner:
            self._inner[key] = self._from(start, place, state, set(), None)
        return self._inner[key]

    def _from(  # noqa: C901, PLR0912, PLR0915 - one arm an instruction
        self, pc: int, at: int, state: _State, failed: set[tuple[int, int]], end: int | None
    ) -> tuple[int, _State] | None:
        code, text, length = self._code, self._text, len(self._text)
        remembers, spend = self._remembers, self._budget.spend
        waiting: list[tuple[int, int, _State, int, int]] = [(pc, at, state, at, 0)]
        while waiting:
            pc, at, state, last, step = waiting.pop()
            if step and at != last:
                waiting.append((pc, at + step, state, last, step))
            while True:
                spend()
                if remembers:
                    if (pc, at) in failed:
                        break
                    failed.add((pc, at))
                instruction = code[pc]
                kind = instruction[0]
                if kind == CHAR:
                    if at >= length or not instruction[1](text[at]):
                        break
                    pc, at = pc + 1, at + 1
                elif kind == RUN:
                    _, test, low, high, greedy = instruction
                    stop = length if high is None else min(length, at + high)
                    reach = at
                    while reach < stop and test(text[reach]):
                        reach += 1
                    spend((reach - at) >> 3)
                    if reach - at < low:
                        break
                    first = at + low
                    pc += 1
                    if greedy:
                        if reach > first:
                            waiting.append((pc, reach - 1, state, first, -1))
                        at = reach
                    else:
                        if reach > first:
                            waiting.append((pc, first + 1, state, reach, 1))
                        at = first
                elif kind == SPLIT:
                    waiting.append((instruction[2], at, state, at, 0))
                    pc = instruction[1]
                elif kind == JUMP:
                    pc = instruction[1]
                elif kind == AT:
                    if not instruction[1](text, at):
                        break
                    pc += 1
                elif kind == LOOK:
                    _, after, back, negated = instruction
                    found = self._inside(pc + 1, at - back, state) if at >= back else None
                    if (found is None) is not negated:
                        break
                    state = state if found is None else found[1]
                    pc = after
                elif kind == ATOMIC:
                    found = self._inside(pc + 1, at, state)
                    if found is None:
                        break
                    pc, (at, state) = instruction[1], found
                elif kind in {SAVE, MARK}:
                    slot = instruction[1]
                    state = (*state[:slot], at, *state[slot + 1 :])
                    pc += 1
                elif kind == EMPTY:
                    pc = instruction[2] if state[instruction[1]] == at else pc + 1
                elif kind == BACK:
                    size = self._back(instruction, at, state)
                    if size is None:
                        break
                    pc, at = pc + 1, at + size
                elif kind == IF:
                    pc = pc + 1 if state[2 * instruction[1] - 1] is not None else instruction[2]
                elif kind == END and (end is None or at == end):
                    return at, state
                else:
                    break
        return None

    def _back(self, instruction: Instruction, at: int, state: _State) -> int | None:
        """Give the length of a group's text where it stands here again, None where not."""
        start, end = state[2 * instruction[1] - 2], state[2 * instruction[1] - 1]
        if start is None or end is None:
            return None
        wanted, found = self._text[start:end], self._text[at : at + end - start]
        self._budget.spend(len(wanted) >> 8)
        same = wanted.lower() == found.lower() if instruction[2] else wanted == found
        return end - start if same else None
