"""Runs the program under the counter (counter.c), and tells which room each instruction belongs to."""

import bisect
import importlib.machinery
import importlib.util
import os
import re
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
VALGRIND = "/usr/libexec/valgrind"
# As in Sources/Runtime/Lanes/Lane.swift; before the first is what runs between steps.
LANES = ["", "devices", "control", "camera", "media", "dubbing", "speech", "pictures", "storage", "display", "prompts"]


class GateError(Exception):
    """What stands in the way, for people."""


def build_counter(folder):
    """Builds the tool into a folder that Valgrind then takes for its own."""
    place = "/usr/lib/x86_64-linux-gnu/valgrind"
    if not os.path.exists(place + "/libcoregrind-amd64-linux.a"):
        raise GateError("Valgrind's libraries for tools are missing: Scripts/setup gate installs them")
    for name in os.listdir(VALGRIND):
        link = os.path.join(folder, name)
        if not os.path.exists(link):
            os.symlink(os.path.join(VALGRIND, name), link)
    options = "-O2 -std=gnu99 -Wall -Werror -fno-stack-protector -fno-pie -fno-builtin".split()
    machine = "-DVGA_amd64=1 -DVGO_linux=1 -DVGP_amd64_linux=1 -DVGPV_amd64_linux_vanilla=1".split()
    linking = "-static -nodefaultlibs -nostartfiles -no-pie -u _start -Wl,--build-id=none".split()
    archives = [f"{place}/lib{name}-amd64-linux.a" for name in ("coregrind", "vex", "gcc-sup")]
    made = subprocess.run(
        ["gcc", *options, *machine, "-I/usr/include/valgrind", os.path.join(HERE, "counter.c"), *linking,
         "-Wl,-Ttext-segment=0x58000000", *archives, "-lgcc", "-o", os.path.join(folder, "counter-amd64-linux")],
        capture_output=True, text=True, check=False)
    if made.returncode:
        raise GateError("the counter could not be built:\n" + made.stderr)


def environment(tool_folder):
    """The same for everybody: no settings of a person's, no seed of the day."""
    return {
        "PATH": "/usr/bin:/bin", "HOME": "/", "LC_ALL": "C", "TZ": "UTC", "VALGRIND_LIB": tool_folder,
        # Swift's dictionaries are laid out by a seed that is another one in every run.
        "SWIFT_DETERMINISTIC_HASHING": "1",
    }


def counted(program, arguments, window, tool_folder, counts_path):
    """Runs the program; returns what the counter wrote. The window's ends are in simulated seconds."""
    run = subprocess.run(
        ["setarch", "--addr-no-randomize", "valgrind", "-q", "--tool=counter", f"--counts={counts_path}",
         f"--from={window[0]}", f"--to={window[1]}", program, *arguments],
        env=environment(tool_folder), capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    if run.returncode:
        raise GateError(f"{' '.join(arguments)} ended with {run.returncode}:\n{run.stderr[-2000:]}")
    with open(counts_path, encoding="ascii") as file:
        lines = file.read().split("\n")
    if not lines[0].endswith("whole"):
        raise GateError(f"{' '.join(arguments)} was over before the {window[1]} s that are counted")
    return lines


class RoomFinder:
    """From the linker's map: whose code is at an address."""

    def __init__(self, map_path):
        loader = importlib.machinery.SourceFileLoader("sizes", os.path.join(ROOT, "deploy", "sizes"))
        spec = importlib.util.spec_from_loader("sizes", loader)
        sizes = importlib.util.module_from_spec(spec)
        loader.exec_module(sizes)
        owners, parts = {}, []
        with open(map_path, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                match = sizes.SECTION.match(line)
                if match and match[4] and match[5].startswith((".text", ".init", ".fini", ".plt")):
                    file = match[4]
                    if file not in owners:
                        owners[file] = sizes.owner(file)
                    parts.append((int(match[1], 16), int(match[3], 16), owners[file]))
        parts.sort()
        self.starts = [part[0] for part in parts]
        self.parts = parts

    def room(self, address):
        place = bisect.bisect_right(self.starts, address) - 1
        if place >= 0:
            start, size, owner = self.parts[place]
            if address < start + size:
                return re.sub(r"^room ", "", owner)
        return "elsewhere"


def figures(lines, seconds, finder):
    """What is kept of a run, and compared: see README.md."""
    per_minute = 60 / seconds
    lanes, rooms = {}, {}
    for line in lines[1:]:
        words = line.split()
        if not words:
            continue
        if words[0] == "lane":
            lane, counts = int(words[1]), [int(word) for word in words[2:]]
            wakeups, _, calls, memory_calls, longest, at = counts
            if 0 < lane + 1 < len(LANES) and LANES[lane + 1] != "devices" and wakeups:
                lanes[LANES[lane + 1]] = {
                    "wakeUpsPerSecond": round(wakeups / seconds, 2), "systemCallsPerMinute": round(calls * per_minute),
                    "memoryCallsPerMinute": round(memory_calls * per_minute), "longestStep": longest, "longestStepAt": round(at / 1e9, 3)}
        else:
            room = finder.room(int(words[0], 16))
            # Neither what runs between steps nor the lane of the simulated devices is on a board.
            own = sum(int(word) for word in words[3 : 1 + len(LANES)])
            if own and room != "SimulatedHardware":
                rooms[room] = rooms.get(room, 0) + own
    rooms = {room: round(count * per_minute) for room, count in rooms.items()}
    return {"perMinute": sum(rooms.values()), "lanes": lanes, "rooms": dict(sorted(rooms.items(), key=lambda r: -r[1]))}
