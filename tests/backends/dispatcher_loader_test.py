"""The loader that dispatchers of Python kernels carry along (backends/evaluation/harness/dispatcher_loader.py).

    python3 dispatcher_loader_test.py

Each part is a module of its own: names do not clash, lines are found by inspect and tracebacks, the first name of several counts."""

import importlib.util
import inspect
import sys
import traceback
from pathlib import Path

LOADER = Path(__file__).resolve().parents[2] / "backends/evaluation/harness/dispatcher_loader.py"


def loaded():
    spec = importlib.util.spec_from_file_location("dispatcher_loader", LOADER)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main():
    part = loaded()._part
    text = "import sys\n\n\ndef helper():\n    return {0}\n\n\ndef reference():\n    return 'reference'\n\n\ndef kernel():\n    return helper()\n"
    names = ("kernel", "reference")
    one, two = part("ke_test_1", names, text.format(1)), part("ke_test_2", names, text.format(2))
    assert (one(), two()) == (1, 2), "helpers of one name are two functions"
    assert part("ke_test_3", ("reference",), text.format(3))() == "reference"
    assert one.__module__ == "ke_test_1" and sys.modules["ke_test_1"].kernel is one
    assert inspect.getsource(one) == "def kernel():\n    return helper()\n"

    fails = part("ke_test_4", names, "def kernel():\n    raise ValueError('here')  # the line\n")
    try:
        fails()
        raise AssertionError("it did not fail")
    except ValueError:
        told = traceback.format_exc()
    assert "ke_test_4.py" in told and "# the line" in told, told

    try:
        part("ke_test_5", names, "def other():\n    pass\n")
        raise AssertionError("a part without a kernel was taken")
    except StopIteration:
        pass
    print("loader: every part is a module of its own")


if __name__ == "__main__":
    sys.exit(main())
