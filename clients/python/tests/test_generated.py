"""What is generated is what the program publishes, and what it publishes is what it does."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from mynah_client import Client, errors, methods

TOOL = Path(__file__).resolve().parent.parent / "tools/generate_methods.py"


@pytest.fixture(scope="module")
def schema(request):
    program = request.getfixturevalue("mynah_program")
    return json.loads(subprocess.run([program, "console", "--schema"], check=True, stdout=subprocess.PIPE).stdout)


def test_the_methods_are_those_of_the_program(mynah_program):
    run = subprocess.run([sys.executable, str(TOOL), "--program", mynah_program, "--check"], stderr=subprocess.PIPE)
    assert run.returncode == 0, run.stderr.decode()


def test_every_code_has_an_exception(schema):
    assert set(errors.BY_CODE) >= set(schema["x-error-codes"])


def test_every_method_is_there(schema):
    for method in schema["methods"]:
        noun, verb = method["name"].split(".")
        for kind in (methods.Methods, methods.AsyncMethods):
            assert callable(getattr(getattr(kind, noun).fget(FakeClient()), verb)), method["name"]
        # A method of the client's own must not hide a noun.
        assert getattr(Client, noun) is getattr(methods.Methods, noun)


class FakeClient:
    _call = None
