"""What an import loads, and what a missing extra says."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow


def run(code: str) -> str:
    """The output of a fresh interpreter in which warnings are errors."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


LOADED = """
import sys, {module}
print([name for name in sys.modules if name.partition(".")[0].startswith(
    ("langchain", "langgraph", "langsmith", "llama_index"))])
"""


@pytest.mark.parametrize(
    "module", ["stratagate_lc", "stratagate_lc.langchain", "stratagate_lc.llama_index"]
)
def test_LC_03_LI_02_import_loads_no_framework(module: str) -> None:
    """Importing a connector package loads nothing of its framework."""
    assert run(LOADED.format(module=module)) == "[]"


def test_LC_03_names_are_listed_without_loading() -> None:
    """All public names show in `dir`, and an unknown name is an ordinary error."""
    code = """
import stratagate_lc
lc, li = stratagate_lc.langchain, stratagate_lc.llama_index
assert set(lc.__all__) <= set(dir(lc)) and set(li.__all__) <= set(dir(li))
for package in (stratagate_lc, lc, li):
    try:
        package.Nothing
    except AttributeError as error:
        print(error)
"""
    assert run(code + "import sys; assert 'langchain_core' not in sys.modules") == (
        "module 'stratagate_lc' has no attribute 'Nothing'\n"
        "module 'stratagate_lc.langchain' has no attribute 'Nothing'\n"
        "module 'stratagate_lc.llama_index' has no attribute 'Nothing'"
    )


MISSING = """
import sys
sys.modules[{blocked!r}] = None
from stratagate_core.errors import MissingExtra
import {package}
try:
    {package}.{name}
except MissingExtra as error:
    print(error)
except ImportError as error:
    print("plain:", error.name)
"""


@pytest.mark.parametrize(
    ("package", "name", "extra", "blocked"),
    [
        ("stratagate_lc.langchain", "LangChainModel", "langchain", "langchain_core"),
        ("stratagate_lc.llama_index", "LlamaIndexModel", "llamaindex", "llama_index"),
    ],
)
def test_LC_04_LI_03_missing_extra(package: str, name: str, extra: str, blocked: str) -> None:
    """Without the framework the error names class, extra and pip command."""
    code = MISSING.format(package=package, name=name, blocked=blocked)

    assert run(code) == f"{name} needs the extra '{extra}': pip install 'stratagate[{extra}]'"


@pytest.mark.parametrize(
    ("package", "name", "blocked"),
    [
        ("stratagate_lc.langchain", "LangChainModel", "langchain_core.language_models"),
        ("stratagate_lc.llama_index", "LlamaIndexModel", "llama_index.core"),
    ],
)
def test_LC_04_LI_03_other_import_errors_pass(package: str, name: str, blocked: str) -> None:
    """A framework that is there but broken says itself what is wrong."""
    code = MISSING.format(package=package, name=name, blocked=blocked)

    assert run(code).startswith(f"plain: {blocked}")


def test_LC_04_name_of_a_model_needs_the_agents_extra() -> None:
    """A model given by name needs `langchain`, and only then."""
    code = """
import sys
sys.modules["langchain"] = None
from stratagate_core.errors import MissingExtra
from stratagate_core.llm.port import Request
from stratagate_lc.langchain import LangChainModel
model = LangChainModel("openai:some-model")
try:
    model.complete(Request(task="t", messages=(), schema={}, max_tokens=1, timeout=1.0))
except MissingExtra as error:
    print(error)
"""
    assert run(code).endswith("pip install 'stratagate[agents]'")


@pytest.mark.parametrize(
    ("package", "name"),
    [("stratagate_lc.langchain", "LangChainModel")],
)
def test_LC_07_no_warning_from_importing(package: str, name: str) -> None:
    """Importing our classes warns of nothing."""
    assert run(f"import {package}; print({package}.{name}.__name__)") == name
