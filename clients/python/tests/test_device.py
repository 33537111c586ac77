"""A simulated device, driven as a test of a customer's would."""

import hashlib
import threading
import wave

import pytest
from mynah_client import (
    BadArgument,
    Client,
    ConnectionLost,
    ExpectationFailed,
    MynahError,
    NoEvent,
    NotFound,
    PressIgnored,
    RemoteError,
    TransferError,
)

pytestmark = pytest.mark.mynah(microphone="tone:440", camera="none")


def test_keys_record_a_take_that_is_what_was_heard(mynah_device, tmp_path):
    mynah_device.set({"recording.format": "wav", "recording.preRecordSeconds": 0})
    mynah_device.press("REC")
    mynah_device.expect(mode="dictaphone.recording", leds={"REC": "on"}, screen="recording", locked=False)
    mynah_device.wait_until(lambda: mynah_device.recorder()["seconds"] >= 0.5)
    mynah_device.press("STOP")
    saved = mynah_device.expect_event("onTakeSaved", stopReason="user")
    mynah_device.expect(mode="dictaphone.idle", takes=1)
    (take,) = mynah_device.takes()
    assert (take.id, take.frames) == (saved.data["id"], saved.data["frames"])
    samples = take.samples()
    assert (samples.frames, samples.rate, samples.channels) == (take.frames, take.rate, take.channels)
    assert samples.tone_db(440) == pytest.approx(-12, abs=0.5)
    assert samples.tone_db(700) < -50
    # Bit by bit what lies on the card.
    stored = (mynah_device.simulator.data / "recordings" / take.id).read_bytes()
    path = take.download(tmp_path)
    assert path == tmp_path / take.id and path.read_bytes() == stored == take.data()
    assert take.download(tmp_path / "mine.wav").read_bytes() == stored
    assert sorted(item.name for item in tmp_path.iterdir()) == sorted(["mine.wav", take.id])
    assert take.download_all(tmp_path) == [path]
    assert take.notes()["frames"] == take.frames
    digest = hashlib.sha256()
    sink = type("Sink", (), {"write": staticmethod(digest.update)})
    assert mynah_device.client.download(take.id, sink) == digest.hexdigest() == hashlib.sha256(stored).hexdigest()


def test_a_long_file_comes_while_another_take_is_recorded(mynah_device):
    mynah_device.set({"recording.format": "wav"})
    take = mynah_device.record(2)
    assert take.bytes > 4 * 45_000
    mynah_device.press("REC")
    mynah_device.expect("dictaphone.recording")
    data = take.data()
    assert data == (mynah_device.simulator.data / "recordings" / take.id).read_bytes()
    mynah_device.expect("dictaphone.recording")
    mynah_device.rest()
    assert len(mynah_device.takes()) == 2


def test_marks_pauses_and_what_else_is_told_of_a_take(mynah_device):
    mynah_device.press("REC")
    mynah_device.expect_event("onTakeStarted")
    mynah_device.client.recorder.mark(title="here")
    mynah_device.expect_event("onMark", number=1)
    mynah_device.press("REC")
    mynah_device.expect("dictaphone.paused")
    mynah_device.press("STOP")
    mynah_device.expect_event("onTakeSaved")
    (take,) = mynah_device.takes()
    assert [mark["title"] for mark in take.marks()] == ["here"]
    take.delete()
    assert mynah_device.takes() == []
    with pytest.raises(NotFound):
        mynah_device.take(take.id)


def test_the_list_of_takes_is_read_page_by_page(mynah_device):
    for _ in range(3):
        mynah_device.record(0.05)
    ids = [take.id for take in mynah_device.takes()]
    assert ids == sorted(ids, reverse=True) and len(ids) == 3
    assert [take.id for take in mynah_device.takes(limit=2)] == ids[:2]
    assert [take.id for take in mynah_device.takes(sort="oldest")] == ids[::-1]


def test_what_means_nothing_is_an_exception_with_the_reason(mynah_device):
    mynah_device.hold("LOCK", 0.1)
    mynah_device.expect(locked=True)
    with pytest.raises(PressIgnored, match="REC: .*lock"):
        mynah_device.press("REC")
    mynah_device.rest()
    mynah_device.expect(locked=False)


def test_expectations_that_fail_say_what_is_seen(mynah_device):
    with pytest.raises(ExpectationFailed, match="expected mode 'clips.buffering', it is 'dictaphone.idle'") as raised:
        mynah_device.expect(mode="clips.buffering", leds={"REC": "on"}, text="nowhere", notice="none", timeout=0.3)
    for part in ("LED REC 'on', it is 'off'", "text 'nowhere', there is", "notice 'none', it is ''"):
        assert part in str(raised.value)
    assert isinstance(raised.value, AssertionError)
    with pytest.raises(ExpectationFailed, match="no onMark with title='x'.*dictaphone.idle"):
        mynah_device.expect_event("onMark", 0.1, title="x")
    with pytest.raises(ExpectationFailed, match="after 0.1 s: it is not so"):
        mynah_device.wait_until(lambda: False, 0.1)
    with pytest.raises(ValueError, match="subscribe"):
        mynah_device.expect_event("onTelemetryUpdate")


def test_a_mode_that_is_passed_through_is_not_missed(mynah_device):
    mynah_device.press("REC")
    mynah_device.press("STOP")
    mynah_device.expect("dictaphone.idle")
    mynah_device.expect_event("onModeChanged", to="dictaphone.recording")
    mynah_device.expect_event("onModeChanged", to="dictaphone.saving")
    with pytest.raises(ExpectationFailed):
        mynah_device.expect_event("onModeChanged", 0.05, to="dictaphone.saving")


def test_settings_for_a_while(mynah_device):
    before = mynah_device.setting("recording.format")
    with mynah_device.settings({"recording.format": "flac"}):
        assert mynah_device.setting("recording.format") == "flac"
    assert mynah_device.setting("recording.format") == before
    with pytest.raises(BadArgument, match="recording.bitrateKbps"):
        mynah_device.set({"recording.bitrateKbps": 7})


def test_faults_are_made_and_told(mynah_device):
    mynah_device.fault("microphone unplug")
    mynah_device.expect_event("onDeviceLost", device="microphone")
    mynah_device.fault("microphone replug")
    mynah_device.expect_event("onDeviceReturned", device="microphone")


def test_the_screen_is_what_the_card_would_keep_of_it(mynah_device, tmp_path):
    screen = mynah_device.screen()
    assert (screen.width, screen.height) == (128, 64) and screen.lit > 200
    assert screen.name == "idle" and "Ready" in screen.texts
    assert screen.save(tmp_path / "screen.png").read_bytes() == screen.png
    image = pytest.importorskip("PIL.Image").open(tmp_path / "screen.png").convert("1")
    assert all(bool(image.getpixel((x, y))) == screen[x, y] for x in range(128) for y in range(64))


def test_clips_are_kept_and_fetched(mynah_simulator, tmp_path):
    device = mynah_simulator(microphone="tone:440", camera="bars")
    device.set({"clips.durationSeconds": 5, "clips.postRollSeconds": 1})
    device.client.panel.mode("clips")
    device.expect("clips.buffering", leds={"STATUS": "on"}, timeout=60)
    device.press("REC")
    completed = device.expect_event("onCaptureCompleted", 60)
    (clip,) = device.clips()
    assert clip.id == completed.data["id"]
    assert clip.download(tmp_path).read_bytes()[4:8] == b"ftyp"
    assert clip.receipt()["id"] == clip.id == clip.notes()["id"]
    clip.delete()
    assert device.clips() == []


def capture(device):
    device.client.panel.mode("clips")
    device.expect("clips.buffering", leds={"STATUS": "on"})
    device.press("REC")
    device.expect("clips.capturing")


def capture_on(device):
    device.client.panel.mode("clips")
    device.expect("clips.buffering", leds={"STATUS": "on"})
    device.client.clips.continuous()


@pytest.mark.mynah(camera="bars")
def test_it_comes_to_rest_from_wherever_it_is(mynah_device):
    device = mynah_device
    device.record(0.2)
    device.set({"clips.postRollSeconds": 2})
    places = {
        "recording": lambda: device.press("REC"),
        "paused": lambda: (device.press("REC"), device.press("REC")),
        "playing": lambda: device.press("CENTRE"),
        "paused playing": lambda: (device.press("CENTRE"), device.press("CENTRE")),
        "list of takes": lambda: device.press("DOWN"),
        "options": lambda: device.hold("CENTRE"),
        "guide": lambda: device.hold("UP"),
        "recording, locked": lambda: (device.press("REC"), device.press("LOCK")),
        "clips": lambda: device.client.panel.mode("clips"),
        "clip": lambda: capture(device),
        "clips on and on": lambda: capture_on(device),
        "list of clips": lambda: (device.client.panel.mode("clips"), device.press("DOWN")),
        "dub": lambda: device.client.panel.mode("dub"),
        "no microphone": lambda: device.fault("microphone unplug"),
    }
    for name, go in places.items():
        go()
        device.rest()
        state = device.state()
        assert (state["mode"], state["locked"]) == ("dictaphone.idle", False), name


def test_a_batch_has_answers_and_refusals_in_their_order(mynah_device):
    state, refusal, info = mynah_device.client.batch(
        [("panel.state", {}), ("no.such", {}), ("settings.get", ["ui.language"])]
    )
    assert state["mode"] == "dictaphone.idle" and info == {"ui.language": "en"}
    assert isinstance(refusal, RemoteError) and (refusal.code, refusal.number) == ("unsupported", -32601)


def test_several_streams_share_the_one_subscription(mynah_device):
    client = mynah_device.client
    with client.subscribe("onMark") as marks, client.subscribe() as everything:
        mynah_device.press("REC")
        mynah_device.expect_event("onTakeStarted")
        client.recorder.mark()
        assert marks.next(60).data["number"] == 1
        everything.wait("onTakeStarted", 60)
        with pytest.raises(NoEvent, match="no onGap within"):
            everything.wait("onGap", 0.05)
    client.recorder.mark()
    mynah_device.expect_event("onMark", number=2)
    with pytest.raises(ConnectionLost):
        marks.wait("onMark", 0.1, number=2)
    assert client.lost_events == 0


def test_many_threads_use_one_client(mynah_device):
    failures = []

    def work(number):
        try:
            for _ in range(50):
                assert mynah_device.client.settings.get("ui.language") == {"ui.language": "en"}
                assert "mode" in mynah_device.client.panel.state()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failures == []


def test_two_clients_have_a_console_each(mynah_device):
    with Client.connect(mynah_device.simulator.console) as second:
        with second.subscribe("onMark") as marks:
            mynah_device.press("REC")
            mynah_device.expect_event("onTakeStarted")
            mynah_device.client.recorder.mark()
            assert marks.next(60).seq == 1
        assert second.session.help("rec")["lines"]
    assert not second.is_open
    with pytest.raises(ConnectionLost):
        second.panel.state()


def test_the_log_is_followed(mynah_simulator):
    from mynah_client import LogLine, open_line

    device = mynah_simulator(camera="none")
    lines, heard = [], threading.Event()

    def take(line: LogLine):
        lines.append(line.data["text"])
        if "recording.format" in line.data["text"]:
            heard.set()

    with Client(open_line(device.simulator.console), on_log=take) as client:
        client.hello()
        client.log.follow()
        device.set({"recording.format": "wav"})
        assert heard.wait(60), lines


def test_what_breaks_off_leaves_no_half_file(mynah_device, tmp_path):
    with pytest.raises(NotFound):
        mynah_device.client.files.list("000009_none.wav")
    take = mynah_device.record(0.1)
    take.id = "000009_none.wav"
    with pytest.raises((NotFound, TransferError)):
        take.download(tmp_path / "x.wav")
    assert list(tmp_path.iterdir()) == []


def test_everything_it_raises_is_of_one_kind():
    import mynah_client

    for name in mynah_client.__all__:
        kind = getattr(mynah_client, name)
        if isinstance(kind, type) and issubclass(kind, Exception):
            assert issubclass(kind, MynahError)


def test_a_take_with_the_longest_name_is_downloaded(mynah_simulator, tmp_path):
    folder = tmp_path / "data" / "recordings"
    folder.mkdir(parents=True)
    name = "n" * 251 + ".wav"
    with wave.open(str(folder / name), "wb") as file:
        file.setparams((1, 2, 8000, 0, "NONE", ""))
        file.writeframes(bytes(16_000))
    device = mynah_simulator(data=tmp_path / "data", camera="none")
    device.wait_until(device.takes)
    (take,) = device.takes()
    assert take.download(tmp_path).read_bytes() == (folder / name).read_bytes()


def test_a_secret_that_could_not_be_put_back_is_not_changed_for_a_while(mynah_device):
    mynah_device.set({"lock.pin": "1234"})
    with pytest.raises(ValueError, match="lock.pin"):
        with mynah_device.settings({"lock.pin": "5678", "recording.format": "wav"}):
            pass
    assert mynah_device.setting("recording.format") == "aac"
