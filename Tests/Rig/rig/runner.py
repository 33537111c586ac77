"""Runs the checks of the table on a machine."""

import pathlib
import time
import traceback

from .bench import Bench, Failure, Skip
from .checks import Check
from .host import Share
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
        share = f"; {outcome.share}" if outcome.share else ""
        bench.log(f"      {outcome.verdict} in {outcome.seconds:.1f} s{share}{why}")
        outcomes.append(outcome)
    return outcomes


def _attempts(check: Check, machine: Machine, bench: Bench, keep: pathlib.Path) -> Outcome:
    start = time.monotonic()
    share = None
    for attempt in range(ATTEMPTS):
        before = machine.meter.read() if machine.meter else None
        verdict, message, stalled, death = _once(check, machine, bench, keep)
        share = machine.meter.since(before) if machine.meter else None
        if verdict != "failed":
            break
        failure = f"{message}; a new machine was started" if death else message
        if renewed := _renew(machine, bench):
            message = f"{message} ({renewed})"
            break
        why = _excuse(death, stalled, share)
        if why is None or attempt == ATTEMPTS - 1:
            break
        bench.log(f"      again, as {why}: {failure}")
    if verdict == "failed":
        if stalled >= STALL:
            message += f" (the machine stood still for {stalled:.2f} s meanwhile)"
        if share and share.is_starved:
            message += f" (its host gave it {share.given:.0%} of the processor that it asked for)"
    return Outcome(check.name, check.what, time.monotonic() - start, verdict, message, share)


def _excuse(death: bool, stalled: float, share: Share | None) -> str | None:
    """Why an attempt that failed tells nothing of the firmware, if it does not: on a quiet host it is made once."""
    if death:
        return "the machine itself ended"
    if stalled >= STALL:
        return f"the machine stood still for {stalled:.2f} s"
    if share and share.is_starved:
        return f"its host gave it {share.given:.0%} of the processor that it asked for"
    return None


def _once(check: Check, machine: Machine, bench: Bench, keep: pathlib.Path) -> tuple[str, str, float, bool]:
    """One attempt: verdict, message, the longest time that the machine stood still, and whether it ended by itself."""
    bench.pictures = {}
    bench.files = {}
    began = 0.0
    try:
        began = machine.uptime()
        check.run(bench)
        return "passed", "", 0, False
    except Skip as reason:
        return "skipped", str(reason), 0, False
    except Exception as error:
        message = str(error) if isinstance(error, Failure) else f"{type(error).__name__}: {error}"
        death = machine.death
        if death and death not in message:
            message += f"; {death}"
        _keep(keep / check.name, bench, machine, traceback.format_exc())
        stalled = 0 if death else _stalled(machine, began)
        bench.gone()
        return "failed", message, stalled, bool(death)


def _renew(machine: Machine, bench: Bench) -> str | None:
    """Brings the machine back; why it could not be, if it could not. The checks to come try again."""
    problem = None
    for _ in range(ATTEMPTS):
        try:
            machine.renew()
            return None
        except Exception as error:
            problem = f"and the machine did not start again: {error}"
            bench.log(f"      {problem}")
    return problem


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
    try:
        found = machine.evidence()
    except Exception as error:
        found = {"evidence.txt": f"there is none: {error}\n".encode()}
    for name, content in (bench.files | found).items():
        (folder / name).write_bytes(content)
    bench.log(f"      what tells why is in {folder}")
