internal import Hardware

/// What becomes of the device's parts is noted, handed on to the mode, and said on the screen.
enum DeviceNotices {
  /// - Parameter text: for programs.
  static func lost(_ device: Device, _ text: String, _ modes: inout Modes, _ transition: inout Transition) {
    transition.health.note(device, isThere: false)
    transition.announce(.deviceLost(device, text: text))
    switch device {
    case .storage: transition.raise(.error, "device-lost", .storageLost, device: device)
    case .buttons:
      // Nobody will report the release of what was held.
      modes[transition.mode].letGo(of: nil, &transition)
      transition.holds.spendAll()
      transition.raise(.warning, "device-lost", .keysLost, for: .seconds(5), device: device)
    case .microphone, .camera, .speaker, .display, .lamps, .console, .network:
      modes[transition.mode].lost(device, &transition)
    }
  }

  static func returned(_ device: Device, _ text: String, _ modes: inout Modes, _ transition: inout Transition) {
    transition.health.note(device, isThere: true)
    transition.announce(.deviceReturned(device, text: text))
    transition.dismissNotice { $0.device == device }
    modes[transition.mode].returned(device)
  }

  /// Another source of sound is heard.
  static func changed(
    to source: String, from before: String, _ reason: SourceChangeReason, _ modes: inout Modes,
    _ transition: inout Transition
  ) {
    transition.announce(.sourceChanged(to: source, from: before, reason))
    modes.dictaphone.heard = source
    let sentence = Sentence.sourceChanged(to: source, from: before, reason)
    switch reason {
    case .lost, .absent: transition.raise(.warning, "source", sentence, for: .seconds(5))
    case .returned: transition.raise(.information, "source", sentence, for: .seconds(3))
    case .chosen: transition.raise(.information, "source", sentence, for: .seconds(2))
    }
  }

  /// What the storage takes no files of; what was said of it goes with it.
  static func refuses(_ what: StorageRefusal, _ transition: inout Transition) {
    transition.health.refused = what
    guard transition.health.storageTrouble(in: transition.mode) != .refusing else { return }
    transition.dismissNotice { $0.severity == .error && $0.code == IgnoredReason.storageRefuses.code }
  }

  /// How full the storage is. A take that no longer fits is the recorder's to end, from its own reserve.
  static func storage(_ level: StorageLevel, _ transition: inout Transition) {
    let before = transition.health.storageLevel
    guard level != before else { return }
    transition.health.storageLevel = level
    transition.announce(.storage(level))
    if level != .full { transition.dismissNotice { $0.code == "storage-full" } }
    switch level {
    case .ample: transition.dismissNotice { $0.code == "storage-low" }
    case .low where before == .ample:
      transition.raise(.warning, "storage-low", .storageLow, for: .seconds(5))
    case .low: break
    // It is said already why nothing fits.
    case .full where transition.health.storageTrouble(in: transition.mode) == .refusing: break
    case .full:
      transition.raise(.error, "storage-full", .storageFull(transition.mode))
    }
  }
}
