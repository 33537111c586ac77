internal import CALSA
internal import Glibc
public import Hardware

/// A PCM that is handed sound as it comes from elsewhere, and takes it by a clock of its own: the card by which a PC hears the
/// device as a microphone (the kernel's UAC2 gadget). It never waits for who listens: what it has no room for is left out.
///
/// One thread.
public final class ALSASink {
  private let pcm: String
  private let control: OpaquePointer?
  private var device: NegotiatedPCM?
  private var steering = ClockSteering(rate: 1, target: 0)

  /// - Parameter pcm: ALSA's name of a card's first PCM, `hw:CARD=UAC2Gadget`.
  public init(pcm: String) {
    self.pcm = pcm
    ALSAConfiguration.prepare()
    var control: OpaquePointer?
    self.control = snd_ctl_open(&control, pcm, SND_CTL_NONBLOCK) == 0 ? control : nil
    if let control { snd_ctl_subscribe_events(control, 1) }
  }

  deinit {
    close()
    if let control { snd_ctl_close(control) }
  }

  /// Whether the other end takes sound, where the card tells.
  public var isHeard: Bool {
    var rate = 0
    guard let control, mynah_alsa_control(control, "Playback Rate", &rate, 0) >= 0 else { return true }
    return rate > 0
  }

  /// Returns as soon as somebody listens, or the card is gone. It costs nothing meanwhile.
  public func waitUntilHeard() {
    while !isHeard, mynah_alsa_await_change(control, -1) >= 0 {}
  }

  /// - Parameters: a wish for a card that leaves a choice.
  /// - Returns: what it takes: 1 or 2 channels of 16 or 24 bits, packed, little-endian.
  public func open(rate: Int, channels: Int) throws(DeviceError) -> PCMFormat {
    close()
    let opened = try ALSANegotiation(device: pcm, direction: .playback).open(
      SoundRequest(
        format: PCMFormat(sampleRate: rate, channels: channels, bits: 16), periodFrames: rate / 100,
        bufferFrames: rate / 5))
    device = opened
    let shape = opened.shape
    guard shape.sampleType == .s16 || shape.sampleType == .s24In3Bytes, shape.deviceChannels <= 2 else {
      throw ALSAErrors.error(device: pcm, direction: .playback, operation: "agree on 16 or 24 bits", code: EINVAL)
    }
    steering = ClockSteering(rate: shape.rate, target: shape.bufferFrames / 2)
    return PCMFormat(sampleRate: shape.rate, channels: shape.deviceChannels, bits: shape.sampleType.bytes * 8)
  }

  /// Whole frames, in the format that `open` told. Half of the PCM's room is kept filled, by its own speed where it has one
  /// to set.
  public func write(_ bytes: [UInt8]) throws(DeviceError) {
    guard let device else { return }
    let (handle, size, room) = (device.handle, device.shape.frameBytes, device.shape.bufferFrames)
    var free = snd_pcm_avail_update(handle)
    // Nothing was there in time, or it has not begun: what comes starts behind a silence.
    if free < 0 || snd_pcm_state(handle) != SND_PCM_STATE_RUNNING {
      snd_pcm_drop(handle)
      let code = snd_pcm_prepare(handle)
      guard code >= 0 else {
        throw ALSAErrors.error(device: pcm, direction: .playback, operation: "begin", code: -code)
      }
      let silence = [UInt8](repeating: 0, count: room / 2 * size)
      snd_pcm_writei(handle, silence, snd_pcm_uframes_t(room / 2))
      snd_pcm_start(handle)
      free = room - room / 2
    }
    let written = max(0, snd_pcm_writei(handle, bytes, snd_pcm_uframes_t(min(free, bytes.count / size))))
    guard let control else { return }
    var speed = steering.speed(filled: room - free + written / 2)
    _ = mynah_alsa_control(control, "Playback Pitch 1000000", &speed, 1)
  }

  public func close() {
    if let device {
      snd_pcm_drop(device.handle)
      snd_pcm_close(device.handle)
    }
    device = nil
  }
}

/// How fast a PCM has to go so that as many frames wait in it as should: the other end's clock is not ours.
///
/// Pure. A difference is made up for within some ten seconds; 100 ppm between the clocks leave one of a millisecond.
struct ClockSteering {
  private let rate: Double
  private let target: Double
  /// Frames too many, with the steps evened out by which they come and go.
  private var excess = 0.0

  /// What the kernel's gadget allows is a little more.
  private static let most = 4000.0
  private static let seconds = 10.0
  /// Of `speed`, that it takes to believe a change.
  private static let calls = 256.0

  /// - Parameter target: frames that are to wait.
  init(rate: Int, target: Int) { (self.rate, self.target) = (Double(rate), Double(target)) }

  /// - Parameter filled: frames that wait now; asked for some hundred times a second.
  /// - Returns: millionths: 1,000,000 is the PCM's own speed.
  mutating func speed(filled: Int) -> Int {
    excess += (Double(filled) - target - excess) / Self.calls
    return 1_000_000 + Int(max(-Self.most, min(Self.most, excess / rate / Self.seconds * 1e6)))
  }
}
