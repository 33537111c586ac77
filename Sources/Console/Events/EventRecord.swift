public import Hardware
public import JSON

/// What events are about. The raw values are a contract.
public enum EventTopic: String, Hashable, Sendable, CaseIterable {
  case onModeChanged
  case onTakeStarted
  case onTakeSaved
  case onMark
  case onGap
  case onDeviceLost
  case onDeviceReturned
  case onSourceChanged
  case onStorageLow
  case onLock
  case onBudget
  /// Something gives way because the board is under strain, or comes back.
  case onGovernorStep
  case onSchedule
  case onSettingChanged
  /// Another sound format is requested, granted or delivered.
  case onSessionChanged
  /// Something is said aloud.
  case onPrompt
  case onBufferReady
  case onCaptureStarted
  case onCaptureExtended
  case onCaptureCompleted
  case onSnapshotSaved
  /// How far a copy, or what is done to many takes, has got.
  case onLibraryProgress
  /// Something else is in the socket for a stick, or it may be pulled out.
  case onStick
  case onError
  case onTelemetryUpdate
  case onDubbingStatus
  case onFeedChanged
  /// The result of a script's `call`.
  case result
}

/// One event as a subscriber gets it.
public struct EventRecord: Hashable, Sendable {
  /// Counts the events of one stream (a console's subscription, or `--events`) from 1, without a hole.
  public var seq: Int
  /// When it happened.
  public var t: Instant
  public var topic: EventTopic
  /// Always an object.
  public var data: JSONValue
  /// Events that this subscriber was too slow to take, dropped just before this one.
  public var lost = 0

  /// `{"seq":1,"t":0.5,"topic":"onLock","data":{…}}`, the line of `--events`, without a line feed.
  ///
  /// `t` is written exactly, with one to nine decimals. `"lost":n` follows where events were dropped.
  public var line: String {
    let tail = lost > 0 ? ",\"lost\":\(lost)" : ""
    return "{\"seq\":\(seq),\"t\":\(Seconds.text(nanoseconds: t.nanoseconds)),\"topic\":\"\(topic.rawValue)\","
      + "\"data\":\(data.text)\(tail)}"
  }

  /// The event as a JSON-RPC notification, without a line feed.
  public var notification: String { "{\"jsonrpc\":\"2.0\",\"method\":\"event\",\"params\":\(line)}" }

  /// The event in a line for people.
  public var textForPeople: String {
    let members = data.objectValue ?? [:]
    let fields = members.keys.sorted().map { " \($0)=\(PeopleText.plain(members[$0] ?? .null))" }.joined()
    return "[\(PeopleText.fixed(t.seconds, 3))] \(topic.rawValue)\(fields)\(lost > 0 ? " (\(lost) lost before)" : "")"
  }
}

extension EventRecord: WireObject {
  public static let fields: [Field<EventRecord>] = [
    Field("seq", \.seq, "its number among all events of this run"),
    Field("t", \.t.seconds, "when it happened, in seconds of the device's clock"),
    Field("topic", \.topic.rawValue, "what it is about"),
    Field("data", \.data, "what is to be said of it"),
  ]
}
