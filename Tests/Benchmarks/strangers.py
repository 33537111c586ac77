"""The price of playing strangers' files in a process of their own: an MP3 that plays, and a film that is dubbed, read and
decoded there and in the device's own."""
import os
import shutil
import time

from bench import check
from process import Child, private, times
from report import spread

SECONDS = 300
# Until everything that is done once is done: the list, the picture of the file.
BEFORE = 12


def measure(bench, page):
    sound = bench.path("talk", ".mp3")
    check(["ffmpeg", "-v", "error", "-i", str(bench.speech(SECONDS)), "-b:a", "128k", str(sound)])
    price(bench, page, "An MP3 of 128 kbit/s, 48 kHz stereo, played", "playing a stranger's file", sound,
          "recordings/talk.mp3", 'player.play {"id":"talk.mp3"}', "dictaphone.playing")
    film = bench.path("film", ".mp4")
    check(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", f"testsrc2=s=640x360:r=25:d={SECONDS}", "-i", str(bench.speech(SECONDS)),
           "-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p", "-c:a", "aac", "-b:a", "128k", "-shortest", str(film)])
    price(bench, page, "A film of 640 x 360, 25 pictures a second, with AAC, as a source of dubs with its small picture on the OLED,",
          "a stranger's film as a source of dubs", film, "clips/film.mp4", 'dub.start {"source":"film.mp4","language":"es"}',
          "dub.playing")


def price(bench, page, what, goal, file, name, call, mode):
    found = {False: [], True: []}
    for _ in range(bench.rounds):
        for apart in found:
            found[apart].append(play(bench, file, name, call, mode, apart))
    rows = []
    for title, pick, digits in (
            ("processor, s a minute", lambda one: sum(one["cpu"]), 3),
            ("of it in the process that decodes", lambda one: sum(one["cpu"][1:]), 3),
            ("memory, MiB", lambda one: sum(one["memory"]), 2),
            ("of it in the process that decodes", lambda one: sum(one["memory"][1:]), 2),
            ("memory that was written to, MiB", lambda one: sum(one["dirty"]), 2),
            ("of it in the process that decodes", lambda one: sum(one["dirty"][1:]), 2)):
        rows.append([title] + [spread([pick(one) for one in found[apart]], digits) for apart in (False, True)])
    cpu, memory = ([median([sum(one[part]) for one in found[apart]]) for apart in (False, True)] for part in ("cpu", "dirty"))
    page.section(
        f"Strangers' files in a process of their own: {goal}",
        f"{what} in real time for {bench.seconds} s: median and range of {bench.rounds} rounds.",
        ["", "in the device's process", "in its own"], rows,
        ["The device as `mynah simulate` runs it, with an OLED and a microphone that is heard. Memory as of smaps_rollup: Pss, "
         "which counts once what both processes use of the program's file, and Private_Dirty, which the kernel cannot "
         "take back: what the process costs where the program is locked in memory."])
    page.goal(f"{goal}: processor, of decoding it in the device's process", 1.05, cpu[1] / cpu[0])
    page.goal(f"{goal}: memory written to, more", 2, memory[1] - memory[0], " MiB")


def median(values):
    return sorted(values)[len(values) // 2]


def children(parent):
    """Processes that this one has started."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as stat:
                if int(stat.read().rpartition(")")[2].split()[1]) == parent:
                    found.append(int(name))
        except (FileNotFoundError, ProcessLookupError):
            pass
    return found


def play(bench, file, name, call, mode, apart):
    """CPU seconds a minute and private MiB, of the device and then of what it has started."""
    data = bench.path("data")
    (data / name).parent.mkdir(parents=True)
    shutil.copy(file, data / name)
    end = BEFORE + bench.seconds
    command = bench.simulate(
        [f"3 call {call}", f"{end + 2} expect mode {mode}", f"{end + 3} quit"],
        "real", "noise", data)
    child = Child(command if apart else command + ["--one-process"])
    pid = child.process.pid
    time.sleep(BEFORE)
    all_of_them = [pid] + children(pid)
    before, start = [sum(times(one).values()) for one in all_of_them], time.monotonic()
    time.sleep(bench.seconds)
    minutes = (time.monotonic() - start) / 60
    after = [sum(times(one).values()) for one in all_of_them]
    memory, dirty = ([private(one, [field]) or 0 for one in all_of_them] for field in ("Pss:", "Private_Dirty:"))
    child.result()
    if apart != (len(all_of_them) == 2):
        raise SystemExit(f"bench: {len(all_of_them)} processes")
    return {"cpu": [(b - a) / minutes for a, b in zip(before, after)], "memory": memory, "dirty": dirty}
