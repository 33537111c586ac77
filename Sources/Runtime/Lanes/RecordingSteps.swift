internal import Hardware
internal import Recording

/// The longest steps of the lanes that record while a recording is open, for its receipt.
struct RecordingSteps: StepWatch {
  let lanes: LaneSignals

  private static let watched: [Lane] = [.control, .media, .storage]

  func begin(_ recording: Int, _ kind: RecordingKind) {
    guard let place = place(of: recording, kind) else { return }
    for lane in Self.watched { lanes.meter(of: lane).restart(place) }
  }

  func longest(_ recording: Int, _ kind: RecordingKind) -> [String: Double] {
    guard let place = place(of: recording, kind) else { return [:] }
    var longest: [String: Double] = [:]
    for lane in Self.watched {
      longest["\(lane)"] = lanes.meter(of: lane).longestCPU(at: place).map { $0.inSeconds * 1000 }
    }
    return longest
  }

  /// The maximum that is a recording's: takes and clips are counted apart. `nil` for those that nobody hears of.
  private func place(of recording: Int, _ kind: RecordingKind) -> Int? {
    let half = LaneMeter.places / 2
    let place = recording & (half - 1)
    switch kind {
    case .take: return place
    case .clip: return half + place
    case .safety, .spool: return nil
    }
  }
}
