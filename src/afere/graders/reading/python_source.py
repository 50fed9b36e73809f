"""Python source as text: whether it compiles, what it defines and what it leaves to others.

Nothing here is executed. A budget bounds the work that a hostile reply can cause: past it, texts
are taken not to compile.
"""

import ast
import builtins
import symtable
import sys
import textwrap
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

__all__ = ["Sources", "free_names", "names_bound", "parsed"]

_LONGEST = 400_000  # characters of one text
_BUDGET = 4_000_000  # characters compiled for one reply
_BUILTIN = frozenset(dir(builtins)) | {
    "__name__", "__file__", "__doc__", "__builtins__", "__annotations__", "__spec__",
}  # fmt: skip
_CODE = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Import,
    ast.ImportFrom,
    ast.Assign,
    ast.AnnAssign,
    ast.AugAssign,
    ast.Raise,
    ast.Assert,
    ast.For,
    ast.While,
    ast.If,
    ast.With,
    ast.Try,
)


def parsed(text: str) -> ast.Module | None:
    """Give the tree of a text that compiles as a module, None where it does not."""
    if len(text) > _LONGEST or not text.strip():
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an escape that Python will refuse one day
            tree = ast.parse(text)
            compile(text, "answer", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
        return None
    return tree


def names_bound(tree: ast.Module) -> frozenset[str]:
    """Give the names that a module binds at its top, inside `if`, `try` and `with` too."""
    return frozenset(_bound(tree.body))


def free_names(text: str) -> frozenset[str]:
    """Give the names that a text takes from outside: neither bound at its top nor built in."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            table = symtable.symtable(text, "answer", "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
        return frozenset()
    own = {each.get_name() for each in table.get_symbols() if _is_bound(each)}
    used = {name for each in _tables(table) for name in _globals(each)}
    return frozenset(used - own - _BUILTIN)


@dataclass(slots=True)
class Sources:
    """The texts of one reply that were parsed, each once, within a budget."""

    left: int = _BUDGET
    trees: dict[str, ast.Module | None] = field(default_factory=dict)

    def tree(self, text: str) -> ast.Module | None:
        """Give the tree of a text that compiles."""
        if text not in self.trees:
            if len(text) > self.left:
                return None
            self.left -= len(text)
            self.trees[text] = parsed(text)
        return self.trees[text]

    def compiles(self, text: str) -> bool:
        """Tell whether a text compiles."""
        return self.tree(text) is not None

    def defines(self, text: str, names: Iterable[str]) -> bool:
        """Tell whether a text compiles and makes one of these names at its top.

        To import it from the file that is asked for, or to call it, makes it not.
        """
        tree = self.tree(text)
        if tree is None:
            return False
        return not names_bound(tree).isdisjoint(set(names) - _taken(tree))

    def is_code(self, text: str) -> bool:
        """Tell code from a word or number that happens to compile."""
        tree = self.tree(text)
        return tree is not None and any(isinstance(each, _CODE) for each in tree.body)

    def mended(self, text: str) -> str:
        """Give a text as it compiles: as it is, without common indent, prompts, or odd spaces."""
        if self.compiles(text):
            return text
        dedented = textwrap.dedent(text.expandtabs(4) if "\t" in text else text).strip("\n")
        for form in (dedented, textwrap.dedent(_plain_spaces(text)), _without_last_word(text)):
            if form != text and self.compiles(form):
                return form
        return text


def _plain_spaces(text: str) -> str:
    for odd, plain in (("\u00a0", " "), ("\u3000", "  "), ("\u200b", ""), ("\ufeff", "")):
        text = text.replace(odd, plain)
    return text


def _without_last_word(text: str) -> str:
    """Drop a language's name that stands on a line of its own above the code."""
    first, _, rest = text.lstrip("\n").partition("\n")
    return rest if first.strip().lower() in {"python", "python3", "py"} else text


def _bound(body: Iterable[ast.stmt]) -> Iterator[str]:
    for each in body:
        match each:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield each.name
            case ast.Import() | ast.ImportFrom():
                yield from (alias.asname or alias.name.partition(".")[0] for alias in each.names)
            case ast.Assign():
                yield from (name for target in each.targets for name in _targets(target))
            case ast.AnnAssign() | ast.AugAssign():
                yield from _targets(each.target)
            case ast.If() | ast.With() | ast.For() | ast.While() | ast.Try():
                for part in ("body", "orelse", "finalbody"):
                    yield from _bound(getattr(each, part, ()))
                for handler in getattr(each, "handlers", ()):
                    yield from _bound(handler.body)


def _taken(tree: ast.Module) -> set[str]:
    """Give the names that a module takes from elsewhere before it binds them itself."""
    taken: set[str] = set()
    made: set[str] = set()
    for each in tree.body:
        if isinstance(each, ast.ImportFrom) and not _is_of_python(each):
            taken |= {alias.asname or alias.name for alias in each.names} - made
        elif isinstance(each, ast.Assign):
            used = set(_used_at_once(each.value))
            own = {name for target in each.targets for name in _targets(target)}
            taken |= own & used - made
            made |= own - taken
        elif isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            taken.discard(each.name)
            made.add(each.name)
        else:
            made |= frozenset(_bound([each])) - taken
    return taken


def _used_at_once(value: ast.AST) -> Iterator[str]:
    """Give the names that an expression uses, save in functions that run later."""
    if isinstance(value, ast.Name):
        yield value.id
    if not isinstance(value, ast.Lambda):
        for part in ast.iter_child_nodes(value):
            yield from _used_at_once(part)


def _is_of_python(statement: ast.ImportFrom) -> bool:
    top = (statement.module or "").partition(".")[0]
    return top in sys.stdlib_module_names and not statement.level


def _targets(target: ast.expr) -> Iterator[str]:
    match target:
        case ast.Name():
            yield target.id
        case ast.Tuple() | ast.List():
            for each in target.elts:
                yield from _targets(each)


def _tables(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    waiting = [table]
    while waiting:
        each = waiting.pop()
        yield each
        waiting += each.get_children()


def _globals(table: symtable.SymbolTable) -> Iterator[str]:
    for each in table.get_symbols():
        if each.is_referenced() and (each.is_global() or table.get_type() == "module"):
            yield each.get_name()


def _is_bound(symbol: symtable.Symbol) -> bool:
    return symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()
