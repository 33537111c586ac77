"""Who gets which answer and which event."""

import json
from concurrent.futures import Future

import pytest
from mynah_client import errors, wire
from mynah_client.conversation import Conversation, Event, Listener


def line(document):
    return json.dumps({"jsonrpc": "2.0", **document}).encode() + b"\n"


def event(seq, topic="onLock", **more):
    return line({"method": "event", "params": {"seq": seq, "t": 1.5, "topic": topic, "data": {"n": seq}, **more}})


def listening(conversation, *topics):
    heard = []
    conversation.add(Listener(topics or None, heard.append))
    return heard


def test_answers_find_their_requests_in_any_order():
    conversation = Conversation(Future)
    (first, one, sent), (second, two, _) = conversation.call("panel.state"), conversation.call("system.info", {})
    assert json.loads(sent) == {"jsonrpc": "2.0", "id": first, "method": "panel.state"}
    conversation.receive(line({"id": second, "result": 2}) + line({"id": first, "result": 1}))
    assert (one.result(0), two.result(0)) == (1, 2)


def test_answers_of_somebody_before_are_nobodys():
    conversation = Conversation(Future)
    id, reply, _ = conversation.call("panel.state")
    for other in ("1", 1, None, [], {}, "0000-1"):
        conversation.receive(line({"id": other, "result": "not ours"}))
    assert not reply.done()
    conversation.forget(id)
    conversation.receive(line({"id": id, "result": "late"}))
    assert not reply.done()


@pytest.mark.parametrize("code,kind", errors.BY_CODE.items())
def test_refusals_are_exceptions_with_code_and_message(code, kind):
    conversation = Conversation(Future)
    id, reply, _ = conversation.call("recorder.start")
    conversation.receive(line({"id": id, "error": {"code": -32000, "message": "no", "data": {"code": code}}}))
    with pytest.raises(kind, match="recorder.start: no") as raised:
        reply.result(0)
    assert (raised.value.code, raised.value.message, raised.value.number) == (code, "no", -32000)


@pytest.mark.parametrize("error", [7, "no", [], {}, {"data": 1}, {"data": {"code": "newer"}}, {"code": "x"}])
def test_refusals_of_any_form_are_errors(error):
    assert isinstance(errors.remote_error(error, "a.b"), errors.RemoteError)


def test_a_closed_line_is_told_to_who_waits_and_to_who_asks():
    conversation = Conversation(Future)
    _, reply, _ = conversation.call("panel.state")
    conversation.ended()
    for reply in (reply, conversation.call("panel.state")[1]):
        with pytest.raises(errors.ConnectionLost):
            reply.result(0)


def test_a_batch_is_one_line_with_an_id_for_each():
    conversation = Conversation(Future)
    replies, data = conversation.batch([("panel.state", None), ("nothing.here", {"a": 1})])
    assert [item["method"] for item in json.loads(data)] == ["panel.state", "nothing.here"]
    results = [{"jsonrpc": "2.0", "id": replies[0][0], "result": 1}]
    results += [{"jsonrpc": "2.0", "id": replies[1][0], "error": {"code": -32601, "message": "?"}}]
    conversation.receive(json.dumps(results).encode() + b"\n")
    assert replies[0][1].result(0) == 1
    with pytest.raises(errors.RemoteError):
        replies[1][1].result(0)


def test_events_go_to_those_who_want_them():
    conversation = Conversation(Future)
    everything, locks, marks = (listening(conversation, *topics) for topics in ((), ("onLock",), ("onMark", "onGap")))
    conversation.receive(event(1) + event(2, "onMark"))
    assert [one.topic for one in everything] == ["onLock", "onMark"]
    assert locks == [Event("onLock", {"n": 1}, 1.5, 1)]
    assert [one.seq for one in marks] == [2]
    assert conversation.topics is None


def test_events_that_did_not_get_here_are_counted():
    conversation = Conversation(Future)
    heard = listening(conversation)
    id, _, _ = conversation.call("events.subscribe")
    conversation.receive(line({"id": id, "result": {"seq": 1, "topics": []}}))
    # The line damaged the third; the device dropped two before the fifth.
    conversation.receive(event(1) + event(2) + b"{damaged\n" + event(4) + event(5, lost=2))
    assert [one.lost for one in heard] == [0, 0, 1, 2]
    assert conversation.lost == 3
    id, _, _ = conversation.call("events.subscribe")
    conversation.receive(line({"id": id, "result": {"seq": 1}}) + event(1))
    assert heard[-1].lost == 0


@pytest.mark.parametrize(
    "params",
    [None, [], 7, {}, {"topic": 1}, {"topic": "x", "data": [], "seq": 1}, {"topic": "x", "data": {}, "seq": "1"}],
)
def test_events_of_another_form_are_noise(params):
    conversation = Conversation(Future)
    heard = listening(conversation)
    conversation.receive(line({"method": "event", "params": params}) + line({"method": "news", "params": params}))
    assert heard == []


def test_what_was_heard_instead_of_an_answer_is_told():
    conversation = Conversation(Future)
    assert "nothing was heard" in conversation.remarks()
    conversation.receive(b"login: \r\nPassword: ")
    conversation.receive(b"")
    assert "login:" in conversation.remarks() and "Password:" in conversation.remarks()


def test_the_greeting_ends_what_others_have_begun():
    conversation = Conversation(Future)
    id, reply, data = conversation.hello(insistent=True)
    assert data.startswith(wire.CANCEL_TRANSFER + wire.INTERRUPT)
    again, same, _ = conversation.hello()
    assert (again, same) == (id, reply)
    conversation.receive(line({"id": id, "result": {"version": "1"}}))
    assert reply.result(0) == {"version": "1"}
