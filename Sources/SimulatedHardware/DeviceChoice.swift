public import Hardware

/// What `--microphone` names.
public enum MicrophoneChoice: Hashable, Sendable {
  /// A sine a channel, in Hz.
  case tone([Double])
  case silence
  case noise
  /// Built-in speech-like sound.
  case speech
  /// A burst of 1 kHz each full second, together with the flash of the colour bars.
  case beeps
  /// A WAV file; the path as given.
  case file(String)
  /// A real PCM of ALSA's, which is not this room's to open.
  case alsa(String)

  /// Reads `tone:HZ[,HZ]`, `silence`, `noise`, `speech`, `beeps`, `alsa:PCM` or a file name.
  public init(parsing text: String) throws(DeviceError) {
    if text.hasPrefix("tone:") {
      let parts = text.dropFirst(5).split(separator: ",", omittingEmptySubsequences: false)
      let frequencies = parts.compactMap { Double($0) }
      guard (1...2).contains(parts.count), frequencies.count == parts.count,
        frequencies.allSatisfy({ $0 >= 1 && $0 <= 96_000 })
      else {
        throw DeviceError(
          .unsupported, device: text, operation: "use it as a microphone",
          hint: "write tone:HZ or tone:HZ,HZ with 1 to 96000 Hz, for example tone:1000,440")
      }
      self = .tone(frequencies)
      return
    }
    switch text {
    case "silence": self = .silence
    case "noise": self = .noise
    case "speech": self = .speech
    case "beeps": self = .beeps
    case _ where text.hasPrefix("alsa:") && text.utf8.count > 5: self = .alsa(String(text.dropFirst(5)))
    case _ where !text.isEmpty && !text.hasPrefix("alsa:"): self = .file(text)
    default:
      throw DeviceError(
        .unsupported, device: text, operation: "use it as a microphone",
        hint: "name tone:HZ[,HZ], silence, noise, speech, beeps, a WAV file or alsa:PCM")
    }
  }
}

extension MicrophoneChoice {
  /// What is heard, opened; `nil`: it is not this room's.
  public func source(_ options: SimulationOptions) throws(DeviceError) -> (any SoundSource)? {
    switch self {
    case .tone(let frequencies): ToneSource(frequencies: frequencies)
    case .silence: SilenceSource()
    case .noise: NoiseSource(seed: options.seed)
    case .speech: SpeechSource(seed: options.seed)
    case .beeps: BeepSource(clockError: options.microphoneClockError)
    case .file(let path): try WAVFileSource(path: path)
    case .alsa: nil
    }
  }
}

/// What `--speaker` names.
public enum SpeakerChoice: Hashable, Sendable {
  /// Sound goes nowhere, in its time.
  case none
  case file(String)
  /// A real PCM of ALSA's, which is not this room's to open.
  case alsa(String)

  /// Reads `none`, `alsa:PCM` or a file name.
  public init(parsing text: String) throws(DeviceError) {
    switch text {
    case "none": self = .none
    case _ where text.hasPrefix("alsa:") && text.utf8.count > 5: self = .alsa(String(text.dropFirst(5)))
    case _ where !text.isEmpty && !text.hasPrefix("alsa:"): self = .file(text)
    default:
      throw DeviceError(
        .unsupported, device: text, operation: "use it as a speaker", hint: "name none, a WAV file or alsa:PCM")
    }
  }
}

/// What `--camera` names.
public enum CameraChoice: Hashable, Sendable {
  /// Colour bars with a number and a clock burnt in.
  case bars
  case none
  /// An elementary stream of H.264 (`.h264`, `.264`) or a sequence of JPEG images (`.mjpeg`, `.mjpg`), played for ever.
  case file(String)
  /// A real camera of the kernel's, which is not this room's to open; its path.
  case v4l2(String)

  /// Reads `bars`, `none`, `v4l2:/dev/videoN` or a file name.
  public init(parsing text: String) throws(DeviceError) {
    switch text {
    case "bars": self = .bars
    case "none": self = .none
    case _ where text.hasPrefix("v4l2:") && text.utf8.count > 5: self = .v4l2(String(text.dropFirst(5)))
    case _ where !text.isEmpty && !text.hasPrefix("v4l2:"): self = .file(text)
    default:
      throw DeviceError(
        .unsupported, device: text, operation: "use it as a camera",
        hint: "name bars, none, a file of H.264 or MJPEG, or v4l2:/dev/videoN")
    }
  }
}
