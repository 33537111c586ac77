"""The others: ffmpeg, arecord and sox, fed with the same sound, at its own pace or as fast as they can."""
import os
import pathlib
import shutil
import subprocess
import threading
import time

from bench import check

FRAME_BYTES = 4
RATE = 48_000


def ffmpeg_aac(source, target, seconds, paced):
    pace = ["-re"] if paced else []
    return [
        "ffmpeg", "-nostdin", "-loglevel", "error", "-y", *pace, "-i", str(source), "-t", str(seconds),
        "-c:a", "aac", "-b:a", "128k", str(target)]


def ffmpeg_wav(source, target, seconds):
    """As much sound through the same program without coding it."""
    return ["ffmpeg", "-nostdin", "-loglevel", "error", "-y", "-i", str(source), "-t", str(seconds), "-c:a", "pcm_s16le", str(target)]


def sox_wav(source, target, seconds):
    """sox from raw samples (a pipe or a file) to WAV."""
    raw = ["-t", "raw", "-r", str(RATE), "-c", "2", "-b", "16", "-e", "signed"]
    # A small buffer, as a recorder needs: the default of 8192 bytes is 43 ms.
    return ["sox", *raw, str(source), "-t", "wav", str(target), "trim", "0", str(seconds)]


def arecord(pcm, target, seconds, *more):
    return ["arecord", "-q", "-D", pcm, "-f", "S16_LE", "-r", str(RATE), "-c", "2", "-d", str(seconds), *more, str(target)]


def alsa_environment(bench, lines):
    """An environment in which ALSA knows nothing but these lines."""
    path = bench.path("alsa", ".conf")
    path.write_text("\n".join(lines) + "\n")
    return {**os.environ, "ALSA_CONFIG_PATH": str(path)}


def file_pcm(bench, source):
    """An environment with the ALSA PCM `bench` that plays raw samples from a file or pipe."""
    return alsa_environment(bench, [
        "pcm.nothing { type null }",
        f'pcm.bench {{ type file slave.pcm nothing file /dev/null infile "{source}" format raw }}'])


def raw(bench, sound):
    """The samples of a WAV file without its header."""
    path = sound.with_suffix(".raw")
    if not path.exists():
        check(["sox", str(sound), "-t", "raw", str(path)])
    return path


class Feeder:
    """A named pipe that sound comes out of at its own pace, in blocks of 10 ms. Its cost is not the reader's."""

    block = RATE // 100 * FRAME_BYTES

    def __init__(self, bench, samples):
        self.path = bench.path("feed", ".fifo")
        os.mkfifo(self.path)
        self.samples = samples
        self.thread = threading.Thread(target=self._feed, daemon=True)
        self.thread.start()

    def _feed(self):
        with open(self.samples, "rb") as source, open(self.path, "wb", buffering=0) as pipe:
            start = time.monotonic()
            sent = 0
            while block := source.read(self.block):
                sent += len(block)
                time.sleep(max(0, start + sent / FRAME_BYTES / RATE - time.monotonic()))
                try:
                    pipe.write(block)
                except BrokenPipeError:
                    return


class PulseAudio:
    """A PulseAudio server of its own with a null sink, whose monitor is a paced capture device. No sound in it."""

    def __init__(self, bench):
        self.folder = bench.path("pulse")
        self.folder.mkdir(mode=0o700)
        self.process = None
        self.socket = self.folder / "native"

    @staticmethod
    def missing():
        plugins = list(pathlib.Path("/usr/lib").glob("*/alsa-lib/libasound_module_pcm_pulse.so"))
        if not shutil.which("pulseaudio"):
            return "pulseaudio is not installed"
        return None if plugins else "libasound2-plugins is not installed"

    def __enter__(self):
        environment = {**os.environ, "HOME": str(self.folder), "XDG_RUNTIME_DIR": str(self.folder)}
        self.process = subprocess.Popen(
            ["pulseaudio", "-n", "--use-pid-file=no", "--daemonize=no", "--exit-idle-time=-1", "--disable-shm=yes",
             "-L", f"module-native-protocol-unix auth-anonymous=1 socket={self.socket}",
             "-L", "module-null-sink sink_name=quiet rate=48000 channels=2 format=s16le"],
            env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(100):
            if self.socket.exists():
                break
            time.sleep(0.05)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def environment(self, bench):
        plugin = next(pathlib.Path("/usr/lib").glob("*/alsa-lib/libasound_module_pcm_pulse.so"))
        return alsa_environment(bench, [
            f'pcm_type.pulse {{ lib "{plugin}" }}',
            f'pcm.bench {{ type pulse server "unix:{self.socket}" device "quiet.monitor" }}'])
