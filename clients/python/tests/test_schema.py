"""The schema and the running device agree on every method: called with good and with broken parameters, by it alone."""

import json
import subprocess

import pytest
from mynah_client import BadArgument, NoAnswer, RemoteError

# They end the console, the line's being a program's, or the device.
LEAVES = {"session.end", "session.human", "system.powerOff", "system.reboot"}


def good(schema):
    """A value that the schema allows."""
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type")
    if kind == "array":
        return [good(schema["items"])] * max(1, schema.get("minItems", 1))
    if kind in ("integer", "number"):
        return schema.get("minimum", 1)
    return {"string": "x" * max(1, schema.get("minLength", 1)), "boolean": True}.get(kind, "x")


def broken(schema):
    """Values that the schema does not allow."""
    kind = schema.get("type")
    values = [{}, {"a": [1]}]
    if isinstance(kind, list):
        return [*values, []]
    if kind != "array":
        values += [[], [1]]
    if kind != "string":
        values += ["", "nothing of the kind"]
    if kind not in ("integer", "number"):
        values += [7, 1e300]
    if kind != "boolean":
        values += [True]
    if kind == "integer":
        values += [1.5]
    values += [schema["minimum"] - 1] if "minimum" in schema else []
    values += [schema["maximum"] + 1] if "maximum" in schema else []
    values += ["x" * (schema["maxLength"] + 1)] if "maxLength" in schema else []
    values += [""] if schema.get("minLength") else []
    values += ["nothing of the kind"] if "enum" in schema else []
    if kind == "array":
        values += [[value] for value in broken(schema["items"])[:3]]
        values += [[good(schema["items"])] * (schema["maxItems"] + 1)] if schema.get("maxItems", 9999) < 200 else []
    return values


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


@pytest.fixture(scope="module")
def schema(request):
    program = request.getfixturevalue("mynah_program")
    return json.loads(subprocess.run([program, "console", "--schema"], check=True, stdout=subprocess.PIPE).stdout)


def test_broken_parameters_are_refused_by_name_and_change_nothing(schema, mynah_device):
    before = (mynah_device.client.settings.get(), mynah_device.mode)
    calls = []
    for method in schema["methods"]:
        takes = [parameter for parameter in method["params"] if parameter["name"] != "*"]
        whole = {parameter["name"]: good(parameter["schema"]) for parameter in takes}
        if len(takes) == len(method["params"]):
            calls.append((method["name"], {**whole, "no such": 1}))
            calls.append((method["name"], [1] * (len(takes) + 1)))
        for parameter in method["params"]:
            rest = {name: value for name, value in whole.items() if name != parameter["name"]}
            if parameter["required"]:
                calls.append((method["name"], rest))
            for value in broken(parameter["schema"]):
                calls.append((method["name"], {**rest, parameter["name"]: value}))
    assert len(calls) > 500
    wrong = []
    for start in range(0, len(calls), 20):
        # A line has 65,536 bytes; twenty of them stay below it, but for lists beyond their bounds.
        batch = calls[start : start + 20]
        for (name, params), answer in zip(batch, mynah_device.client.batch(batch)):
            if not isinstance(answer, BadArgument) or answer.number != -32602:
                wrong.append(f"{name} {str(params)[:100]}: {answer!r}"[:300])
    assert not wrong, "\n".join(wrong)
    assert (mynah_device.client.settings.get(), mynah_device.mode) == before


@pytest.mark.mynah(camera="bars")
def test_good_parameters_are_understood_and_answered_as_published(schema, mynah_device):
    wrong, answered = [], 0
    for method in schema["methods"]:
        if method["name"] in LEAVES:
            continue
        takes = [parameter for parameter in method["params"] if parameter["name"] != "*"]
        needed = {parameter["name"]: good(parameter["schema"]) for parameter in takes if parameter["required"]}
        whole = {parameter["name"]: good(parameter["schema"]) for parameter in takes}
        ways = [needed, whole, list(whole.values())] if whole else [{}]
        if len(takes) < len(method["params"]):
            ways = [{"recording.preRecordSeconds": 3}]
        for params in ways:
            try:
                answer = mynah_device.client.call(method["name"], params, timeout=120)
            except NoAnswer as error:
                wrong.append(f"{method['name']}: {error}")
                continue
            except RemoteError as error:
                # What only the device can know: there is no such take, it is busy, the words mean nothing.
                if error.code not in schema["x-error-codes"] or error.code == "internal" or error.number == -32601:
                    wrong.append(str(error))
                continue
            try:
                check(answer, method["result"]["schema"], method["name"])
                answered += 1
            except AssertionError as error:
                wrong.append(str(error).splitlines()[0])
    assert not wrong, "\n".join(wrong)
    assert answered > 60


@pytest.mark.parametrize("name", sorted(LEAVES))
def test_what_ends_the_console_or_the_device_answers_before(schema, mynah_simulator, name):
    device = mynah_simulator(camera="none")
    method = next(method for method in schema["methods"] if method["name"] == name)
    assert method["params"] == []
    check(device.client.call(name, {}, timeout=60), method["result"]["schema"], name)
