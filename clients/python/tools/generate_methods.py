#!/usr/bin/env python3
"""Writes src/mynah_client/methods.py from the schema that a program publishes (mynah console --schema).

    tools/generate_methods.py --program PROGRAM           writes it
    tools/generate_methods.py --program PROGRAM --check   says whether it is as the program has it; exit code 1 if not
"""

import argparse
import json
import keyword
import subprocess
import sys
from pathlib import Path

TARGET = Path(__file__).resolve().parent.parent / "src/mynah_client/methods.py"
WIDTH = 120

HEAD = '''"""The methods of the console, typed. Made by tools/generate_methods.py from the program's schema."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

Scalar = Union[str, float, bool]


def _given(**members: Any) -> Dict[str, Any]:
    # Python's words for names that are words of Python end in an underscore.
    return {name.rstrip("_"): value for name, value in members.items() if value is not None}


class _Noun:
    def __init__(self, call: Callable[..., Any]):
        self._call = call


'''


def capital(name: str) -> str:
    return name[:1].upper() + name[1:]


def word(name: str) -> str:
    return name + "_" if keyword.iskeyword(name) else name


def docstring(indent: str, text: str) -> list[str]:
    lines, line = [], indent + '"""'
    for part in text.replace("\\", "\\\\").split():
        if len(line) + len(part) + 4 > WIDTH:
            lines.append(line.rstrip())
            line = indent
        line += part + " "
    return [*lines, line.rstrip() + '"""']


class Types:
    """The types of answers: a TypedDict for each structure, named by the way to it."""

    def __init__(self, topics: list[str]) -> None:
        self.lines: list[str] = []
        self.topics = topics

    def of(self, schema: dict, name: str, is_answer: bool = True) -> str:
        if schema.get("enum") == self.topics:
            return "Topic"
        if "enum" in schema:
            return f"Literal[{', '.join(json.dumps(value) for value in schema['enum'])}]"
        if "anyOf" in schema:
            return f"Optional[{self.of(next(s for s in schema['anyOf'] if s != {'type': 'null'}), name, is_answer)}]"
        kind = schema.get("type")
        if isinstance(kind, list):
            return "Scalar"
        if kind == "array":
            item = self.of(schema["items"], name, is_answer)
            return f"{'List' if is_answer else 'Sequence'}[{item}]"
        if kind == "object":
            if "properties" in schema:
                return self.structure(schema, name)
            values = schema.get("additionalProperties")
            return f"Dict[str, {self.of(values, name) if isinstance(values, dict) else 'Any'}]"
        return {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}.get(kind, "Any")

    def structure(self, schema: dict, name: str) -> str:
        required = set(schema.get("required", ()))
        parts: dict[bool, list[tuple[str, str, str]]] = {True: [], False: []}
        for member, value in sorted(schema["properties"].items()):
            parts[member in required].append(
                (member, self.of(value, name + capital(member)), value.get("description", ""))
            )
        base = "TypedDict"
        if parts[False] and parts[True]:
            base = f"_{name}"
            self.define(base, "TypedDict", parts[True], True)
        self.define(name, base, parts[False] or parts[True], not parts[False])
        return name

    def define(self, name: str, base: str, members: list[tuple[str, str, str]], is_total: bool) -> None:
        if any(not member.isidentifier() or keyword.iskeyword(member) for member, _, _ in members):
            # Names that Python cannot write as fields.
            if base != "TypedDict":
                raise SystemExit(f"{name}: optional members that are no names, beside required ones")
            fields = ", ".join(f"{member!r}: {kind!r}" for member, kind, _ in members)
            total = "" if is_total else ", total=False"
            self.lines += [f"{name} = TypedDict({name!r}, {{{fields}}}{total})", "", ""]
            return
        self.lines.append(f"class {name}({base}{'' if is_total else ', total=False'}):")
        for member, kind, meaning in members:
            self.lines.append(f"    {member}: {kind}")
            self.lines += docstring("    ", capital(meaning) + ".") if meaning else []
        self.lines += ["    pass"] if not members else []
        self.lines += ["", ""]


def parameters(method: dict, types: Types, name: str) -> tuple[list[str], str]:
    """The parameters of a function, and what it hands on."""
    if any(parameter["name"] == "*" for parameter in method["params"]):
        return ["values: Mapping[str, Scalar]"], "values"
    ordered = sorted(method["params"], key=lambda parameter: not parameter["required"])
    declared, handed = [], []
    is_open = True
    for index, parameter in enumerate(ordered):
        if parameter["name"] == "timeout":
            raise SystemExit(f"{method['name']}: a parameter called timeout is this client's own")
        kind = types.of(parameter["schema"], name + capital(parameter["name"]), is_answer=False)
        variable = word(parameter["name"])
        if is_open and index > 0 and not parameter["required"]:
            declared.append("*")
            is_open = False
        declared.append(f"{variable}: {kind}" if parameter["required"] else f"{variable}: Optional[{kind}] = None")
        handed.append(f"{variable}={variable}")
    return declared, f"_given({', '.join(handed)})" if handed else "{}"


def function(method: dict, types: Types, is_async: bool) -> list[str]:
    noun, verb = method["name"].split(".")
    name = capital(noun) + capital(verb)
    declared, handed = parameters(method, types, name)
    schema = method["result"]["schema"]
    answer = "None" if schema.get("properties") == {} else types.of(schema, name)
    declared = ["self", *declared, *([] if "*" in declared else ["*"]), "timeout: Optional[float] = None"]
    begin, wait = ("async def", "await ") if is_async else ("def", "")
    head = f"    {begin} {word(verb)}({', '.join(declared)}) -> {answer}:"
    lines = [head]
    if len(head) > WIDTH:
        lines = [f"    {begin} {word(verb)}(", *[f"        {item}," for item in declared], f"    ) -> {answer}:"]
    notes = [capital(method["summary"]) + ".", method.get("description", "")]
    for parameter in method["params"]:
        if parameter["name"] != "*":
            notes.append(f"`{word(parameter['name'])}`: {parameter['summary']}.")
    lines += docstring("        ", " ".join(note for note in notes if note))
    call = f'{wait}self._call("{method["name"]}", {handed}, timeout)'
    if len(call) > WIDTH - 30:
        arguments = handed[len("_given(") : -1].split(", ")
        lines += ["        params = _given(", *[f"            {argument}," for argument in arguments], "        )"]
        call = f'{wait}self._call("{method["name"]}", params, timeout)'
    if answer == "None":
        return [*lines, f"        {call}", ""]
    return [*lines, f"        result: {answer} = {call}", "        return result", ""]


def module(document: dict) -> str:
    methods: dict[str, list[dict]] = {}
    for method in document["methods"]:
        methods.setdefault(method["name"].split(".")[0], []).append(method)
    topics = document["x-events"]
    types = Types(topics)
    nouns: list[str] = []
    for is_async in (False, True):
        kind = "Async" if is_async else ""
        for noun, list_ in methods.items():
            nouns += [f"class {kind}{capital(noun)}Noun(_Noun):", f'    """The methods `{noun}.…`."""', ""]
            for method in list_:
                nouns += function(method, types if not is_async else Types(topics), is_async)
            nouns += [""]
        nouns += [f"class {kind}Methods:"]
        nouns += docstring("    ", "All methods, by their nouns: `panel.press` is `client.panel.press(…)`.") + [""]
        nouns += ["    _call: Callable[..., Any]", ""]
        for noun in methods:
            nouns += ["    @property", f"    def {word(noun)}(self) -> {kind}{capital(noun)}Noun:"]
            nouns += [f"        return {kind}{capital(noun)}Noun(self._call)", ""]
        nouns += [""]
    lists = ["Topic = Literal[", *[f"    {json.dumps(topic)}," for topic in topics], "]"]
    codes = [f"    {json.dumps(code)}," for code in document["x-error-codes"]]
    lists += ['"""What events are about."""', "", ""]
    lists[-1:] = ["ErrorCode = Literal[", *codes, "]", '"""Why a call was refused."""', "", ""]
    return HEAD + "\n".join([*lists, *types.lines, *nouns]).rstrip() + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--program", help="the program to ask")
    source.add_argument("--schema", help="a file with what it has answered")
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    wanted = parser.parse_args()
    if wanted.program:
        command = [wanted.program, "console", "--schema"]
        text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    else:
        text = Path(wanted.schema).read_text()
    made = module(json.loads(text))
    if not wanted.check:
        TARGET.write_text(made)
    elif made != (TARGET.read_text() if TARGET.exists() else ""):
        print(f"{TARGET.name} is not as the program has it: make client-methods writes it anew", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
