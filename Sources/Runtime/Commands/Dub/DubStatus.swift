internal import Appliance
public import Console
public import Dubbing
internal import Hardware

enum DubNow: DeviceMethod {
  static let row = MethodRow(
    "dub.status", "tells what is heard, from where, and how healthy it is", .viewer,
    discussion: "onDubbingStatus carries the same with every change, and every five seconds while something plays.")

  struct Answer: WireObject {
    let status: DubbingStatus
    let figures: DubFigures
    static let fields: [Field<Self>] =
      DubbingStatus.fields.map { $0.of(\.status) } + DubFigures.fields.map { $0.of(\.figures) }
  }

  static func answer(_: NoParameters, in device: CommandContext) throws(CommandFailure) -> Answer {
    let state = device.state
    return Answer(status: state.dubbingStatus, figures: try device.dubbing.figures(run: state.dub.run))
  }
}

/// A count for each rung of the ladder.
struct RungCounts: WireObject {
  let counts: [DubRung: Int]

  static let fields: [Field<Self>] = DubRung.allCases.map { rung in
    Field(HeardRung(rung).rawValue, { $0.counts[rung] ?? 0 }, "by this rung")
  }
}

extension ServiceFaults: WireObject {
  public static let fields: [Field<ServiceFaults>] = [
    Field("lost", \.lost, "times that it was lost, or was not there at first"),
    Field("late", \.late, "answers that did not come in time"),
    Field("refused", \.refused, "utterances that it would not dub"),
    Field("malformed", \.malformed, "messages that do not keep to the protocol, or cannot be decoded"),
  ]
}

/// What the player knows of dubbed playback: the figures of `dub.status` and `onDubbingStatus`.
struct DubFigures: WireObject {
  let run: Int
  let player: Dubbing.DubStatus
  let segmentLimit: Int
  let pictures: PictureCounters
  /// `HDMI-A-1, 1920×1080 at 60 Hz`.
  let screen: String?

  private static let rate = 48_000.0

  /// To the thousandth: people read them, too.
  private static func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }

  static let fields: [Field<Self>] = playing + health + shown

  private static let playing: [Field<Self>] = [
    Field("run", \.run, "counts what was started"), Field("live", \.player.isLive, "whether it is a live stream"),
    Field("positionSeconds", { rounded(Double($0.player.frame) / rate) }, "where it is"),
    Field(
      "lengthSeconds", { $0.player.length.map { rounded(Double($0) / rate) } },
      "how long it is; null if that is not known"
    ),
    Field("behindLiveSeconds", { $0.player.liveOffsetSeconds.map(rounded) }, "behind the live edge; null if not live"),
    Field("bufferSeconds", { rounded($0.player.bufferedSeconds) }, "what is ready to be heard"),
    Field("segments", \.player.bufferedSegments, "segments that are held"),
    Field("segmentLimit", \.segmentLimit, "how many may be"),
    Field("caption", \.player.caption, "the subtitle of now"),
    Field("title", \.player.title, "what a station says that it plays"),
  ]

  private static let health: [Field<Self>] = [
    Field("utterances", \.player.utterances, "utterances so far"),
    Field("onTime", \.player.utterancesOnTime, "those whose best wanted dub was ready in time"),
    Field(
      "onTimePercent", { $0.player.utterances > 0 ? rounded($0.player.percentOnTime) : nil },
      "the same in percent; null before the first"),
    Field("played", { RungCounts(counts: $0.player.played) }, "utterances that each rung played"),
    Field("late", { RungCounts(counts: $0.player.late) }, "those for which a rung was wanted and not ready"),
    Field("fallbacks", \.player.fallbacks, "times that a lower rung had to do"),
    Field("longestGapMs", { rounded($0.player.longestGapMilliseconds) }, "longest silence of the speaker's making"),
    Field("lostSeconds", { rounded($0.player.lostSeconds) }, "sound of the stream that did not come, or was damaged"),
    Field("startMs", \.player.startMilliseconds, "from the order to the first sound; null before it"),
    Field("driftMs", { rounded($0.player.driftMilliseconds) }, "dub against original"),
    Field("speakerPPM", { rounded($0.player.speakerPPM) }, "how far the speaker's clock is off"),
    Field("service", \.player.serviceConnected, "whether the dubbing service is there; null without one"),
    Field("serviceFaults", \.player.serviceFaults, "what went wrong with it"),
    Field("lowPower", \.player.isLowPower, "whether power is being saved"),
    Field("bandwidth", \.player.measuredBandwidth, "bits per second, as measured"),
    Field("variantBandwidth", \.player.variantBandwidth, "bits per second that what plays needs"),
  ]

  private static let shown: [Field<Self>] = [
    Field("screen", \.screen, "the screen for pictures; null if there is none"),
    Field("picturesShown", \.pictures.shown, "pictures that were seen"),
    Field("picturesDropped", \.pictures.dropped, "left out to keep up, or for want of memory"),
    Field("picturesLate", \.pictures.late, "seen too late"),
    Field("picturesDamaged", \.pictures.damaged, "could not be decoded"),
  ]
}
