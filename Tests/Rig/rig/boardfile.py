"""Board files, as far as the rig needs them: which line has which key and lamp."""

import pathlib
import tomllib

BOARDS = pathlib.Path(__file__).resolve().parents[3] / "board"


def load(path: pathlib.Path) -> dict:
    """A board file over the ones it inherits; a name without .toml is a board inside the program."""
    own = tomllib.loads(path.read_text())
    parent = own.get("inherits")
    if parent is None:
        return own
    place = path.parent / parent if parent.endswith(".toml") else BOARDS / f"{parent}.toml"
    return _merge(load(place), own)


def _merge(base: dict, over: dict) -> dict:
    merged = dict(base)
    for key, value in over.items():
        known = merged.get(key)
        merged[key] = _merge(known, value) if isinstance(known, dict) and isinstance(value, dict) else value
    return merged
