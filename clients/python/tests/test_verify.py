"""The verifier in Python and `mynah verify` say the same of the same files, whole, cut and changed."""

import json
import random
import shutil
import subprocess

import pytest

from mynah_client.simulator import run_script
from mynah_client.verify import verify

SIGNED = """
0.0  call settings.set {{"recording.sign":true,"recording.format":"{form}","recording.preRecordSeconds":0}}
1.0  press REC
2.5  mark
5.0  press STOP
6.0  call settings.set {{"clips.durationSeconds":3,"clips.postRollSeconds":1}}
7.0  call panel.mode {{"mode":"clips"}}
13.0 press REC
18.0 call panel.mode {{"mode":"dictaphone"}}
20.0 press REC
24.0 fault power cut
"""


def both(program, path, key=None):
    """The verdict of both, which has to be the same one."""
    mine = verify(str(path), key)
    keys = ["--key", key] if key else []
    run = subprocess.run([program, "verify", "--json", *keys, str(path)], capture_output=True, text=True, timeout=60)
    (theirs,) = json.loads(run.stdout)
    assert run.returncode == (0 if theirs["verdict"] == "whole" else 65)
    assert (mine.word, mine.seconds, mine.key) == (theirs["verdict"], theirs.get("seconds"), theirs.get("key", "")), (
        f"{mine} and {theirs}"
    )
    return mine


def recordings(folder):
    names = [*(folder / "recordings").iterdir(), *(folder / "clips").iterdir()]
    return sorted(name for name in names if name.suffix in (".m4a", ".wav", ".flac", ".opus", ".mp4"))


@pytest.mark.parametrize("form", ["aac", "wav", "flac", "opus"])
def test_both_verifiers_agree(mynah_program, tmp_path, form):
    data = tmp_path / "data"
    run_script(SIGNED.format(form=form), data, mynah_program)
    files = recordings(data)
    assert len(files) == 3
    words = [both(mynah_program, path).word for path in files]
    assert sorted(words) == ["cut off", "whole", "whole"]
    key = both(mynah_program, files[0]).key
    assert both(mynah_program, files[0], key).word == "whole"
    assert both(mynah_program, files[0], "00" * 32).word == "unsigned"

    dice = random.Random(19)
    for path in files:
        proof = path.with_name(path.name + ".proof")
        for target in (path, proof):
            good = target.read_bytes()
            for _ in range(2):
                place = dice.randrange(len(good) - 1)
                target.write_bytes(good[:place] + bytes([good[place] ^ 1 << dice.randrange(8)]) + good[place + 1 :])
                assert both(mynah_program, path).word in ("changed", "cut off"), f"byte {place} of {target}"
                target.write_bytes(good[:place])
                both(mynah_program, path)
            target.write_bytes(good)
    # What lies beside one is another's.
    notes = [path.with_suffix(".json") for path in files[:2]]
    shutil.copy(notes[1], notes[0])
    assert both(mynah_program, files[0]).word == "changed"
    proof = files[1].with_name(files[1].name + ".proof")
    proof.unlink()
    assert both(mynah_program, files[1]).word == "unsigned"
