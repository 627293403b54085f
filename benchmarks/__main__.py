"""`python -m benchmarks [NAME ...]`: call `run() -> list[Bar]` of modules in this folder, print one line a bar.

Without names all are run. The exit status is 1 when a bar is missed, 2 for an unknown name.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys

import benchmarks


def main(names: list[str]) -> int:
    known = [module.name for module in pkgutil.iter_modules(benchmarks.__path__) if not module.name.startswith("_")]
    unknown = [name for name in names if name not in known]
    if unknown:
        print(f"error: no benchmark {', '.join(unknown)}; known: {', '.join(known)}", file=sys.stderr)
        return 2
    missed = False
    for name in names or known:
        for bar in importlib.import_module(f"benchmarks.{name}").run():
            print(bar, flush=True)
            missed |= not bar.met
    return int(missed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
