internal import Appliance
public import Console
internal import Dictaphone
internal import Hardware
public import Sound

enum RecorderStatus: DeviceMethod {
  static let row = MethodRow("recorder.status", "tells what the recorder does", .viewer)

  struct Answer: WireObject {
    var activity: String
    var isArmed = false
    var id: String?
    var name: String?
    var frames = 0
    var sampleRate = 0
    var channels = 0
    var format: String
    var preRecordedSeconds = 0.0
    var isWaiting = false
    var gain = 0
    var source: String?
    var secondsLeft: Double?
    var gaps = 0
    var xruns = 0
    var queuedBytes = 0

    var seconds: Double { Double(frames) / Double(max(1, sampleRate)) }

    static let fields: [Field<Self>] = [
      Field("activity", \.activity, "what the dictaphone is doing"),
      Field("armed", \.isArmed, "whether sound before the next press is being kept"),
      Field("waiting", \.isWaiting, "whether the open take waits for a voice"),
      Field("id", ifAny: \.id, "the take that is open: its file name"),
      Field("name", ifAny: \.name, "the name of it that people see"),
      Field("seconds", \.seconds, "its length so far"), Field("frames", \.frames, "the same in frames"),
      Field("sampleRate", \.sampleRate, "Hz"), Field("channels", \.channels, "how many"),
      Field("format", \.format, "what the next take is written as"),
      Field("preRecordedSeconds", \.preRecordedSeconds, "what a press would have before it now"),
      Field("gainDb", \.gain, "input gain of the open or the next take; levels are after it"),
      Field("source", ifAny: \.source, "the microphone that is heard, by its name in recording.source"),
      Field("secondsLeft", ifAny: \.secondsLeft, "what the storage has room for; absent while it is not known"),
      Field("gaps", \.gaps, "gaps of the take that is open, or else of the last one; silence stands for them"),
      Field("xruns", \.xruns, "times that the microphone's buffer ran over"),
      Field("queuedBytes", \.queuedBytes, "what waits for the storage"),
    ]
  }

  static func answer(_: NoParameters, in device: CommandContext) throws(CommandFailure) -> Answer {
    let state = device.state
    let status = device.media.status
    var answer = Answer(activity: state.activity.rawValue, format: state.settings.recordingFormat.rawValue)
    answer.isArmed = state.isArmed
    answer.isWaiting = state.openTake != nil && state.dictaphone.recording.isWaiting
    if let take = state.openTake, !take.id.isEmpty {
      answer.id = take.id
      answer.name = take.displayName
    }
    answer.frames = device.gatherer.take(state, status)?.frames ?? 0
    answer.sampleRate = status.format.sampleRate
    answer.channels = status.format.channels
    answer.preRecordedSeconds = min(status.heldSeconds, Double(state.settings.preRecordSeconds))
    answer.gain = state.settings.inputGain
    answer.source = status.source
    let takesNone = state.health.storageTrouble(in: .dictaphone) == .refusing
    answer.secondsLeft = device.storage.status.freeBytes.map { free in
      takesNone ? 0 : Double(free / max(1, device.gatherer.cost(state, status).bytesUsedPerSecond))
    }
    answer.gaps = state.dictaphone.recording.gaps
    answer.xruns = status.microphone.xruns
    answer.queuedBytes = status.queuedBytes
    return answer
  }
}

enum RecorderMeters: DeviceMethod {
  static let row = MethodRow("recorder.meters", "reads the level meters", .viewer)

  struct Answer: WireObject {
    let channels: [ChannelLevel]
    static let fields: [Field<Self>] = [
      Field("channels", \.channels, "left first; in decibels below full scale, silence reads -120")
    ]
  }

  static func answer(_: NoParameters, in device: CommandContext) throws(CommandFailure) -> Answer {
    Answer(channels: device.media.status.levels)
  }
}

extension ChannelLevel: WireObject {
  public static let fields: [Field<ChannelLevel>] = [
    Field("averageDecibels", { max(-120, $0.rmsDB) }, "average over 400 ms"),
    Field("peakDecibels", { max(-120, $0.peakDB) }, "highest sample since the last reading"),
    Field("holdDecibels", { max(-120, $0.holdDB) }, "peak, held for 1.5 s"),
    Field("clips", \.clips, "times that full scale was reached"),
  ]
}
