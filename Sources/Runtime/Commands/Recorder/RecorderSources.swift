internal import Console

enum RecorderSources: DeviceTask {
  static let row = MethodRow(
    "recorder.sources", "lists the microphones that are there", .viewer,
    discussion: "recording.source says which is preferred: names, best first.")

  struct Answer: WireObject, Sendable {
    let sources: [String]
    let heard: String?
    static let fields: [Field<Self>] = [
      Field("sources", \.sources, "their names; the board's own is board"),
      Field("heard", ifAny: \.heard, "the one that is heard; absent while none is"),
    ]
  }

  /// Looking for them may take some ms, and is the media lane's.
  static func perform(_: NoParameters, in device: CommandContext, reply: @escaping Reply) {
    let answer = ControlLaneReply(device.inbox, reply)
    let heard = device.media.status.source
    device.media.post(.listSources { answer.send(.success(Answer(sources: $0, heard: heard))) })
  }
}
