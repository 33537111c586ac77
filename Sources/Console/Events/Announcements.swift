public import Appliance
internal import Hardware
public import JSON

extension Announcement {
  /// The event that tells the world of this: the one table from the machine's words to the contract's.
  ///
  /// - Parameter extra: what only the runtime knows, such as the receipt of a take; wins over the machine's fields.
  public func event(adding extra: [String: JSONValue] = [:]) -> (topic: EventTopic, data: JSONValue) {
    let (topic, fields) = described
    return (topic, .object(fields.merging(extra) { _, added in added }))
  }

  private var described: (EventTopic, [String: JSONValue]) {
    switch self {
    case .modeChanged(let from, let to): (.onModeChanged, ["from": .string(from), "to": .string(to)])
    case .takeStarted(let take, let frames):
      (.onTakeStarted, Self.fields(of: take).merging(["preRecordedFrames": .integer(frames)]) { $1 })
    case .takeSaved(let take, let reason):
      (
        .onTakeSaved,
        Self.fields(of: take).merging(["frames": .integer(take.frames), "stopReason": .string(reason.rawValue)]) { $1 }
      )
    case .mark(let id, let frame, let number, let title):
      (
        .onMark,
        [
          "id": .string(id), "frame": .integer(frame), "number": number.map(JSONValue.integer),
          "title": title.map(JSONValue.string),
        ].compactMapValues { $0 }
      )
    case .gap(let frame, let frames, let reason):
      (.onGap, ["frame": .integer(frame), "frames": .integer(frames), "reason": .string(reason)])
    case .deviceLost(let device, let text):
      (.onDeviceLost, ["device": .string(device.rawValue), "message": .string(text)])
    case .deviceReturned(let device, let text):
      (.onDeviceReturned, ["device": .string(device.rawValue), "message": .string(text)])
    case .sourceChanged(let name, let before, let reason):
      (
        .onSourceChanged,
        ["source": .string(name), "before": .string(before), "reason": .string(reason.rawValue)]
      )
    case .storage(let level): (.onStorageLow, ["level": .string(level.rawValue)])
    case .lock(let isLocked): (.onLock, ["locked": .bool(isLocked)])
    case .error(let code, let text): (.onError, ["code": .string(code), "message": .string(text)])
    case .bufferReady(let seconds): (.onBufferReady, ["bufferSeconds": .number(seconds)])
    case .captureStarted(let number, let source, let at, let ends):
      (.onCaptureStarted, Self.capture(number, source, at, ends))
    case .captureExtended(let number, let source, let at, let ends):
      (.onCaptureExtended, Self.capture(number, source, at, ends))
    case .captureCompleted(let number, let clip):
      (
        .onCaptureCompleted,
        [
          "clip": .integer(number), "id": .string(clip.id), "path": .string("clips/\(clip.id)"),
          "filePath": .string("clips/\(clip.id)"), "duration": .number(clip.seconds),
        ]
      )
    case .snapshotSaved(let path): (.onSnapshotSaved, ["path": .string(path), "filePath": .string(path)])
    case .dubbing(let status): (.onDubbingStatus, status.json.objectValue ?? [:])
    case .feed(let status): (.onFeedChanged, status.json.objectValue ?? [:])
    case .settingChanged(let key, let value): (.onSettingChanged, ["key": .string(key), "value": value.json])
    }
  }

  /// Times are of the monotonic clock, in seconds.
  private static func capture(
    _ number: Int, _ source: TriggerSource, _ at: Instant, _ ends: Instant
  ) -> [String: JSONValue] {
    [
      "clip": .integer(number), "trigger": .string(source.rawValue), "triggerTime": .number(at.seconds),
      "endTime": ends == .distantFuture ? .null : .number(ends.seconds),
    ]
  }

  /// `path` is relative to the data directory.
  private static func fields(of take: TakeReference) -> [String: JSONValue] {
    [
      "id": .string(take.id), "name": .string(take.displayName), "path": .string("recordings/\(take.id)"),
      "sampleRate": .integer(take.sampleRate),
    ]
  }
}

extension DubbingStatus: WireObject {
  /// What the machine knows of dubbed playback; figures are added by whoever has them.
  public static let fields: [Field<DubbingStatus>] = [
    Field("state", \.stateName, "idle, buffering, playing or paused"),
    Field("dubbing", \.isOn, "whether the dub is wanted"), Field("language", \.language, "its language"),
    Field(
      "rung", \.rung.rawValue, "where what is heard comes from: service, rendition, sidecar, synthesised, original"),
    Field("link", { $0.isLinkLost ? "lost" : "up" }, "up or lost"),
    Field("reason", \.reason, "why it is so; empty if there is nothing to explain"),
    Field("source", ifAny: \.source?.publicID, "what plays"), Field("name", ifAny: \.source?.name, "its name"),
    Field("kind", ifAny: \.source?.kind.rawValue, "what it is"),
  ]

  private var stateName: String { activity != .idle && isPaused ? "paused" : activity.rawValue }
}

extension FeedStatus: WireObject {
  public static let fields: [Field<FeedStatus>] = [
    Field("state", \.stateName, "idle, loading, empty, buffering, playing, paused or failed"),
    Field("source", \.publicSource, "address of the feed; empty: clips and takes"),
    Field(
      "index", { status -> Int? in status.place > 0 ? status.place - 1 : nil },
      "place of the item from 0; null where it is not known"),
    Field("item", ifAny: \.item?.id, "what the feed knows the item by"),
    Field("title", ifAny: \.item?.title, "its title"), Field("kind", ifAny: \.item?.kind.rawValue, "what it is"),
    Field(
      "rung", \.rung.rawValue, "where what is heard comes from: service, rendition, sidecar, synthesised, original"),
    Field("muted", \.isMuted, "whether it plays without being heard"),
    Field("favourite", \.isFavourite, "whether somebody likes it"),
    Field("offline", \.isOffline, "whether these are the items that were kept"),
    Field("code", ifAny: \.fault?.code, "why it cannot be had"),
    Field("reason", ifAny: \.fault?.text, "the same in a sentence"),
  ]

  private var stateName: String {
    isPaused && (activity == .playing || activity == .buffering) ? "paused" : activity.rawValue
  }

  private var publicSource: String { DubSource(id: source, name: "", kind: .stream).publicID }
}

extension SettingValue: WireValue {
  public static var schema: Schema { .scalar }

  /// The value as JSON.
  public var json: JSONValue {
    switch self {
    case .integer(let value): .integer(value)
    case .number(let value): .number(value)
    case .text(let value): .string(value)
    case .flag(let value): .bool(value)
    }
  }

  /// The value of a JSON scalar; `nil` for null, arrays and objects.
  public init?(_ json: JSONValue) {
    switch json {
    case .integer(let value): self = .integer(value)
    case .number(let value): self = .number(value)
    case .string(let value): self = .text(value)
    case .bool(let value): self = .flag(value)
    case .null, .array, .object: return nil
    }
  }
}
