"""The client for asyncio, at a simulated device."""

import asyncio

import pytest
from mynah_client import AsyncClient, ConnectionLost, NoAnswer, NoEvent, RemoteError

pytestmark = pytest.mark.mynah(microphone="tone:440", camera="none")


def run(main, device):
    async def connected():
        async with await AsyncClient.connect(device.simulator.console) as client:
            await asyncio.wait_for(main(client), 60)
        return client

    return asyncio.run(connected())


def test_calls_answers_and_refusals(mynah_device):
    async def main(client):
        assert (await client.panel.state())["mode"] == "dictaphone.idle"
        assert client.info["version"]
        with pytest.raises(RemoteError) as raised:
            await client.call("no.such")
        assert raised.value.code == "unsupported"
        answers = await asyncio.gather(*[client.settings.get("ui.language") for _ in range(100)])
        assert answers == [{"ui.language": "en"}] * 100
        state, refusal = await client.batch([("panel.state", {}), ("no.such", {})])
        assert state["mode"] and isinstance(refusal, RemoteError)

    client = run(main, mynah_device)
    assert not client.is_open


def test_events_files_and_streams(mynah_device):
    async def main(client):
        async with await client.subscribe("onTakeStarted", "onTakeSaved") as takes, await client.subscribe() as all:
            await client.panel.press("REC")
            started = await takes.wait("onTakeStarted", 5)
            await client.recorder.mark()
            await client.panel.press("STOP")
            saved = await takes.wait("onTakeSaved", 5, id=started.data["id"])
            assert (await all.wait("onMark", 5)).data["number"] == 1
            assert [event.topic for event in takes.pending()] == []
            with pytest.raises(NoEvent):
                await takes.wait("onGap", 0.05)
        data = await client.read_file(saved.data["id"])
        assert data == (mynah_device.simulator.data / saved.data["path"]).read_bytes()
        assert client.lost_events == 0

    run(main, mynah_device)


def test_a_stream_is_iterated_until_the_device_ends(mynah_device):
    async def main(client):
        stream = await client.subscribe("onTakeStarted")
        await client.recorder.start()
        topics = []
        async for event in stream:
            topics.append(event.topic)
            mynah_device.simulator.kill()
        assert topics == ["onTakeStarted"]
        with pytest.raises(ConnectionLost):
            await client.panel.state()

    run(main, mynah_device)


def test_a_device_that_does_not_answer_is_given_up(mynah_device):
    async def main(client):
        with pytest.raises(NoAnswer, match="panel.press"):
            await client.panel.press("REC", ms=3000, timeout=0.05)
        # What comes later is nobody's answer.
        assert (await client.panel.state())["mode"]

    run(main, mynah_device)


def test_lines_that_asyncio_cannot_wait_for_are_refused():
    pytest.importorskip("serial")

    async def main():
        with pytest.raises(ConnectionLost, match="sockets and ttys only"):
            await AsyncClient.connect("loop://")

    asyncio.run(main())
