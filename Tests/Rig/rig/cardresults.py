"""The table of what the image's checks showed, which outlives a run: a row is of the last run that made its check, and what was
not made again keeps its row."""

import pathlib
import re
import time

from .report import Outcome

HEAD = """\
# What the rig showed of the card's image

Made by the rig (`make rig-image ARGS="--results FILE"`); do not edit. Each row is of the last run that made its check, with the
end of that run's time. On `-M virt`, whose two processors are emulated: times say little of a board. "Processor" is what the
emulator used, and how much of what it asked for the host gave it.
"""
CHECKS = ("| Check | UTC | Outcome | Seconds | Processor | |", "|---|---|---|---:|---|---|")
MEASURES = ("| Measure | UTC | |", "|---|---|---|")
ROW = re.compile(r"\| (.*?) \| (\d{4}-\d\d-\d\d \d\d:\d\d) \| .*\|")


def write(path: pathlib.Path, names: list[str], outcomes: list[Outcome], measures: dict[str, str]) -> None:
    """Puts these outcomes and measures into the table; `names` is the order of the checks."""
    kept = read(path)
    now = time.strftime("%Y-%m-%d %H:%M", time.gmtime())
    rows = {part: dict(kept[part]) for part in kept}
    for one in outcomes:
        cells = (one.name, _ended(kept[CHECKS].get(one.name, ""), one, now), one.verdict, f"{one.seconds:.0f}", str(one.share),
            one.message or one.what)
        rows[CHECKS][one.name] = "| " + " | ".join(_cell(cell) for cell in cells) + " |"
    for name, value in measures.items():
        row = f"| {_cell(name)} | {now} | {_cell(value)} |"
        # One that is written again by the same run keeps its time.
        before = kept[MEASURES].get(name, "")
        rows[MEASURES][name] = before if before.endswith(f"| {_cell(value)} |") else row
    lines = [HEAD, *CHECKS]
    lines += [rows[CHECKS].get(name, f"| {name} | | not made yet | | | |") for name in names]
    lines += ["", *MEASURES, *rows[MEASURES].values()]
    path.write_text("\n".join(lines) + "\n")


def read(path: pathlib.Path) -> dict[tuple[str, str], dict[str, str]]:
    """The rows that are there, of each of the two tables, by what they begin with."""
    found: dict[tuple[str, str], dict[str, str]] = {CHECKS: {}, MEASURES: {}}
    part = None
    for line in path.read_text().splitlines() if path.exists() else []:
        part = next((table for table in found if table[0] == line), part)
        if part and (row := ROW.fullmatch(line)):
            found[part][row[1]] = line
    return found


def _ended(before: str, one: Outcome, now: str) -> str:
    """When it was made: a row that this run has written already keeps its time."""
    row = ROW.fullmatch(before)
    return row[2] if row and f"| {one.verdict} | {one.seconds:.0f} | {_cell(str(one.share))} |" in before else now


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "/").split())[:300]
