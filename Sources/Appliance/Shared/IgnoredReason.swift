public import Hardware

/// Why a press did nothing; kept for the log and shown by `panel.state`.
public enum IgnoredReason: Hashable, Sendable {
  case locked
  /// The key has no meaning in this mode.
  case noMeaning(mode: String)
  /// Something has to finish first: `saving`.
  case busy(String)
  /// A device that it needs is not there.
  case deviceMissing(Device)
  /// There is nothing to play, delete or mark.
  case nothingLoaded
  /// The list or value is already at its end.
  case atLimit
  /// The storage has no room for another take.
  case storageFull
  /// The board has no such device at all: `camera`.
  case notOnBoard(Device)
  /// The clip is protected.
  case protected
  /// An automatic trigger that its setting switches off.
  case switchedOff(TriggerSource)
  /// A setting was not taken.
  case refused(SettingError)
}

extension IgnoredReason {
  /// The console's error code.
  public var code: String {
    switch self {
    case .locked: "locked"
    case .noMeaning, .atLimit: "bad-argument"
    case .busy: "busy"
    case .deviceMissing: "device-lost"
    case .nothingLoaded: "not-found"
    case .storageFull: "storage-full"
    case .notOnBoard: "unsupported"
    case .protected, .switchedOff: "denied"
    case .refused(let error): error.code
    }
  }
}

extension Device {
  /// The name in sentences.
  public var name: String {
    switch self {
    case .microphone: "microphone"
    case .camera: "camera"
    case .speaker: "speaker"
    case .display: "display"
    case .buttons: "keys"
    case .lamps: "lamps"
    case .console: "console"
    case .storage: "storage"
    case .network: "network"
    }
  }
}

extension State {
  /// Why a press or command did nothing: a sentence for people.
  public func explain(_ reason: IgnoredReason) -> String {
    switch reason {
    case .locked: "Locked: hold LOCK for 2 s to unlock."
    case .noMeaning(let mode): "That does nothing in \(Self.spoken(mode))."
    case .busy("saving"): "A take is being saved: try again in a moment."
    case .busy("clip"): "A clip is being saved: try again in a moment."
    case .busy("clips"): "These are the clips: hold STOP for the dictaphone."
    case .busy("recording"): "A take is being recorded: press STOP first."
    case .busy("library"): "The list is being read: try again in a moment."
    case .busy(let what): "Busy: \(what) has to finish first."
    case .deviceMissing(.microphone): "No microphone: connect one, then press REC."
    case .deviceMissing(.camera): "No camera: connect one, then press REC."
    case .deviceMissing(.speaker): "No speaker: connect one to listen."
    case .deviceMissing(.network): "No network: clips and takes can be played."
    case .deviceMissing(let device): "The \(device.name) is missing."
    case .nothingLoaded where mode == .clips:
      files.count > 0 ? "No clip chosen: press DOWN for the list." : "There is no clip yet: press REC."
    case .nothingLoaded where mode == .dub:
      dub.sources.all.isEmpty
        ? "Nothing to play: make a take or a clip first." : "There is no such source: see the list."
    case .nothingLoaded:
      files.count > 0 ? "No take chosen: press DOWN for the list." : "There is no take yet: press REC."
    case .atLimit: "That is the end."
    case .storageFull: "Storage is full: delete \(mode == .clips ? "clips" : "takes"), then press REC."
    case .notOnBoard(.network): "This board has too little memory for dubbing."
    case .notOnBoard(let device): "This board has no \(device.name)."
    case .protected: "The clip is protected: RIGHT takes that off."
    case .switchedOff(let source): "Clips by \(source.rawValue) are switched off in the settings."
    case .refused(let error): error.description
    }
  }

  private static func spoken(_ mode: String) -> String {
    switch mode {
    case "dictaphone.idle": "stopped mode"
    case "dictaphone.files": "the list of takes"
    case "dictaphone.options": "the options"
    case "dictaphone.playbackPaused": "paused playback"
    case "clips.buffering": "clip mode"
    case "clips.capturing": "a running clip"
    case "dub.idle": "the list of sources"
    case "dub.buffering", "dub.playing": "dubbed playback"
    default: String(mode.split(separator: ".").last ?? "this mode") + " mode"
    }
  }
}
