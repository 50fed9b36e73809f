"""A parsed expression written as a program for the machine.

Repeats of one character are one instruction; those of a group are written out.
"""

import re
import warnings
from collections.abc import Callable
from re import _parser as sre  # type: ignore[attr-defined] # the parser of `re` has no public name
from typing import Any

from afere.graders.expressions.characters import character_test, place_test
from afere.graders.expressions.errors import InvalidExpressionError, UnfinishedError

__all__ = [
    "AT", "ATOMIC", "BACK", "CHAR", "EMPTY", "END", "FAIL", "IF", "JUMP", "LOOK", "MARK", "RUN",
    "SAVE", "SPLIT", "Instruction", "Program", "compiled",
]  # fmt: skip

_LONGEST = 10_000  # characters of an expression
_LARGEST = 20_000  # instructions of a program, repeats written out

Instruction = tuple[Any, ...]


# What an instruction does, and the operands that stand behind it.
CHAR = 0  # test
RUN = 1  # test, least, most or None, greedy
SPLIT = 2  # first, second
JUMP = 3  # to
AT = 4  # test of a place
LOOK = 5  # after, characters back, negated
ATOMIC = 6  # after
SAVE = 7  # slot
BACK = 8  # group, without case
IF = 9  # group, else
MARK = 10  # slot
EMPTY = 11  # slot, where to go when the round matched nothing
FAIL = 12
END = 13


class Program:
    """Instructions, how many slots they use, and whether groups are looked at again."""

    def __init__(self) -> None:
        self.code: list[Instruction] = []
        self.slots = 0
        self.remembers = True


def compiled(source: str, flags: int) -> Program:
    """Parse and compile; raises InvalidExpressionError, and UnfinishedError for one too large."""
    if len(source) > _LONGEST:
        raise UnfinishedError(f"an expression of {len(source)} characters is not run")
    try:
        return _Compiler(_parsed(source, flags)).program
    except RecursionError:
        raise UnfinishedError("an expression nested so deeply is not run") from None


def _parsed(source: str, flags: int) -> Any:  # noqa: ANN401 - a tree of the standard library
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a set in a set is allowed, as in `re`
            return sre.parse(source, flags)
    except re.error as error:
        raise InvalidExpressionError(str(error)) from None
    except (OverflowError, ValueError) as error:
        raise InvalidExpressionError(str(error)) from None


class _Compiler:
    """Writes a parsed tree as a program."""

    def __init__(self, tree: Any) -> None:  # noqa: ANN401 - a tree of the standard library
        self.program = Program()
        self._code = self.program.code
        self.program.slots = 2 * tree.state.groups
        self._uses_groups = _looks_back(tree)
        self.program.remembers = not self._uses_groups
        self._sequence(tree, tree.state.flags)
        self._emit(END)

    def _emit(self, *instruction: Any) -> int:  # noqa: ANN401 - operands of any kind
        if len(self._code) >= _LARGEST:
            raise UnfinishedError("an expression with so many repeats is not run")
        self._code.append(instruction)
        return len(self._code) - 1

    def _sequence(self, tree: Any, flags: int) -> None:  # noqa: ANN401 - a tree
        for operator, operand in tree:
            self._node(str(operator), operand, flags)

    def _node(self, operator: str, operand: Any, flags: int) -> None:  # noqa: ANN401 - an operand
        if operator in _SINGLE:
            self._emit(CHAR, character_test(operator, operand, flags))
        elif operator == "AT":
            self._emit(AT, place_test(str(operand), flags))
        elif operator == "GROUPREF":
            self._emit(BACK, operand, bool(flags & re.IGNORECASE))
        elif operator == "FAILURE":
            self._emit(FAIL)
        else:
            _WRITERS[operator](self, operator, operand, flags)

    def branch(self, _: str, operand: Any, flags: int) -> None:  # noqa: ANN401 - an operand
        ends = []
        *firsts, last = operand[1]
        for branch in firsts:
            split = self._emit(SPLIT, 0, 0)
            self._sequence(branch, flags)
            ends.append(self._emit(JUMP, 0))
            self._code[split] = (SPLIT, split + 1, len(self._code))
        self._sequence(last, flags)
        for end in ends:
            self._code[end] = (JUMP, len(self._code))

    def group(self, _: str, operand: Any, flags: int) -> None:  # noqa: ANN401 - an operand
        group, added, removed, tree = operand
        saves = group is not None and self._uses_groups
        if saves:
            self._emit(SAVE, 2 * group - 2)
        self._sequence(tree, (flags | added) & ~removed)
        if saves:
            self._emit(SAVE, 2 * group - 1)

    def condition(self, _: str, operand: Any, flags: int) -> None:  # noqa: ANN401 - an operand
        group, yes, no = operand
        start = self._emit(IF, group, 0)
        self._sequence(yes, flags)
        end = self._emit(JUMP, 0)
        self._code[start] = (IF, group, len(self._code))
        self._sequence(no or (), flags)
        self._code[end] = (JUMP, len(self._code))

    def look(self, operator: str, operand: Any, flags: int) -> None:  # noqa: ANN401 - an operand
        direction, tree = operand
        back = 0
        if direction < 0:
            low, high = tree.getwidth()
            if low != high:
                raise InvalidExpressionError("look-behind requires fixed-width pattern")
            back = low
        start = self._emit(LOOK, 0, back, operator == "ASSERT_NOT")
        self._sequence(tree, flags)
        self._emit(END)
        self._code[start] = (LOOK, len(self._code), back, operator == "ASSERT_NOT")

    def atomic(self, _: str, operand: Any, flags: int) -> None:  # noqa: ANN401 - an operand
        start = self._emit(ATOMIC, 0)
        self._sequence(operand, flags)
        self._emit(END)
        self._code[start] = (ATOMIC, len(self._code))

    def repeat(self, operator: str, operand: Any, flags: int) -> None:  # noqa: ANN401 - an operand
        if operator == "POSSESSIVE_REPEAT":
            start = self._emit(ATOMIC, 0)
            self.repeat("MAX_REPEAT", operand, flags)
            self._emit(END)
            self._code[start] = (ATOMIC, len(self._code))
            return
        low, high, tree = operand
        endless, greedy = high == sre.MAXREPEAT, operator == "MAX_REPEAT"
        if len(tree) == 1 and str(tree[0][0]) in _SINGLE:
            test = character_test(str(tree[0][0]), tree[0][1], flags)
            self._emit(RUN, test, int(low), None if endless else int(high), greedy)
            return
        for _ in range(int(low)):
            self._sequence(tree, flags)
        if endless:
            self._loop(tree, flags, greedy=greedy)
        else:
            self._options(tree, flags, int(high) - int(low), greedy=greedy)

    def _loop(self, tree: Any, flags: int, *, greedy: bool) -> None:  # noqa: ANN401 - a tree
        """Repeat without end; a round that matched nothing is the last."""
        may_be_empty = tree.getwidth()[0] == 0
        split = self._emit(SPLIT, 0, 0)
        slot = self.program.slots
        if may_be_empty:
            self.program.slots += 1
            self._emit(MARK, slot)
        self._sequence(tree, flags)
        if may_be_empty:
            self._emit(EMPTY, slot, len(self._code) + 2)
        self._emit(JUMP, split)
        self._code[split] = _split(split + 1, len(self._code), greedy=greedy)

    def _options(self, tree: Any, flags: int, times: int, *, greedy: bool) -> None:  # noqa: ANN401
        splits = []
        for _ in range(times):
            splits.append(self._emit(SPLIT, 0, 0))
            self._sequence(tree, flags)
        for split in splits:
            self._code[split] = _split(split + 1, len(self._code), greedy=greedy)


_WRITERS: dict[str, Callable[[_Compiler, str, Any, int], None]] = {
    "BRANCH": _Compiler.branch,
    "SUBPATTERN": _Compiler.group,
    "GROUPREF_EXISTS": _Compiler.condition,
    "ASSERT": _Compiler.look,
    "ASSERT_NOT": _Compiler.look,
    "ATOMIC_GROUP": _Compiler.atomic,
    "MAX_REPEAT": _Compiler.repeat,
    "MIN_REPEAT": _Compiler.repeat,
    "POSSESSIVE_REPEAT": _Compiler.repeat,
}
_SINGLE = frozenset({"LITERAL", "NOT_LITERAL", "ANY", "IN"})


def _split(inside: int, after: int, *, greedy: bool) -> Instruction:
    return (SPLIT, inside, after) if greedy else (SPLIT, after, inside)


def _looks_back(tree: Any) -> bool:  # noqa: ANN401 - a tree
    """Tell whether any part refers to a group, so that what groups hold matters."""
    waiting = [tree]
    while waiting:
        part = waiting.pop()
        if isinstance(part, sre.SubPattern | list):
            waiting += list(part)
        elif isinstance(part, tuple):
            if str(part[0]) in {"GROUPREF", "GROUPREF_EXISTS"}:
                return True
            waiting += [each for each in part if isinstance(each, sre.SubPattern | list | tuple)]
    return False
