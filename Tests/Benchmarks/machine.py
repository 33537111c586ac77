"""What the numbers were measured on."""
import os
import pathlib
import platform
import shutil
import subprocess
import time


def load():
    return os.getloadavg()[0]


def steal():
    """Share of time that the hypervisor gave to others since boot."""
    fields = pathlib.Path("/proc/stat").read_text().splitlines()[0].split()[1:]
    numbers = [int(field) for field in fields]
    return numbers[7] / max(1, sum(numbers[:8]))


def noise():
    """Spread of a fixed piece of work, in per cent: how far identical work differs here."""
    durations = []
    for _ in range(15):
        start = time.perf_counter()
        sum(range(1_000_000))
        durations.append(time.perf_counter() - start)
    durations.sort()
    return 100 * (durations[-2] / durations[len(durations) // 2] - 1)


def first_line(*command):
    if not shutil.which(command[0]):
        return f"{command[0]}: not installed"
    done = subprocess.run(command, capture_output=True, text=True)
    return ((done.stdout or done.stderr).splitlines() or [command[0]])[0].strip()


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith(("model name", "Model")):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def system():
    for line in pathlib.Path("/etc/os-release").read_text().splitlines():
        if line.startswith("PRETTY_NAME="):
            return line.split("=", 1)[1].strip('"')
    return "unknown system"


def describe(bench, load_before, elapsed):
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    linking = subprocess.run(["ldd", str(bench.mynah)], capture_output=True, text=True).stdout
    libraries = linking.count("=>")
    return [
        f"{time.strftime('%Y-%m-%d')}, {processor()}, {len(os.sched_getaffinity(0))} cores, {memory:.0f} GiB, "
        f"{system()}, Linux {platform.release()} {platform.machine()}",
        f"noise: load {load_before:.2f} before, {load():.2f} after; identical work differs by {noise():.0f} %; "
        f"{100 * steal():.1f} % of the time went to other guests",
        f"{first_line(str(bench.mynah), 'version')}, release build, {bench.mynah.stat().st_size / 2**20:.1f} MiB, "
        + (f"{libraries} shared libraries" if libraries else "static"),
        "; ".join((
            first_line("ffmpeg", "-version").split(" Copyright")[0], first_line("arecord", "--version"),
            first_line("sox", "--version"))),
        f"{bench.rounds} rounds; the whole run took {elapsed / 60:.1f} min",
    ]
