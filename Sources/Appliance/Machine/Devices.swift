import Hardware

// Devices that come and go, and the storage filling up.
extension Turn {
  mutating func lost(_ device: Device, _ text: String) {
    setHealth(of: device, isThere: false)
    announce(.deviceLost(device, text: text))
    switch device {
    case .microphone:
      // An open take is the recorder's to end; it reports `stopping`.
      let isTaking = state.activity == .recording || state.activity == .paused
      let text = isTaking ? "Microphone lost: what was recorded is safe." : "Microphone lost: no recording."
      switch state.mode {
      case .dictaphone: raise(.error, "device-lost", text, device: device)
      case .clips: raise(.error, "device-lost", "Microphone lost: clips go on without sound.", device: device)
      // Nobody listens to it here.
      case .dub: break
      }
    case .camera:
      guard state.mode == .clips else { return }
      let isCapturing = state.clips.activity == .capturing
      let text = isCapturing ? "Camera lost: the clip goes on with sound." : "Camera lost: plug it in."
      raise(.error, "device-lost", text, device: device)
    case .speaker:
      if state.activity == .playing {
        endScrub()
        pausePlayback()
      }
      let isDubbing = state.mode == .dub && state.dub.isBusy
      if isDubbing, !state.dub.isPaused { pauseDub() }
      let text = isDubbing ? "Speaker lost: paused. CENTRE goes on." : "Speaker lost: recording still works."
      raise(.warning, "device-lost", text, for: .seconds(5), device: device)
    case .storage:
      raise(.error, "device-lost", "Storage lost: put the card back.", device: device)
    case .buttons:
      // Nobody will report the release of what was held.
      endScrub()
      state.spentKeys = .all
      state.repeatingKeys = KeySet()
      raise(.warning, "device-lost", "Some keys do not work.", for: .seconds(5), device: device)
    case .network where state.mode == .dub:
      raise(.warning, "device-lost", "No network: what is here can be played.", for: .seconds(5), device: device)
    case .display, .lamps, .console, .network: break
    }
  }

  mutating func returned(_ device: Device, _ text: String) {
    setHealth(of: device, isThere: true)
    announce(.deviceReturned(device, text: text))
    if state.notice?.device == device { dismissNotice() }
  }

  private mutating func setHealth(of device: Device, isThere: Bool) {
    switch device {
    case .microphone:
      state.health.hasMicrophone = isThere
      state.health.isMicrophoneOpening = false
    case .camera:
      state.health.hasCamera = isThere
      state.health.isCameraOpening = false
      if isThere && state.mode == .clips { state.clips.hasPictures = true }
    case .speaker: state.health.hasSpeaker = isThere
    case .display: state.health.hasDisplay = isThere
    case .network: state.dub.hasNetwork = isThere
    case .buttons, .lamps, .console, .storage: break
    }
  }

  /// How full the storage is. A take that no longer fits is the recorder's to end, from its own reserve.
  mutating func storage(_ level: StorageLevel) {
    let before = storageLevel
    guard level != before else { return }
    state.health.isStorageFull = level == .full
    state.health.isStorageLow = level != .ample
    announce(.storage(level))
    if level != .full { dismissNotice(code: "storage-full") }
    switch level {
    case .ample: dismissNotice(code: "storage-low")
    case .low where before == .ample: raise(.warning, "storage-low", "Storage is nearly full.", for: .seconds(5))
    case .low: break
    case .full:
      let what = state.mode == .clips ? "clips to capture" : "takes to record"
      raise(.error, "storage-full", "Storage is full: delete \(what).")
    }
  }

  private var storageLevel: StorageLevel {
    if state.health.isStorageFull { return .full }
    return state.health.isStorageLow ? .low : .ample
  }
}
