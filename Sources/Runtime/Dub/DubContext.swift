internal import Appliance
internal import Board
internal import Dubbing
internal import Glibc
internal import Hardware
internal import Panel

/// What the control lane keeps of dubbed playback: what the board names, how settings become the player's, and what
/// screens and consoles are shown. Control lane only.
final class DubContext {
  private let board: BoardDescription
  let worker: DubWorker
  let speech: SpeechLane
  let network: SwitchedNetwork?
  /// `nil` on a board that cannot show any.
  let pictures: PictureShow?
  /// Whether the governor leaves the OLED its pictures.
  var hasPreview = true

  init(
    board: BoardDescription, worker: DubWorker, speech: SpeechLane, network: SwitchedNetwork?, pictures: PictureShow?
  ) {
    self.board = board
    self.worker = worker
    self.speech = speech
    self.network = network
    self.pictures = pictures
  }

  /// Points of a preview: the larger place that the screens have for one.
  private static let previewSize = (width: 84, height: 48)

  /// Follows the setting of what the OLED shows of pictures.
  func showPictures(_ settings: Settings) {
    // Every other frame of the display may be a picture's: the bus has to carry levels and time beside it.
    let rate = max(1, min(15, board.display.refreshHz / 2))
    let hasDisplay = board.display.controller != .none && settings.dubPicture != .off && hasPreview
    pictures?.setPreview(
      hasDisplay
        ? PictureShow.PreviewWish(
          width: Self.previewSize.width, height: Self.previewSize.height,
          interval: .nanoseconds(1_000_000_000 / Int64(rate))) : nil)
  }

  /// `HDMI-A-1, 1920×1080 at 60 Hz`.
  static func text(_ mode: ScreenMode) -> String {
    "\(mode.connector), \(mode.width)×\(mode.height) at \((mode.millihertz + 500) / 1000) Hz"
  }

  /// The board's streams, then the settings'.
  func streams(_ settings: Settings) -> [DubSource] {
    let named = board.dub.sources.compactMap { word -> DubSource? in
      // A name in a board file may have blanks in it.
      guard let equals = word.firstIndex(of: "="), !word[..<equals].contains("/") else {
        return DubSource(id: word, name: DubSource.shortName(of: word), kind: .stream)
      }
      return DubSource(id: String(word[word.index(after: equals)...]), name: String(word[..<equals]), kind: .stream)
    }
    var seen = Set<String>()
    return (named + (DubSource.streams(in: settings.dubSources) ?? [])).filter { seen.insert($0.id).inserted }
  }

  /// The settings in the player's words.
  func settings(_ settings: Settings) -> Dubbing.DubSettings { Dubbing.DubSettings(settings, board: board) }

  /// What `dub.status` and `onDubbingStatus` say beyond what the machine knows.
  func figures(run: Int) -> DubFigures {
    DubFigures(
      run: run, player: worker.status, segmentLimit: board.dub.segments,
      pictures: pictures?.pictureCounters ?? PictureCounters(), screen: pictures?.screenMode.map(Self.text))
  }

  /// What the screens show.
  func fill(_ readings: inout Readings) {
    let status = worker.status
    let rate = 48_000.0
    var dub = DubReadings()
    dub.positionSeconds = Double(status.frame) / rate
    dub.durationSeconds = status.length.map { Double($0) / rate }
    dub.isLive = status.isLive
    dub.title = status.title
    dub.behindLiveSeconds = status.liveOffsetSeconds
    dub.bufferSeconds = status.bufferedSeconds
    dub.segments = status.bufferedSegments
    dub.segmentLimit = board.dub.segments
    dub.onTimePercent = status.utterances > 0 ? status.percentOnTime : nil
    readings.dub = dub
    fillPreview(&readings)
  }

  /// The picture of now, where there is one.
  func fillPreview(_ readings: inout Readings) {
    readings.dub.preview = pictures?.preview.flatMap {
      GreyPicture(width: $0.width, height: $0.height, luma: $0.luma)
    }
  }
}

extension Dubbing.DubSettings {
  /// The part of the settings, and of the board file, that the dub player follows.
  init(_ settings: Settings, board: BoardDescription) {
    self.init()
    mode = Mode(rawValue: settings.dubMix.rawValue) ?? .duck
    originalVolume = Gain.factor(decibels: settings.dubOriginalVolume)
    dubVolume = Gain.factor(decibels: settings.dubVolume)
    serviceURL = settings.dubService.isEmpty ? board.dub.service : settings.dubService
    serviceToken = settings.dubServiceToken
    dubsInLowPower = settings.dubLowPower != .drop
    segments = board.dub.segments
  }
}

/// Decibels and factors.
enum Gain {
  /// 10^(dB / 20).
  static func factor(decibels: Int) -> Double { pow(10, Double(decibels) / 20) }
}
