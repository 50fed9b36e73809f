"""What runs inside the sandbox: zygote, judge and candidate.

These modules are loaded by an interpreter that has the standard library alone, so they import
nothing of `afere` outside this folder. `codec` and `wire` serve the runner's side too.
"""

__all__: list[str] = []
