internal import Glibc
public import Hardware

/// The capture devices of all sound cards but the board's own, by the kernel's id of the card: `Device`, or `Device/1` for
/// another than its first. A udev rule can give a card an id of its own.
public final class ALSASources: MicrophoneSources {
  private let own: String

  /// - Parameter pcm: the board's own microphone, which is not among them.
  public init(besides pcm: String) { own = pcm }

  public func names() -> [String] {
    ALSACards.list().compactMap { device in
      guard device.canCapture, let name = Self.name(of: device.pcm), name != Self.name(of: own) else { return nil }
      return name
    }
  }

  public func microphone(named name: String) -> (any Microphone)? {
    let parts = name.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let card = parts.first, !card.isEmpty, !card.hasPrefix("."), name != Self.name(of: own),
      let device = parts.count > 1 ? UInt8(parts[1]) : 0, access("/proc/asound/\(card)", F_OK) == 0
    else { return nil }
    return ALSAMicrophone(pcm: "hw:CARD=\(card),DEV=\(device)", name: name)
  }

  /// Of `hw:CARD=Device,DEV=1` it is `Device/1`; `nil`: the PCM does not name a card.
  static func name(of pcm: String) -> String? {
    guard let colon = pcm.firstIndex(of: ":") else { return nil }
    var card: Substring?
    var device: Substring = "0"
    for part in pcm[pcm.index(after: colon)...].split(separator: ",") {
      if part.hasPrefix("CARD=") { card = part.dropFirst(5) }
      if part.hasPrefix("DEV=") { device = part.dropFirst(4) }
    }
    return card.map { device == "0" ? String($0) : "\($0)/\(device)" }
  }
}
