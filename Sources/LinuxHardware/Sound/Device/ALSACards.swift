internal import CALSA

/// A PCM device of a card.
public struct ALSADevice: Hashable, Sendable {
  /// Its name for the board file; stable across reboots and ports, unlike card numbers: `hw:CARD=Device,DEV=0`.
  public var pcm: String
  /// The card's name for people: `USB PnP Sound Device`.
  public var cardName: String
  /// The device's name on its card: `USB Audio`.
  public var deviceName: String
  public var canCapture: Bool
  public var canPlay: Bool
}

/// The sound cards that the kernel has.
public enum ALSACards {
  /// Every PCM device of every card, in the kernel's order. Control thread; opens each card's control device.
  /// A card that goes away meanwhile, or may not be opened, is left out.
  public static func list() -> [ALSADevice] {
    ALSAConfiguration.prepare()
    var devices: [ALSADevice] = []
    var card: Int32 = -1
    while snd_card_next(&card) == 0, card >= 0 { devices += list(card: card) }
    return devices
  }

  private static func list(card: Int32) -> [ALSADevice] {
    var control: OpaquePointer?
    guard snd_ctl_open(&control, "hw:\(card)", SND_CTL_NONBLOCK) == 0, let control else { return [] }
    defer { snd_ctl_close(control) }
    var cardMemory: OpaquePointer?
    guard snd_ctl_card_info_malloc(&cardMemory) == 0, let cardInfo = cardMemory else { return [] }
    defer { snd_ctl_card_info_free(cardInfo) }
    var pcmMemory: OpaquePointer?
    guard snd_pcm_info_malloc(&pcmMemory) == 0, let info = pcmMemory else { return [] }
    defer { snd_pcm_info_free(info) }
    guard snd_ctl_card_info(control, cardInfo) == 0 else { return [] }
    let identifier = text(snd_ctl_card_info_get_id(cardInfo))
    let cardName = text(snd_ctl_card_info_get_name(cardInfo))

    var devices: [ALSADevice] = []
    var device: Int32 = -1
    while snd_ctl_pcm_next_device(control, &device) == 0, device >= 0 {
      var found = ALSADevice(
        pcm: "hw:CARD=\(identifier),DEV=\(device)", cardName: cardName, deviceName: "", canCapture: false,
        canPlay: false)
      for stream in [SND_PCM_STREAM_CAPTURE, SND_PCM_STREAM_PLAYBACK] {
        snd_pcm_info_set_device(info, UInt32(device))
        snd_pcm_info_set_subdevice(info, 0)
        snd_pcm_info_set_stream(info, stream)
        guard snd_ctl_pcm_info(control, info) == 0 else { continue }
        found.deviceName = text(snd_pcm_info_get_name(info))
        if stream == SND_PCM_STREAM_CAPTURE { found.canCapture = true } else { found.canPlay = true }
      }
      if found.canCapture || found.canPlay { devices.append(found) }
    }
    return devices
  }

  private static func text(_ pointer: UnsafePointer<CChar>?) -> String { pointer.map { String(cString: $0) } ?? "" }
}
