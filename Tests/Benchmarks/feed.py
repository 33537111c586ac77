"""The feed: how fast an item follows another, what three players cost, and a feed of 10,000 pages."""
import json
import pathlib
import socket
import statistics
import subprocess
import sys
import time

from bench import check, events, topic
from dub import devices, percent, quiet_environment
from process import Child, field
from report import spread

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "Tools"))
from peers import Peer  # noqa: E402

CHANGES = 12
PAGES = 10_000
ITEM_SECONDS = 60


def measure(bench, page):
    folder = bench.path("feed")
    server = Peer("feed_server.py", folder)
    try:
        base = f"http://127.0.0.1:{server.port}"
        changing(bench, page, base)
        playing(bench, page, base, folder)
        pages(bench, page, base)
    finally:
        server.end()


def simulate(bench, address, script, clock="real"):
    settings = {"feed.startMuted": False, "feed.cacheMB": 0}
    lines = [f"0.2 call settings.set {json.dumps(settings)}",
             f'0.5 call feed.open {json.dumps({"source": address})}'] + script
    return bench.simulate(lines, clock, "silence") + ["--speaker", "none", "--camera", "none"]


def status(output):
    """The answers to `feed.status`, in their order."""
    return [one["data"]["result"] for one in topic(events(output), "result") if one["data"]["method"] == "feed.status"]


def changing(bench, page, base):
    """Both have played an item for two seconds, and are told to play the next one: the same files, round and round."""
    steps = [
        # Down to the fourth of them, and up again.
        f"{4 + 2 * number} call {'feed.next' if number // 3 % 2 == 0 else 'feed.previous'}" for number in range(CHANGES)]
    usage = Child(simulate(bench, f"{base}/few.json", steps + [f"{5 + 2 * CHANGES} quit"])).result()
    # The order has been taken when the item is shown; it plays when its first sound is on the way to the speaker.
    own, began = [], None
    for event in topic(events(usage.output), "onFeedChanged"):
        if event["data"]["state"] == "buffering":
            began = event["t"]
        elif event["data"]["state"] == "playing" and began:
            own.append(1000 * (event["t"] - began))
            began = None
    own = own[1:]  # the first one was not prefetched
    if len(own) != CHANGES:
        raise SystemExit(f"bench: of {CHANGES} changes {len(own)} were heard")
    names = ["500.mp4", "400.wav", "800.mp4", "700.wav"]
    others = mpv_changes(bench, [f"{base}/{names[number % 4]}?{number}" for number in range(CHANGES + 1)])
    page.section(
        "From one item of a feed to the next",
        f"{CHANGES} changes after two seconds each, MP4 and WAV by turns from a server on the same machine, the next one "
        "prefetched by both.",
        ["", "ms"], [["mynah", spread(own, 1)], ["mpv --prefetch-playlist", spread(others, 1)]],
        ["mynah's is the time from its event that shows the item to the one that says that it plays; mpv's from "
         "`playlist-next` to its event `playback-restart`."])
    page.goal("feed: change of item, of mpv's", 0.5, statistics.median(own) / statistics.median(others))


def mpv_changes(bench, addresses):
    path = bench.path("mpv", ".sock")
    child = subprocess.Popen(
        ["mpv", "--no-config", "--no-video", "--ao=null", "--really-quiet", "--prefetch-playlist=yes", "--cache=yes",
         f"--input-ipc-server={path}", *addresses])
    try:
        with socket.socket(socket.AF_UNIX) as line:
            end = time.monotonic() + 20
            while True:
                try:
                    line.connect(str(path))
                    break
                except OSError:
                    if time.monotonic() > end:
                        raise SystemExit("bench: mpv does not answer")
                    time.sleep(0.02)
            rows = line.makefile()
            time.sleep(2)
            found = []
            for _ in range(CHANGES):
                began = time.monotonic()
                line.sendall(json.dumps({"command": ["playlist-next"], "request_id": 7}).encode() + b"\n")
                # What happened before the order is not meant.
                isTold = False
                for row in rows:
                    told = json.loads(row)
                    isTold = isTold or told.get("request_id") == 7
                    if isTold and told.get("event") == "playback-restart":
                        break
                else:
                    raise SystemExit("bench: mpv ended")
                found.append(1000 * (time.monotonic() - began))
                time.sleep(2)
            return found
    finally:
        child.kill()
        child.wait()


def playing(bench, page, base, folder):
    """One item, round and round; mynah's neighbours are ready, as they are in use."""
    for number in range(3):
        check(["ffmpeg", "-nostdin", "-v", "error", "-y", "-i", str(bench.speech(ITEM_SECONDS)), "-c:a", "aac", "-b:a",
               "96k", "-movflags", "+faststart", str(folder / f"speech{number}.mp4")])
    seconds = bench.seconds
    samples = {}
    for number in range(bench.rounds):
        group = {
            "mynah, three players": simulate(bench, f"{base}/speech.json", [f"{seconds + 1:.1f} quit"]),
            "mpv --no-video": ["mpv", "--no-config", "--no-video", "--ao=null", "--really-quiet", "--loop-file=inf",
                               f"{base}/speech0.mp4"],
        }
        names = list(group) if number % 2 == 0 else list(reversed(group))
        children = {
            name: Child(group[name], steady=(seconds * 0.3, seconds * 0.95), environment=quiet_environment())
            for name in names}
        mpv = children["mpv --no-video"]
        time.sleep(max(0, mpv.started + seconds + 1 - time.monotonic()))
        mpv.process.terminate()
        for name, child in children.items():
            child.thread.join()
            if name.startswith("mynah") and child.usage.status != 0:
                raise SystemExit(f"bench: mynah ended with {child.usage.status}: {child.errors}")
            samples.setdefault(name, []).append(child.usage)
    rows = [
        [name, spread([percent(one) for one in usages]),
         spread([percent(one) - devices(one) for one in usages]) if name.startswith("mynah") else "",
         spread([one.peak for one in usages], 1)]
        for name, usages in samples.items()]
    page.section(
        "An item of a feed that plays",
        f"MP4 with AAC at 96 kbit/s of {ITEM_SECONDS} s, for {seconds} s in real time; the speaker is simulated, mpv's null.",
        ["", "% of a core", "without devices", "peak RSS, MiB"], rows)
    own, others = samples["mynah, three players"], samples["mpv --no-video"]
    alone = statistics.median(percent(one) - devices(one) for one in own)
    page.goal("feed: CPU of one item without simulated devices, of mpv's", 1.0,
              alone / statistics.median(percent(one) for one in others))
    page.goal("feed: peak RSS with three players", 48, max(one.peak for one in own), " MiB", 1)


def pages(bench, page, base):
    """A page an item: the program goes on and on, as fast as pages come."""
    step = 0.02
    # Some orders come before the page is there, and are refused.
    orders = PAGES * 11 // 10
    child = Child(simulate(
        bench, f"{base}/many.json", [f"{1 + step * number:.3f} call feed.next" for number in range(orders)]
        + [f"{2 + step * orders:.1f} call feed.status", f"{2.5 + step * orders:.1f} quit"]))
    trail = []
    while child.thread.is_alive():
        resident = field(child.process.pid, "VmRSS")
        if resident:
            trail.append((time.monotonic(), resident))
        time.sleep(0.2)
    usage = child.result()
    last = status(usage.output)[-1]["item"]
    # When which page was shown, on the clock that `trail` is on.
    shown = {}
    for event in topic(events(usage.output), "onFeedChanged"):
        if event["data"].get("item"):
            shown.setdefault(int(event["data"]["item"][1:]), event["t"])
    if max(shown) != PAGES - 1:
        raise SystemExit(f"bench: the feed went to page {max(shown)} of {PAGES}; the machine is too busy")

    def reached(number):
        # One that was gone by before anybody was told of it has no event.
        return min(at for one, at in shown.items() if one >= number)

    tenths = [
        statistics.median(value for at, value in trail
                          if reached(PAGES * tenth // 10) <= at <= reached(min(PAGES - 1, PAGES * (tenth + 1) // 10)))
        for tenth in range(10)]
    length = reached(PAGES - 1) - reached(0)
    page.section(
        f"A feed of {PAGES:,} pages",
        f"An item a page, {PAGES / length:.0f} of them a second for {length:.0f} s, from a server on the same machine; each begins "
        "to play. Median resident memory in each tenth of the pages.",
        ["pages, thousands"] + [f"{PAGES * tenth / 10000:g}–{PAGES * (tenth + 1) / 10000:g}" for tenth in range(10)],
        [["MiB"] + [f"{value:.2f}" for value in tenths]], [f"The last item shown: {last}."])
    page.goal("feed: growth of memory from the second tenth of 10,000 pages to the last", 1, tenths[-1] - tenths[1], " MiB")
