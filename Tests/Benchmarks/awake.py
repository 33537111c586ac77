"""What the device asks of the processor while it waits, records and plays: how much of it, and how often it wakes it."""
from process import Child, run
from report import spread

# Simulated microphone and speaker, which a device does not have.
DEVICES = "mynah-devices"


def measure(bench, page):
    length = bench.seconds + 5
    steady = (4, bench.seconds + 3)
    take = bench.path("take")
    recorded = bench.recording_script({}, 0.5, length + 10, length + 12)
    run(bench.simulate(recorded, "virtual", bench.speech(length + 12), take))
    name = bench.takes(take)[0].name
    scripts = {
        "armed": ([f"{length} quit"], None), "recording AAC": (bench.recording_script({}, 1, length, length + 1), None),
        "recording WAV": (bench.recording_script({"recording.format": "wav"}, 1, length, length + 1), None),
        "playing AAC": ([f'1 call player.play {{"id":"{name}"}}', f"{length} quit"], take)}
    found = {name: [] for name in scripts}
    for _ in range(bench.rounds):
        for name, (script, data) in scripts.items():
            command = bench.simulate(script, "real", bench.speech(length), data)
            found[name].append(Child(command, steady=steady).result())
    # CPU s/min without the devices, as % of a core.
    share = {
        name: [(usage.rate - usage.threads.get(DEVICES, 0)) / 0.6 for usage in usages] for name, usages in found.items()}
    threads = sorted({thread for usages in found.values() for usage in usages for thread in usage.wakes} - {DEVICES})
    rows = [["% of a core"] + [spread(share[name]) for name in found]]
    rows.append(["wake-ups a second"] + [
        spread([sum(usage.wakes.values()) - usage.wakes.get(DEVICES, 0) for usage in usages], 1) for usages in found.values()])
    for thread in threads:
        woken = [[usage.wakes.get(thread, 0) for usage in usages] for usages in found.values()]
        if max(map(max, woken)) >= 0.05:
            rows.append([f"of these `{thread}`"] + [spread(values, 1) for values in woken])
    page.section(
        "Awake", f"{bench.seconds} s in real time each, one after the other; 48 kHz stereo, AAC at 128 kbit/s.",
        ["", *found], rows,
        ["Without the simulated microphone and speaker, which are a thread of their own. Wake-ups are voluntary switches of its "
         "threads (/proc). The screen is drawn up to 30 times a second: the meters move; armed and untouched, 20 times."])
    page.goal("armed: % of a core, without simulated devices", 0.5, sorted(share["armed"])[len(share["armed"]) // 2], " %")
