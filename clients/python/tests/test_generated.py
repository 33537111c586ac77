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


def test_answers_have_the_form_that_is_published(schema, mynah_device):
    """Every method that takes nothing and changes nothing answers as it says."""
    asked = 0
    for method in schema["methods"]:
        needs = [parameter for parameter in method["params"] if parameter["required"]]
        if needs or method["x-role"] != "viewer" or method["name"].startswith("session."):
            continue
        try:
            answer = mynah_device.call(method["name"])
        except errors.RemoteError as error:
            # Nothing is played, no receipt is there: it has to be one of the codes, which it is.
            assert error.code in schema["x-error-codes"]
            continue
        check(answer, method["result"]["schema"], method["name"])
        asked += 1
    assert asked >= 15


def check(value, schema, place):
    """As much of JSON Schema as the program writes."""
    if "anyOf" in schema:
        if value is None and {"type": "null"} in schema["anyOf"]:
            return
        return check(value, next(each for each in schema["anyOf"] if each != {"type": "null"}), place)
    kinds = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "array": list, "object": dict}
    wanted = schema.get("type")
    if isinstance(wanted, list):
        assert any(isinstance(value, kinds[kind]) for kind in wanted), place
        return
    if wanted is None:
        return
    assert isinstance(value, kinds[wanted]), f"{place}: {value!r} is not of type {wanted}"
    if wanted == "array":
        for item in value:
            check(item, schema["items"], f"{place}[]")
    if wanted == "object":
        properties, more = schema.get("properties", {}), schema.get("additionalProperties", True)
        assert set(schema.get("required", ())) <= set(value), f"{place}: {sorted(value)}"
        for name, member in value.items():
            if name in properties:
                check(member, properties[name], f"{place}.{name}")
            elif isinstance(more, dict):
                check(member, more, f"{place}.{name}")
            else:
                assert more, f"{place}: {name} is not published"
