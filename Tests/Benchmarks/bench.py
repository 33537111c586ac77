"""What every part of the benchmark shares: the program, a folder, sounds, scripts."""
import dataclasses
import json
import pathlib
import shutil
import subprocess


@dataclasses.dataclass
class Bench:
    mynah: pathlib.Path
    folder: pathlib.Path
    rounds: int
    seconds: int
    _names: int = 0

    def path(self, stem, suffix=""):
        """A new path in the folder that is deleted at the end."""
        self._names += 1
        return self.folder / f"{self._names:03d}-{stem}{suffix}"

    def sound(self, name, *effects, seconds, rate=48000):
        """A stereo 16-bit WAV file made by sox, once a name; `effects` as of `sox -n`."""
        path = self.folder / f"{name}-{seconds}.wav"
        if not path.exists():
            # -R: the same noise every time.
            check(["sox", "-R", "-n", "-r", str(rate), "-c", "2", "-b", "16", str(path), "synth", str(seconds), *effects])
        return path

    def noise(self, seconds):
        """What is recorded: pink noise, which no encoder gets cheap."""
        return self.sound("pink", "pinknoise", "vol", "0.5", seconds=seconds)

    def speech(self, seconds):
        """What a dictaphone records: a voice that reads on and on, with its pauses."""
        path = self.folder / f"speech-{seconds}.wav"
        if not path.exists():
            once = self.path("once", ".wav")
            text = ("We began at the harbour at seven in the morning. Nobody had slept. The wind came from the north, "
                    "and the boats were late; thirteen of them, I counted. What did the old man say? He said: wait, "
                    "and listen. So we waited, and we listened, and at half past nine the first bell rang.")
            check(["espeak-ng", "-v", "en-gb", "-s", "150", "-w", str(once), text])
            check(["sox", "-R", str(once), "-r", "48000", "-c", "2", "-b", "16", str(path), "gain", "-n", "-6",
                   "repeat", str(seconds // 15 + 1), "trim", "0", str(seconds)])
        return path

    def thorough(self):
        """A board on software that codes AAC as thoroughly as the better boards do."""
        path, base = self.folder / "thorough.toml", pathlib.Path(__file__).resolve().parents[2] / "board/simulator.toml"
        path.write_text(f'inherits = "{base}"\ntitle = "Thorough"\n[encoder]\naac = "thorough"\n')
        return path

    def simulate(self, script, clock, microphone, data=None, board="simulator"):
        """The arguments that run `script` (lines)."""
        path = self.path("script", ".txt")
        path.write_text("\n".join(script) + "\n")
        return [
            str(self.mynah), "simulate", "--board", str(board), "--clock", clock, "--microphone", str(microphone), "--script", str(path),
            "--data", str(data or self.path("data")), "--events"]

    def recording_script(self, settings, press, stop, end):
        """Sets up, presses REC and STOP at those seconds and quits."""
        defaults = {"recording.format": "aac", "recording.bitrateKbps": 128, "recording.preRecordSeconds": 0}
        lines = [f"0 call settings.set {json.dumps({**defaults, **settings})}"]
        if press is not None:
            lines += [
                f"{press:.4f} press REC", f"{press + 0.5:.4f} expect mode dictaphone.recording", f"{stop:.4f} press STOP"]
        return lines + [f"{end:.4f} quit"]

    def takes(self, data):
        return sorted(p for p in (pathlib.Path(data) / "recordings").iterdir() if p.suffix in (".m4a", ".wav", ".opus", ".flac"))

    def discard(self, data):
        shutil.rmtree(data, ignore_errors=True)


def check(command):
    """Runs a helper program; what it says is shown only if it fails."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"bench: {' '.join(command)}: {done.stderr.strip()}")
    return done


def events(text):
    """The event objects in what `--events` printed."""
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def topic(found, name):
    return [event for event in found if event["topic"] == name]
