"""The registry, parameters, and laws from outside."""

from __future__ import annotations

import ast
from pathlib import Path
from types import ModuleType

import pytest

from metaroce import congestion
from metaroce.congestion.laws import LAWS, PARAMETERS, find_law, make_law, parameters
from metaroce.congestion.state import CLASS, HOOKS, STATE
from metaroce.kit.errors import InputError, ScenarioError

FOLDER = Path(congestion.__file__).parent
FORMULAS = sorted(law.hooks[hook].__code__.co_filename for law in LAWS.values() for hook in law.hooks)


@pytest.mark.parametrize("path", sorted({*FORMULAS, str(FOLDER / "none.py")}), ids=lambda p: Path(p).stem)
def test_a_law_is_formulas_without_imports(path):
    tree = ast.parse(Path(path).read_text())
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    assert ast.get_docstring(tree)
    allowed = set(STATE.names) | set(CLASS.names)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            assert node.attr in allowed, f"line {node.lineno}: no such variable {node.attr}"
        if isinstance(node, ast.FunctionDef):
            assert [a.arg for a in node.args.args] == ["s", "c", "p", "now"]
            assert node.name in HOOKS


def test_every_law_has_a_first_line_and_fits():
    for name, law in LAWS.items():
        assert law.name == name and law.about.endswith(".")
        assert len(law.params) <= PARAMETERS


def test_parameters_lie_over_the_defaults_in_order():
    law = find_law("dcqcn")
    values = parameters(law, {"additive_rate": 1e6})
    assert values[list(law.params).index("additive_rate")] == 1e6
    assert values[0] == law.params["g"]


def test_wrong_names_get_a_hint():
    with pytest.raises(ScenarioError, match="no congestion control law") as error:
        find_law("dcqn")
    assert "did you mean dcqcn" in str(error.value)
    with pytest.raises(ScenarioError) as error:
        parameters(find_law("dcqcn"), {"aditive_rate": 1.0})
    assert "did you mean 'additive_rate'?" in str(error.value)
    with pytest.raises(ScenarioError) as error:
        parameters(find_law("none"), {"x": 1.0})
    assert "it has: none" in str(error.value)


def test_a_law_from_a_file(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text('"""Mine."""\nPARAMS = {"k": 2.0}\n\ndef on_ack(s, c, p, now):\n    s.rate = s.rate * p[0]\n')
    law = find_law(str(path))
    assert law.params == {"k": 2.0} and list(law.hooks) == ["on_ack"]
    with pytest.raises(InputError, match="no file"):
        find_law(str(tmp_path / "other.py"))
    broken = tmp_path / "broken.py"
    broken.write_text("PARAMS = {\n")
    with pytest.raises(InputError, match="cannot be loaded"):
        find_law(str(broken))


def test_a_module_must_say_its_parameters():
    with pytest.raises(InputError, match="no PARAMS"):
        make_law("empty", ModuleType("empty"))
    crowded = ModuleType("crowded")
    crowded.PARAMS = {str(n): 0.0 for n in range(PARAMETERS + 1)}
    with pytest.raises(InputError, match="parameters"):
        make_law("crowded", crowded)
