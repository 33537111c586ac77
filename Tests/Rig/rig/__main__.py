"""The command line of the rig."""

import argparse
import os
import pathlib
import shutil
import sys
import tempfile
import time

from . import image, priority, qemu, report, runner
from .bench import Bench
from .checks import Check, Set, TABLE
from .machine import MachineError, Need

ROOT = pathlib.Path(__file__).resolve().parents[3]
PROGRAM = ROOT / "dist/x86_64/mynah"
PROGRAM_ARM64 = ROOT / "dist/aarch64/mynah"


def main() -> int:
    options = arguments()
    if options.list and not options.image:
        for check in TABLE:
            print(f"{check.name:20} {check.set.value:5}  {check.what}")
        return 0
    start = time.monotonic()

    def log(text: str) -> None:
        print(f"rig {time.monotonic() - start:7.1f}  {text}", flush=True)

    if options.image:
        from . import cardrun

        return cardrun.main(options, log)
    unknown = set(options.only) - {check.name for check in TABLE}
    if unknown:
        print(f"rig: there is no check called {', '.join(sorted(unknown))}; --list names them", file=sys.stderr)
        return 64
    wanted = Set.MEDIA if options.media else Set.SMOKE
    table = [
        check for check in TABLE
        if (check.name in options.only if options.only else options.full or check.set is wanted)
    ]
    if missing := missing_program(options, table):
        print(f"rig: {missing}", file=sys.stderr)
        return 69
    shutil.rmtree(options.keep, ignore_errors=True)
    # Paths of Unix sockets are short: the machine's files are not below the sources.
    outcomes: list[report.Outcome] = []
    measures: dict[str, str] = {}
    about: list[str] = []
    with priority.first(), tempfile.TemporaryDirectory(prefix="mynah-rig-") as scratch:
        for part, maker in machines(options, table):
            try:
                machine = maker(options, part, pathlib.Path(scratch), log)
            except (MachineError, qemu.GuestError, RuntimeError) as error:
                print(f"rig: {error}", file=sys.stderr)
                if not outcomes:
                    return 69
                # What the machine before was good for is not lost.
                outcomes += [report.Outcome(check.name, check.what, 0, "failed", str(error)) for check in part]
                continue
            about.append(f"{machine.name}: {machine.about}")
            bench = Bench(machine, options.full, options.seed, log, options.cuts, options.manual)
            log(f"{machine.name}; {len(part)} checks, seed {options.seed}")
            try:
                outcomes += runner.run(part, bench, options.keep)
            finally:
                machine.close()
            measures |= bench.measures
    report.junit(outcomes, options.keep / "junit.xml")
    if measures:
        print(f"\n{report.table(measures)}\n")
    if options.results:
        report.results(options.results, [heading(options), *about], outcomes, measures)
    log(f"{options.keep}/junit.xml is written")
    print(report.summary(outcomes))
    return 1 if any(one.verdict == "failed" for one in outcomes) else 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="Tests/Rig/run", description="Runs mynah on real kernel drivers, and checks it from outside.")
    add = parser.add_argument
    add("--program", type=pathlib.Path, default=pathlib.Path(os.environ.get("MYNAH_RIG_PROGRAM", PROGRAM)),
        help="the program to check (default: $MYNAH_RIG_PROGRAM, else dist/x86_64/mynah)")
    add("--program-arm64", type=pathlib.Path, metavar="PROGRAM",
        default=pathlib.Path(os.environ.get("MYNAH_RIG_PROGRAM_ARM64", PROGRAM_ARM64)),
        help="that of arm64-boot (default: $MYNAH_RIG_PROGRAM_ARM64, else dist/aarch64/mynah)")
    add("--media", action="store_true", help="the checks of clips and dubs instead of those of the dictaphone")
    add("--full", action="store_true", help="the whole set: hours, not minutes")
    add("--only", type=lambda text: text.split(","), default=[], metavar="NAME,…", help="these checks only")
    add("--list", action="store_true", help="name the checks")
    add("--seed", type=int, default=1, help="of noise and power cuts")
    add("--cuts", type=int, metavar="N", help="how many power cuts (default: 50, in the whole set 1000)")
    add("--keep", type=pathlib.Path, default=ROOT / "dist/rig", metavar="FOLDER",
        help="where JUnit's XML and, of checks that failed, pictures and logs go (emptied first)")
    add("--results", type=pathlib.Path, metavar="FILE", help="write the tables as Markdown")
    add("--manual", action="store_true", help="write the manual's tables anew (sessions: docs/manual/sessions.md)")
    add("--image", type=pathlib.Path, metavar="FILE",
        help="start this image of a card instead (make rig-image); --only and --cuts are those of rig/cardrun.py")
    add("--u-boot", type=pathlib.Path, metavar="FILE", help="by which it starts (default: u-boot-virt.bin beside it)")
    add("--board", type=pathlib.Path, metavar="FILE",
        help="check a real board instead, wired as this file says (board/rig/bench-example.toml)")
    return parser.parse_args()


def machines(options: argparse.Namespace, table: list[Check]):
    """The machines to make one after the other, and the checks of each."""
    if options.board:
        return [(table, real_board)]
    arm64 = [check for check in table if Need.ARM64 in check.needs]
    others = [check for check in table if check not in arm64]
    return [(part, maker) for part, maker in ((others, virtual_board), (arm64, arm64_board)) if part]


def real_board(options: argparse.Namespace, table: list[Check], scratch: pathlib.Path, log):
    from .real import RealBoard

    return RealBoard(options.board, scratch)


def virtual_board(options: argparse.Namespace, table: list[Check], scratch: pathlib.Path, log):
    from .virtual import VirtualBoard

    files = image.prepare(log)
    accelerator = qemu.accelerator(files, scratch, log)
    hasRecorders = any(Need.RECORDERS in check.needs for check in table)
    return VirtualBoard(files, options.program, scratch / "vm", accelerator, log, hasRecorders)


def arm64_board(options: argparse.Namespace, table: list[Check], scratch: pathlib.Path, log):
    from .arm64 import Arm64Board, prepare

    return Arm64Board(prepare(log), options.program_arm64, scratch / "arm64")


def missing_program(options: argparse.Namespace, table: list[Check]) -> str | None:
    """Which program the checks need and is not there: said before the first of them, not hours later."""
    for part, maker in machines(options, table):
        program, option = {
            virtual_board: (options.program, "--program"), arm64_board: (options.program_arm64, "--program-arm64"),
        }.get(maker, (None, ""))
        if program and not program.exists():
            return f"{program} is not there: build it (deploy/build), or name another with {option}"
    return None


def heading(options: argparse.Namespace) -> str:
    kind = "Whole set" if options.full else "Set of clips and dubs" if options.media else "Smoke set"
    return f"{kind}, seed {options.seed}, {time.strftime('%Y-%m-%d', time.gmtime())}."


if __name__ == "__main__":
    sys.exit(main())
