/// The rows of the options menu, in the order shown. LEFT and RIGHT step through a row's values.
public enum OptionsRow: String, Hashable, Sendable, CaseIterable {
  case preset
  case format
  case bitrate
  case sampleRate
  case channels
  case preRecord
  case clipLength
  case postRoll
  case overlap
  case soundTrigger
  case motionTrigger
  case inputTrigger
  case dubLanguage
  case dubMode
  case dubVolume
  case originalVolume
  case dubLowPower
  case dubPicture
  case lockedStop

  /// The setting behind the row; `nil` for the preset, which is several.
  public var key: String? { settingKey?.rawValue }

  private var settingKey: SettingKey? {
    switch self {
    case .preset: nil
    case .format: .recordingFormat
    case .bitrate: .recordingBitrate
    case .sampleRate: .recordingSampleRate
    case .channels: .recordingChannels
    case .preRecord: .recordingPreRecord
    case .clipLength: .clipsDuration
    case .postRoll: .clipsPostRoll
    case .overlap: .clipsOverlap
    case .soundTrigger: .clipsSoundTrigger
    case .motionTrigger: .clipsMotionTrigger
    case .inputTrigger: .clipsInputTrigger
    case .dubLanguage: .dubLanguage
    case .dubMode: .dubMode
    case .dubVolume: .dubVolume
    case .originalVolume: .dubOriginalVolume
    case .dubLowPower: .dubLowPower
    case .dubPicture: .dubPicture
    case .lockedStop: .lockStopWorks
    }
  }

  /// What the row is called on the screen.
  public var label: String {
    switch self {
    case .preset: "Quality"
    case .format: "Format"
    case .bitrate: "Bit rate"
    case .sampleRate: "Sample rate"
    case .channels: "Channels"
    case .preRecord: "Pre-record"
    case .clipLength: "Clip length"
    case .postRoll: "Post-roll"
    case .overlap: "Overlap"
    case .soundTrigger: "By sound"
    case .motionTrigger: "By motion"
    case .inputTrigger: "By input"
    case .dubLanguage: "Language"
    case .dubMode: "Original"
    case .dubVolume: "Dub volume"
    case .originalVolume: "Orig. volume"
    case .dubLowPower: "Low power"
    case .dubPicture: "Picture"
    case .lockedStop: "Locked STOP"
    }
  }

  /// The row's value for people, with its unit.
  public func text(in settings: Settings) -> String {
    switch self {
    case .preset: settings.preset?.label ?? "Custom"
    case .format: settings.recordingFormat.rawValue.uppercased()
    case .bitrate: settings.recordingFormat == .aac ? "\(settings.encoderBitrateKbps) kbit/s" : "PCM"
    case .sampleRate: settings.recordingSampleRate == 48_000 ? "48 kHz" : "44.1 kHz"
    case .channels: settings.recordingChannels == 1 ? "Mono" : "Stereo"
    case .preRecord: settings.preRecordSeconds == 0 ? "Off" : "\(settings.preRecordSeconds) s"
    case .clipLength: "\(settings.clipDurationSeconds) s"
    case .postRoll: settings.clipPostRollSeconds == 0 ? "Off" : "\(settings.clipPostRollSeconds) s"
    case .overlap: settings.clipOverlap.rawValue
    case .soundTrigger: settings.hasSoundTrigger ? "\(settings.soundTriggerDecibels) dB" : "Off"
    case .motionTrigger: settings.hasMotionTrigger ? "x\(settings.motionTriggerRatio)" : "Off"
    case .inputTrigger: settings.hasInputTrigger ? "On" : "Off"
    case .dubLanguage: settings.dubLanguage
    case .dubMode:
      switch settings.dubMix {
      case .replace: "replaced"
      case .mix: "mixed in"
      case .duck: "steps back"
      }
    case .dubVolume: Self.decibels(settings.dubVolume)
    case .originalVolume: Self.decibels(settings.dubOriginalVolume)
    case .dubLowPower:
      switch settings.dubLowPower {
      case .off: "full"
      case .keep: "small stream"
      case .drop: "no dub"
      }
    case .dubPicture: settings.dubPicture.rawValue
    case .lockedStop: settings.lockedStopWorks ? "On" : "Off"
    }
  }

  private static func decibels(_ number: Int) -> String { (number > 0 ? "+" : "") + "\(number) dB" }

  /// The settings one step to the left (−1) or right (+1); `nil` at the end of the row or where it has no meaning.
  func stepped(_ settings: Settings, by direction: Int) -> Settings? {
    var changed = settings
    switch self {
    case .preset:
      guard let preset = steppedPreset(settings.preset, by: direction) else { return nil }
      changed.apply(preset)
      return changed
    case .bitrate where settings.recordingFormat != .aac:
      return nil
    default: break
    }
    guard let key = settingKey, let next = neighbour(of: settings[key], by: direction) else { return nil }
    changed[key] = next
    return changed
  }

  private func steppedPreset(_ current: RecordingPreset?, by direction: Int) -> RecordingPreset? {
    // Custom stands between the ends: any step leads out of it.
    guard let current else { return direction < 0 ? .low : .high }
    return neighbour(of: current, in: RecordingPreset.allCases, by: direction)
  }

  private func neighbour(of value: SettingValue, by direction: Int) -> SettingValue? {
    switch (self, value) {
    case (.format, _): neighbour(of: value, in: [.text("aac"), .text("wav")], by: direction)
    case (.overlap, _):
      neighbour(of: value, in: ClipOverlap.allCases.map { .text($0.rawValue) }, by: direction)
    case (.clipLength, .integer(let number)):
      nearest(to: number, in: [1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60], by: direction)
    case (.postRoll, .integer(let number)):
      nearest(to: number, in: [0, 1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60], by: direction)
    case (.soundTrigger, _), (.motionTrigger, _), (.inputTrigger, _), (.lockedStop, _):
      neighbour(of: value, in: [.flag(false), .flag(true)], by: direction)
    case (.dubLanguage, _): neighbour(of: value, in: DubState.spokenLanguages.map { .text($0) }, by: direction)
    case (.dubMode, _): neighbour(of: value, in: DubMix.allCases.map { .text($0.rawValue) }, by: direction)
    case (.dubLowPower, _): neighbour(of: value, in: DubLowPower.allCases.map { .text($0.rawValue) }, by: direction)
    case (.dubPicture, _): neighbour(of: value, in: DubPicture.allCases.map { .text($0.rawValue) }, by: direction)
    case (.dubVolume, .integer(let number)), (.originalVolume, .integer(let number)):
      nearest(to: number, in: [-40, -30, -24, -21, -18, -15, -12, -9, -6, -3, 0], by: direction)
    case (.bitrate, .integer(let number)): nearest(to: number, in: [128, 160, 192, 224, 256, 320], by: direction)
    case (.sampleRate, .integer(let number)): nearest(to: number, in: [44_100, 48_000], by: direction)
    case (.channels, .integer(let number)): nearest(to: number, in: [1, 2], by: direction)
    case (.preRecord, .integer(let number)):
      nearest(to: number, in: [0, 1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60], by: direction)
    default: nil
    }
  }

  /// The next step in a direction, also from a value between two steps (set on the console).
  private func nearest(to number: Int, in steps: [Int], by direction: Int) -> SettingValue? {
    let next = direction < 0 ? steps.last { $0 < number } : steps.first { $0 > number }
    return next.map { .integer($0) }
  }

  private func neighbour<Value: Equatable>(of value: Value, in values: [Value], by direction: Int) -> Value? {
    guard let index = values.firstIndex(of: value) else { return values.first }
    let next = index + (direction < 0 ? -1 : 1)
    return values.indices.contains(next) ? values[next] : nil
  }
}
