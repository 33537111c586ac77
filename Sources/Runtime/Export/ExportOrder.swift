internal import Appliance
internal import Console
internal import Hardware
internal import Library
internal import Media

/// What somebody wants to have on the stick, and who is told of it.
struct ExportOrder: Sendable {
  /// Names of takes and clips, or their numbers; `nil`: all.
  let ids: [String]?
  let withSafety: Bool
  /// `nil`: as they are.
  let format: ConvertedFormat?
  let words: ExportWords
  /// A key has asked for it: what goes wrong is shown.
  let isFromPanel: Bool
  /// Whether whoever has ordered it has cancelled it. Any thread.
  let isStopped: @Sendable () -> Bool
  /// Bytes that are there, of so many.
  let onProgress: @Sendable (_ done: Int, _ total: Int) -> Void
  let onEnd: @Sendable (ExportEnd) -> Void
}

/// What has come of an order.
struct ExportEnd: Sendable {
  /// Takes and clips that are on the stick; also of an order that has failed.
  var outcome = ExportOutcome()
  var isCancelled = false
  /// The stick has been let go of, and may be pulled out.
  var isSafe = false
  var failure: ExportFailure?
}

/// An export for those who look at it from time to time.
struct ExportStatus: Sendable {
  enum Phase: String, Sendable, CaseIterable {
    case none, waiting, mounting, copying, releasing, done, cancelled, failed

    var isBusy: Bool {
      switch self {
      case .waiting, .mounting, .copying, .releasing: true
      case .none, .done, .cancelled, .failed: false
      }
    }
  }

  var phase: Phase
  private(set) var doneBytes = 0
  private(set) var totalBytes = 0
  /// Once it is over.
  private(set) var ending: ExportEnd?

  init(_ phase: Phase = .none) { self.phase = phase }

  mutating func note(_ done: Int, of total: Int) { (phase, doneBytes, totalBytes) = (.copying, done, total) }

  /// - Parameter isFollowed: another one waits, and goes to the same stick.
  mutating func end(_ ending: ExportEnd, isFollowed: Bool) {
    self.ending = ending
    let hasFailed = ending.failure != nil || !ending.outcome.failures.isEmpty
    phase = isFollowed ? .waiting : ending.isCancelled ? .cancelled : hasFailed ? .failed : .done
  }
}

/// What is wrong with the stick, for people and for programs.
struct ExportFailure: Error, Sendable {
  let trouble: StickTrouble
  let failure: CommandFailure

  init(_ trouble: StickTrouble, _ code: FailureCode, _ message: String) {
    self.trouble = trouble
    failure = CommandFailure(code, message)
  }

  init(_ trouble: StickTrouble, _ error: DeviceError) {
    self.trouble = trouble
    failure = CommandFailure(error)
  }

  init(_ error: LibraryError) {
    trouble =
      switch error {
      case .stick(.full): .full
      case .stick(.readOnly): .readOnly
      case .stick(.lost): .lost
      case .stick(.tooLong): .tooLong
      case .stick(.unfaithful): .unfaithful
      case .stick(.blocked): .blocked
      default: .unreadable
      }
    failure = CommandFailure(error)
  }
}

extension ConvertedFormat {
  /// - Returns: nil: as it is.
  init?(_ setting: ExportFormat) {
    switch setting {
    case .asIs: return nil
    case .m4a: self = .m4a
    case .flac: self = .flac
    case .wav: self = .wav
    case .mp3: self = .mp3
    case .alaw: self = .alaw
    case .mulaw: self = .mulaw
    }
  }
}

extension ExportWords {
  /// Names on the stick as the screen says them, with the device's time.
  init(_ settings: Settings) {
    let (language, zone) = (settings.language, Zone(settings.zone) ?? .utc)
    self.init(
      take: { TakeNames.take($0, in: language) }, clip: { TakeNames.clip($0, in: language) },
      // Sorted by name is sorted by time, in every language.
      date: { String(zone.dateText($0, in: .english).map { $0 == ":" ? "." : $0 }) })
  }
}
