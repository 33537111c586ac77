"""What is said aloud: how long after a key it is heard, and what it costs."""
import os
import subprocess
import time

from library import Client
from report import spread

# The list of takes, up and down, its menu, the options: texts of one word and of many.
KEYS = ("DOWN", "UP", "DOWN", "LEFT", "CENTRE", "STOP") * 5
PAUSE = 1.2


def measure(bench, page):
    delays, spoken, costs, idle = [], 0, [], []
    for language in ("en", "ru"):
        found, words, cost = session(bench, language, True)
        delays += found
        spoken += words
        costs.append(cost)
        idle.append(session(bench, language, False)[2])
    each = [(loud - quiet) * 1000 / max(1, spoken / len(costs)) for loud, quiet in zip(costs, idle)]
    page.section(
        "The voice", f"{len(KEYS)} keys with {PAUSE} s between them, in English and in Russian, on the real clock. What the device "
        "says of itself: from the key to the first sample on its way to the speaker, text and synthesis included; the speaker's "
        "own delay (a period) comes on top.", ["", "ms", "n"],
        [["key to speech", spread(delays, 1), str(len(delays))],
         ["processor time of a prompt: with the voice, less without, by prompts", spread(each, 1), str(spoken)]])
    page.goal("key to speech, longest", 100, max(delays), " ms", 1)


def session(bench, language, speaks):
    """Delays in ms, prompts, and CPU seconds."""
    data = bench.path("data")
    script = ['0.1 call settings.set {"recording.preRecordSeconds":0}', "1 press REC", "1.4 press STOP", "2 quit"]
    subprocess.run(bench.simulate(script, "virtual", "noise", data=data), check=True, capture_output=True)
    path = bench.path("tty")
    device = subprocess.Popen(
        [str(bench.mynah), "simulate", "--microphone", "silence", "--clock", "real", "--data", str(data), "--console", str(path)],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while not path.exists():
            time.sleep(0.05)
        console = Client(path)
        console.call("settings.set", **{"ui.voice": speaks, "ui.language": language})
        time.sleep(2)
        delays, before = [], cpu(device.pid)
        said = console.call("system.info")["voice"]["spoken"]
        first = said
        for key in KEYS:
            console.call("panel.press", button=key)
            time.sleep(PAUSE)
            voice = console.call("system.info")["voice"]
            if voice["spoken"] > said and "delayMilliseconds" in voice:
                delays.append(voice["delayMilliseconds"])
            said = voice["spoken"]
        return delays, said - first, cpu(device.pid) - before
    finally:
        device.terminate()
        device.wait()


def cpu(process):
    """Seconds of the processor of all its threads."""
    total = 0
    for task in os.listdir(f"/proc/{process}/task"):
        with open(f"/proc/{process}/task/{task}/schedstat") as stat:
            total += int(stat.read().split()[0])
    return total / 1e9
