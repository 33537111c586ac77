import Glibc

/// The sound devices of the machine that the command runs on.
enum HostSound {
  /// The microphone to use when none is named: `alsa:default` if the host has a sound card that records, else `nil`.
  static func microphone() -> String? { hasPCM(direction: "c") ? "alsa:default" : nil }

  /// The speaker to use when none is named: `alsa:default` if the host has a sound card that plays, else `nil`.
  static func speaker() -> String? { hasPCM(direction: "p") ? "alsa:default" : nil }

  /// Whether the kernel has a PCM of this direction: `/dev/snd/pcmC0D0c`, card 0, device 0, capture.
  private static func hasPCM(direction: Character) -> Bool {
    guard let folder = opendir("/dev/snd") else { return false }
    defer { closedir(folder) }
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasPrefix("pcmC"), name.last == direction { return true }
    }
    return false
  }
}
