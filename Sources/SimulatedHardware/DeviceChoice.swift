public import Hardware

/// What `--microphone` names.
public enum MicrophoneChoice: Hashable, Sendable {
  /// A sine a channel, in Hz.
  case tone([Double])
  case silence
  case noise
  /// Built-in speech-like sound.
  case speech
  /// A WAV file; the path as given.
  case file(String)
  /// A real PCM of ALSA's, which is not this room's to open.
  case alsa(String)

  /// Reads `tone:HZ[,HZ]`, `silence`, `noise`, `speech`, `alsa:PCM` or a file name.
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
    case _ where text.hasPrefix("alsa:") && text.utf8.count > 5: self = .alsa(String(text.dropFirst(5)))
    case _ where !text.isEmpty && !text.hasPrefix("alsa:"): self = .file(text)
    default:
      throw DeviceError(
        .unsupported, device: text, operation: "use it as a microphone",
        hint: "name tone:HZ[,HZ], silence, noise, speech, a WAV file or alsa:PCM")
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
