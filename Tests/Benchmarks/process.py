"""A child process under watch: CPU time, memory, and its rate while it is at work."""
import dataclasses
import os
import subprocess
import threading
import time


@dataclasses.dataclass
class Usage:
    """What a process took. CPU in seconds, memory in MiB."""
    cpu: float
    peak: float
    # CPU seconds a minute between the two instants asked for, in all and by thread name.
    rate: float | None = None
    threads: dict | None = None
    # By thread name: how often a second it was woken, between the same two instants.
    wakes: dict | None = None
    # Resident memory at the second instant that no other process could share, in MiB.
    private: float | None = None
    status: int = 0
    output: str = ""


def field(pid, name):
    """A field of /proc/PID/status in MiB, or None once the process is gone."""
    try:
        with open(f"/proc/{pid}/status") as status:
            for line in status:
                if line.startswith(name + ":"):
                    return int(line.split()[1]) / 1024
    except (FileNotFoundError, ProcessLookupError):
        pass
    return None


def private(pid, fields=("Private_Clean:", "Private_Dirty:")):
    """Private resident memory, or other fields of smaps_rollup, in MiB."""
    try:
        with open(f"/proc/{pid}/smaps_rollup") as rollup:
            lines = [line.split() for line in rollup]
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return None
    return sum(int(line[1]) for line in lines if line[0] in fields) / 1024


def times(pid):
    """CPU seconds of every thread: {(thread id, name): seconds}, to the nanosecond from schedstat."""
    found = {}
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/comm") as comm, open(f"/proc/{pid}/task/{task}/schedstat") as stat:
                found[task, comm.read().strip()] = int(stat.read().split()[0]) / 1e9
    except (FileNotFoundError, ProcessLookupError):
        pass
    return found


def wakes(pid):
    """How often every thread has waited and was woken: {(thread id, name): times}."""
    found = {}
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/comm") as comm, open(f"/proc/{pid}/task/{task}/status") as status:
                told = dict(line.split(":", 1) for line in status if ":" in line)
                found[task, comm.read().strip()] = int(told["voluntary_ctxt_switches"])
    except (FileNotFoundError, ProcessLookupError):
        pass
    return found


class Child:
    """Starts a command and watches it from a thread until it ends.

    Peak memory is VmHWM, read every 20 ms. ru_maxrss is not used: it also counts what the process was before exec,
    a copy of this interpreter.
    """

    def __init__(self, command, steady=None, environment=None, stdin=subprocess.DEVNULL):
        """steady: two instants in seconds after the start, between which the rate is taken."""
        self.command = command
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            command, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
        self.peak = 0.0
        self.usage = None
        self.steady = steady
        self.samples = []
        self.private = None
        self.errors = ""
        self.thread = threading.Thread(target=self._watch)
        self.thread.start()

    def _watch(self):
        pid = self.process.pid
        said = []
        readers = [
            threading.Thread(target=lambda pipe=pipe: said.append((pipe, pipe.read())))
            for pipe in (self.process.stdout, self.process.stderr)]
        for reader in readers:
            reader.start()
        while True:
            self.peak = max(self.peak, field(pid, "VmHWM") or 0)
            if self.steady and len(self.samples) < 2:
                if time.monotonic() - self.started >= self.steady[len(self.samples)]:
                    self.samples.append((time.monotonic(), times(pid), wakes(pid)))
                    if len(self.samples) == 2:
                        self.private = private(pid)
            ended, status, rusage = os.wait4(pid, os.WNOHANG)
            if ended:
                break
            time.sleep(0.02)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        for reader in readers:
            reader.join()
        output = {pipe: text.decode(errors="replace") for pipe, text in said}
        self.errors = output[self.process.stderr]
        self.usage = Usage(
            cpu=rusage.ru_utime + rusage.ru_stime, peak=self.peak, status=self.process.returncode,
            output=output[self.process.stdout], private=self.private)
        if len(self.samples) == 2:
            self._rate()

    def _rate(self):
        (start, before, slept), (end, after, woken) = self.samples
        self.usage.threads = by_name(before, after, (end - start) / 60)
        self.usage.wakes = by_name(slept, woken, end - start)
        self.usage.rate = sum(self.usage.threads.values())

    def result(self):
        """Waits for the end. A command that failed ends the benchmark."""
        self.thread.join()
        if self.usage.status != 0:
            raise SystemExit(f"bench: {' '.join(map(str, self.command))} ended with {self.usage.status}: {self.errors}")
        return self.usage


def by_name(before, after, time):
    """What has come to each thread's count in a unit of time, summed by the threads' names."""
    grown = {}
    for key, count in after.items():
        grown[key[1]] = grown.get(key[1], 0) + (count - before.get(key, 0)) / time
    return grown


def run(command, **options):
    return Child(command, **options).result()
