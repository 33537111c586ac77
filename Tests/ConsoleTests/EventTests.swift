import Appliance
import Hardware
import JSON
import Testing

@testable import Console

@Suite struct EventTests {
  @Test func theLineHasTheContractsForm() {
    let record = EventRecord(
      seq: 3, t: Instant(nanoseconds: 12_345_678_900), topic: .onMark, data: ["id": "a.m4a", "frame": 4800])
    #expect(record.line == #"{"seq":3,"t":12.3456789,"topic":"onMark","data":{"frame":4800,"id":"a.m4a"}}"#)
    #expect(record.notification == #"{"jsonrpc":"2.0","method":"event","params":"# + record.line + "}")
  }

  @Test(
    arguments: [
      (0, "0.0"), (1, "0.000000001"), (500_000_000, "0.5"), (3_000_000_000, "3.0"), (Int64.max, "9223372036.854775807"),
      (-1_500_000_000, "-1.5"),
    ] as [(Int64, String)])
  func timesAreExact(nanoseconds: Int64, text: String) throws {
    let record = EventRecord(seq: 1, t: Instant(nanoseconds: nanoseconds), topic: .onLock, data: [:])
    #expect(record.line.contains("\"t\":\(text),"))
    _ = try JSONValue(parsing: record.line)
  }

  @Test func everyAnnouncementHasItsTopicAndFields() {
    let take = TakeReference(id: "000001_a.wav", displayName: "A", frames: 48_000, sampleRate: 48_000)
    let table: [(Announcement, EventTopic, JSONValue)] = [
      (.modeChanged(from: "a", to: "b"), .onModeChanged, ["from": "a", "to": "b"]),
      (
        .takeStarted(take, preRecordedFrames: 7), .onTakeStarted,
        [
          "id": "000001_a.wav", "name": "A", "path": "recordings/000001_a.wav", "sampleRate": 48_000,
          "preRecordedFrames": 7,
        ]
      ),
      (
        .takeSaved(take, .storageFull), .onTakeSaved,
        [
          "id": "000001_a.wav", "name": "A", "path": "recordings/000001_a.wav", "sampleRate": 48_000, "frames": 48_000,
          "stopReason": "storage-full",
        ]
      ),
      (.mark(takeID: "x", frame: 5), .onMark, ["id": "x", "frame": 5]),
      (.gap(frame: 1, frames: 2, reason: "overrun"), .onGap, ["frame": 1, "frames": 2, "reason": "overrun"]),
      (.deviceLost(.microphone, text: "t"), .onDeviceLost, ["device": "microphone", "message": "t"]),
      (.deviceReturned(.microphone, text: "t"), .onDeviceReturned, ["device": "microphone", "message": "t"]),
      (
        .sourceChanged(to: "a", from: "b", .lost), .onSourceChanged,
        ["source": "a", "before": "b", "reason": "lost"]
      ),
      (.storage(.low), .onStorageLow, ["level": "low"]),
      (.lock(true), .onLock, ["locked": true]),
      (.error(code: "storage-full", text: "t"), .onError, ["code": "storage-full", "message": "t"]),
      (.settingChanged(key: "ui.voice", value: .flag(true)), .onSettingChanged, ["key": "ui.voice", "value": true]),
    ]
    for (announcement, topic, data) in table {
      let event = announcement.event()
      #expect(event.topic == topic)
      #expect(event.data == data)
    }
    let saved = Announcement.takeSaved(take, .user).event(adding: ["path": "/data/x", "loudness": -23])
    #expect(saved.data["path"] == "/data/x")
    #expect(saved.data["loudness"] == -23)
  }

  @Test func `An event is not told to have been before the one before it`() {
    let hub = EventHub()
    var times: [Instant] = []
    _ = hub.attach { times.append($0.t) }
    // A command was read while a step, which had begun earlier, was still to come.
    for milliseconds in [10, 12, 11, 12, 13] {
      hub.publish(.onMark, [:], at: .zero + .milliseconds(milliseconds))
    }
    #expect(times == [10, 12, 12, 12, 13].map { .zero + .milliseconds($0) })
  }

  @Test func theHubNumbersEverythingWithoutAHole() {
    let hub = EventHub()
    var first: [Int] = []
    var second: [Int] = []
    let listener = hub.attach { first.append($0.seq) }
    hub.publish(.onLock, ["locked": true], at: .zero)
    _ = hub.attach { second.append($0.seq) }
    hub.publish(.onLock, ["locked": false], at: .zero)
    hub.detach(listener)
    hub.publish(.onMark, [:], at: .zero)
    #expect(first == [1, 2])
    #expect(second == [2, 3])
    #expect(hub.count == 3)
  }

  @Test func whatAListenerPublishesFollowsForAllInTheSameOrder() {
    let hub = EventHub()
    var seen: [[Int]] = [[], []]
    _ = hub.attach { event in
      seen[0].append(event.seq)
      if event.topic == .onLock { hub.publish(.onMark, [:], at: .zero) }
    }
    _ = hub.attach { seen[1].append($0.seq) }
    hub.publish(.onLock, [:], at: .zero)
    #expect(seen == [[1, 2], [1, 2]])
  }

  @Test func eachConsoleCountsItsOwnEvents() throws {
    let bench = Bench()
    let hub = EventHub()
    _ = hub.attach { bench.deliver($0) }
    hub.publish(.onLock, [:], at: .zero)
    let answer = try bench.ask(
      #"{"jsonrpc":"2.0","id":1,"method":"events.subscribe","params":{"topics":["onMark","result"]}}"#)
    #expect(answer["result"] == ["topics": ["onMark", "result"], "seq": 1])
    for topic in [EventTopic.onLock, .onMark, .onError, .result] { hub.publish(topic, ["x": 1], at: .zero) }
    #expect(
      bench.take() == """
        {"jsonrpc":"2.0","method":"event","params":{"seq":1,"t":0.0,"topic":"onMark","data":{"x":1}}}
        {"jsonrpc":"2.0","method":"event","params":{"seq":2,"t":0.0,"topic":"result","data":{"x":1}}}

        """)
    let again = try bench.ask(#"{"jsonrpc":"2.0","id":2,"method":"events.subscribe"}"#)
    #expect(again["result"]?["seq"] == 3)
    #expect(again["result"]?["topics"]?.arrayValue?.count == EventTopic.allCases.count)
    // Programs that drive the device write it so: who heard all events by it must not hear none.
    let empty = try bench.ask(#"{"jsonrpc":"2.0","id":5,"method":"events.subscribe","params":{"topics":[]}}"#)
    #expect(empty["result"] == again["result"])
    _ = try bench.ask(#"{"jsonrpc":"2.0","id":3,"method":"events.unsubscribe"}"#)
    hub.publish(.onMark, [:], at: .zero)
    #expect(bench.take() == "")
    let wrong = try bench.ask(
      #"{"jsonrpc":"2.0","id":4,"method":"events.subscribe","params":{"topics":["onNothing"]}}"#)
    #expect(wrong["error"]?["data"]?["code"] == "bad-argument")
  }

  @Test func aSlowConsoleLosesTheOldestEventsAndIsTold() throws {
    let bench = Bench()
    _ = try bench.ask(#"{"jsonrpc":"2.0","id":1,"method":"events.subscribe"}"#)
    bench.room = 0
    for index in 0..<1000 {
      bench.deliver(EventRecord(seq: index, t: .zero, topic: .onMark, data: ["n": .integer(index)]))
    }
    #expect(bench.take() == "")
    bench.room = .max
    bench.pump()
    let events = try bench.take().split(separator: "\n").map { try JSONValue(parsing: $0)["params"] ?? .null }
    #expect(events.count == 256)
    #expect(events.first == ["seq": 1, "t": 0.0, "topic": "onMark", "data": ["n": 744], "lost": 744])
    #expect(events.map { $0["seq"]?.integerValue } == Array(1...256))
    #expect(events.dropFirst().allSatisfy { $0["lost"] == nil })
  }

  @Test func peopleSeeEventsAboveThePrompt() {
    let bench = Bench()
    bench.start()
    bench.type("events onLock\rmar")
    bench.deliver(EventRecord(seq: 9, t: Instant(nanoseconds: 1_234_567_890), topic: .onLock, data: ["locked": true]))
    bench.type("k\revents off\r")
    bench.deliver(EventRecord(seq: 10, t: .zero, topic: .onLock, data: ["locked": false]))
    #expect(
      bench.screen() == [
        "mynah> events onLock", "[1.235] onLock locked=yes", "mynah> mark", "ok", "mynah> events off", "mynah>",
      ])
  }

  @Test func theLogKeepsTheLatestLines() {
    var log = Log(capacity: 3, threshold: .info)
    for index in 0..<5 {
      log.append(LogLine(at: Instant(nanoseconds: Int64(index) * 1_000_000_000), .info, "a", "line \(index)"))
    }
    log.append(LogLine(at: .zero, .debug, "a", "no"))
    log.append(LogLine(at: .zero, .error, "b", "bad\u{1B}[2J"))
    #expect(log.tail(10).map(\.text) == ["line 3", "line 4", "bad?[2J"])
    #expect(log.tail(10, least: .warning).map(\.text) == ["bad?[2J"])
    #expect(log.tail(1).count == 1)
    #expect(log.tail(-1).isEmpty)
    #expect(log.lost == 3)
    #expect(log.tail(3).first?.line == "     3.000 info    a: line 3")
    #expect(log.tail(1).map(\.json) == [["t": 0.0, "level": "error", "subsystem": "b", "text": "bad?[2J"]])
    let wall = WallTime(nanosecondsSince1970: 1_795_211_640_000_000_000)
    let stamped = LogLine(at: Instant(nanoseconds: 12_345_000_000), wall: wall, .info, "dub", "a: b  c")
    #expect(stamped.stampedLine == "2026-11-20T21:54:00Z     12.345 info    dub: a: b  c")
    #expect(LogLine(stamped: stamped.stampedLine) == stamped)
    for line in ["", "x", "2026-11-20T21:54:00Z 1 info a", "2026-11-20T21:54:00Z 1e300 info a: b"] {
      #expect(LogLine(stamped: line) == nil, "\(line)")
    }
    log.precede([stamped])
    #expect(log.tail(9).count == 3, "there is no room for what came before")
    #expect(LogLine(at: .zero, .info, "a", String(repeating: "ж", count: 5000)).text.utf8.count <= LogLine.limit)
  }
}
