"""The reader in Python, `mynah decrypt` and `age` have the same of the same files, whole and cut off."""

import random
import shutil
import subprocess

import pytest

from mynah_client.decrypt import Sealed, Unreadable, identities
from mynah_client.simulator import run_script

SCRIPT = """
0.0  call settings.set {{"recording.encryptTo":"{key}","recording.format":"{form}","recording.preRecordSeconds":0}}
1.0  press REC
{stop}
"""

pytestmark = pytest.mark.skipif(not shutil.which("age"), reason="there is no age")


@pytest.fixture
def keys(tmp_path):
    made = subprocess.run(["age-keygen", "-o", tmp_path / "key"], capture_output=True, text=True, check=True)
    return tmp_path / "key", made.stderr.split()[-1]


def recorded(program, data, form, key, stop):
    run_script(SCRIPT.format(key=key, form=form, stop=stop), data, program)
    (path,) = (data / "recordings").glob("*.age")
    return path


def mine(path, key):
    with open(path, "rb") as file:
        text = Sealed(file, identities(str(key))).text()
        return text.word, b"".join(text.pieces)


def theirs(program, path, key, target):
    target.unlink(missing_ok=True)
    return subprocess.run(
        [program, "decrypt", "--identity", key, path, target], capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.parametrize("form", ["aac", "wav", "flac", "opus"])
def test_whole(mynah_program, tmp_path, keys, form):
    key, recipient = keys
    path = recorded(mynah_program, tmp_path / "data", form, recipient, "9.0 press STOP\n12.0 quit")
    word, text = mine(path, key)
    assert word == "whole"
    run = theirs(mynah_program, path, key, tmp_path / "out")
    assert run.returncode == 0 and "whole" in run.stdout, run.stderr
    assert (tmp_path / "out").read_bytes() == text
    assert subprocess.run(["age", "-d", "-i", key, path], capture_output=True, check=True).stdout == text

    dice = random.Random(form)
    sealed = path.read_bytes()
    for _ in range(20):
        changed = bytearray(sealed)
        changed[dice.randrange(len(sealed))] ^= 1 << dice.randrange(8)
        path.write_bytes(changed)
        assert theirs(mynah_program, path, key, tmp_path / "out").returncode == 65
        try:
            assert mine(path, key)[0] != "whole"
        except (Unreadable, ValueError):
            pass


@pytest.mark.parametrize("form", ["aac", "wav", "flac", "opus"])
def test_cut_off(mynah_program, tmp_path, keys, form):
    key, recipient = keys
    path = recorded(mynah_program, tmp_path / "data", form, recipient, "7.3 fault power cut")
    word, text = mine(path, key)
    assert word == "unfinished" and text
    run = theirs(mynah_program, path, key, tmp_path / "out")
    assert run.returncode == 0 and "completed, " in run.stdout, run.stdout + run.stderr
    if form in ("wav", "aac"):
        # Media is where it was; only heads and what is behind it were completed.
        middle = len(text) // 2
        assert (tmp_path / "out").read_bytes()[middle : middle + 4096] == text[middle : middle + 4096]
    probe = ["ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", tmp_path / "out"]
    assert float(subprocess.run(probe, capture_output=True, text=True, check=True).stdout) > 5.7


@pytest.mark.parametrize("end", ["9.0 press STOP\n12.0 quit", "9.3 fault power cut"])
def test_damaged(mynah_program, tmp_path, keys, end):
    """A wrong byte costs its chunk, which is told; what is behind it is there."""
    key, recipient = keys
    path = recorded(mynah_program, tmp_path / "data", "wav", recipient, end)
    _, text = mine(path, key)
    sealed = bytearray(path.read_bytes())
    sealed[3 * 65_552 + 2_000] ^= 8
    path.write_bytes(sealed)
    run = theirs(mynah_program, path, key, tmp_path / "out")
    assert run.returncode == 65 and "changed, or is damaged, at byte" in run.stderr, run.stderr
    gap = int(run.stderr.split("at byte ")[1].split()[0])
    assert gap % 65_536 == 0 and gap > 0
    found = b""
    with open(path, "rb") as file, pytest.raises(Unreadable, match=f"at byte {gap} "):
        for piece in Sealed(file, identities(str(key))).text().pieces:
            found += piece
    assert found == text[:gap] + bytes(65_536) + text[gap + 65_536 :]
    out = (tmp_path / "out").read_bytes()
    # Heads and ends of one that was cut off are completed.
    assert out[65_536 : 10 * 65_536] == found[65_536 : 10 * 65_536]


def test_damaged_log(mynah_program, tmp_path, keys):
    """A wrong byte in the log costs its record, which is told; what is behind it is there."""
    key, recipient = keys
    path = recorded(mynah_program, tmp_path / "data", "opus", recipient, "2.8 fault power cut")
    _, text = mine(path, key)
    sealed = bytearray(path.read_bytes())
    records = [place for place in range(len(sealed)) if sealed.startswith(b"mynahDR1", place)]
    # Of older runs nothing is needed any more.
    newest = max(sealed[place + 8 : place + 16] for place in records)
    run = [place for place in records if sealed[place + 8 : place + 16] == newest]
    assert len(run) > 2
    sealed[run[len(run) // 2] + 40] ^= 8
    path.write_bytes(sealed)
    run = theirs(mynah_program, path, key, tmp_path / "out")
    assert run.returncode == 65 and "changed, or is damaged, at byte" in run.stderr, run.stderr
    found = b""
    with open(path, "rb") as file, pytest.raises(Unreadable, match="at byte"):
        for piece in Sealed(file, identities(str(key))).text().pieces:
            found += piece
    gap = int(run.stderr.split("at byte ")[1].split()[0])
    assert len(found) == len(text) and found[:gap] == text[:gap] and found[-500:] == text[-500:]


def test_other_key(mynah_program, tmp_path, keys):
    path = recorded(mynah_program, tmp_path / "data", "aac", keys[1], "2.0 press STOP\n4.0 quit")
    subprocess.run(["age-keygen", "-o", tmp_path / "other"], capture_output=True, check=True)
    with pytest.raises(Unreadable):
        mine(path, tmp_path / "other")
    run = theirs(mynah_program, path, tmp_path / "other", tmp_path / "out")
    assert run.returncode == 65 and "another key" in run.stderr
    assert not (tmp_path / "out").exists()
