"""Runs the checks of the table on a machine."""

import pathlib
import time
import traceback

from .bench import Bench, Failure, Skip
from .checks import Check
from .machine import Machine
from .report import Outcome

# A machine that stood still for this long has perhaps lost sound: a check that failed then is made again.
STALL = 0.25
ATTEMPTS = 3


def run(table: list[Check], bench: Bench, keep: pathlib.Path) -> list[Outcome]:
    outcomes = []
    machine = bench.machine
    for number, check in enumerate(table):
        bench.log(f"[{number + 1}/{len(table)}] {check.name}: {check.what}")
        missing = check.needs - machine.abilities
        if missing:
            names = "; ".join(sorted(need.value for need in missing))
            outcome = Outcome(check.name, check.what, 0, "skipped", f"this machine cannot do it ({names})")
        else:
            outcome = _attempts(check, machine, bench, keep)
        why = f": {outcome.message}" if outcome.message else ""
        bench.log(f"      {outcome.verdict} in {outcome.seconds:.1f} s{why}")
        outcomes.append(outcome)
    return outcomes


def _attempts(check: Check, machine: Machine, bench: Bench, keep: pathlib.Path) -> Outcome:
    start = time.monotonic()
    for attempt in range(ATTEMPTS):
        verdict, message, stalled = _once(check, machine, bench, keep)
        if verdict != "failed" or stalled < STALL or attempt == ATTEMPTS - 1:
            break
        bench.log(f"      again, as the machine stood still for {stalled:.2f} s: {message}")
    if verdict == "failed" and stalled >= STALL:
        message += f" (the machine stood still for {stalled:.2f} s meanwhile)"
    return Outcome(check.name, check.what, time.monotonic() - start, verdict, message)


def _once(check: Check, machine: Machine, bench: Bench, keep: pathlib.Path) -> tuple[str, str, float]:
    """One attempt: verdict, message, and the longest time that the machine stood still."""
    bench.pictures = {}
    bench.files = {}
    try:
        began = machine.uptime()
        check.run(bench)
        return "passed", "", 0
    except Skip as reason:
        return "skipped", str(reason), 0
    except Exception as error:
        message = str(error) if isinstance(error, Failure) else f"{type(error).__name__}: {error}"
        _keep(keep / check.name, bench, machine, traceback.format_exc())
        stalled = _stalled(machine, began)
        bench.gone()
        machine.renew()
        return "failed", message, stalled


def _stalled(machine: Machine, began: float) -> float:
    try:
        # After a reset the clock begins anew.
        since = began if machine.uptime() >= began else 0
        return max((seconds for at, seconds in machine.stalls() if at >= since), default=0)
    except Exception:
        return 0


def _keep(folder: pathlib.Path, bench: Bench, machine: Machine, trace: str) -> None:
    """Leaves what tells why it failed."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "failure.txt").write_text(trace)
    try:
        bench.pictures["display at the end"] = machine.screen()
    except Exception:
        pass
    for name, picture in bench.pictures.items():
        picture.write(folder / f"{name.replace(' ', '-')}.png")
        (folder / f"{name.replace(' ', '-')}.txt").write_text(picture.text() + "\n")
    for name, content in (bench.files | machine.evidence()).items():
        (folder / name).write_bytes(content)
    bench.log(f"      what tells why is in {folder}")
