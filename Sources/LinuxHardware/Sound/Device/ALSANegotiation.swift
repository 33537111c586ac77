internal import CALSA
internal import Glibc
internal import Hardware

/// An open, configured PCM and what it granted.
struct NegotiatedPCM {
  var handle: OpaquePointer
  var shape: StreamShape
  var grant: SoundGrant
}

/// Opening a PCM and agreeing on its parameters. Control thread; takes some ms, with USB devices some 100.
///
/// Everything asked for is a wish; what counts is read back afterwards. ALSA's own rate conversion stays off: a rate
/// that is not the hardware's would be a lie in the take's header, and the linear converter would spoil it.
struct ALSANegotiation {
  /// ALSA's name of the PCM: `hw:1,0`, `hw:CARD=Device`, `default`.
  let device: String
  let direction: SoundDirection

  func open(_ request: SoundRequest) throws(DeviceError) -> NegotiatedPCM {
    ALSAConfiguration.prepare()
    var handle: OpaquePointer?
    // Without blocking, a device that is in use says so at once, and the real-time thread keeps its stop flag.
    let result = snd_pcm_open(
      &handle, device, direction == .capture ? SND_PCM_STREAM_CAPTURE : SND_PCM_STREAM_PLAYBACK,
      SND_PCM_NONBLOCK)
    guard result == 0, let handle else {
      throw ALSAErrors.error(device: device, direction: direction, operation: "open", code: -result)
    }
    do throws(DeviceError) {
      return try configure(handle, request)
    } catch {
      snd_pcm_close(handle)
      throw error
    }
  }

  private func configure(_ handle: OpaquePointer, _ request: SoundRequest) throws(DeviceError) -> NegotiatedPCM {
    let shape = try setHardware(handle, request)
    let isMonotonic = try setSoftware(handle, shape)
    let grant = SoundGrant(
      format: PCMFormat(sampleRate: shape.rate, channels: shape.channels, bits: shape.sampleType.bits),
      periodFrames: shape.periodFrames, bufferFrames: shape.bufferFrames, sampleType: shape.sampleType.name,
      timestamps: isMonotonic && isCard(handle) ? "hardware" : "monotonic")
    return NegotiatedPCM(handle: handle, shape: shape, grant: grant)
  }

  // MARK: Hardware parameters

  private func setHardware(_ handle: OpaquePointer, _ request: SoundRequest) throws(DeviceError) -> StreamShape {
    var memory: OpaquePointer?
    try check(snd_pcm_hw_params_malloc(&memory), "make room for its parameters")
    guard let parameters = memory else { throw failure("make room for its parameters", ENOMEM) }
    defer { snd_pcm_hw_params_free(parameters) }
    try check(snd_pcm_hw_params_any(handle, parameters), "ask for its parameters")
    try check(snd_pcm_hw_params_set_rate_resample(handle, parameters, 0), "switch rate conversion off")
    try check(
      snd_pcm_hw_params_set_access(handle, parameters, SND_PCM_ACCESS_RW_INTERLEAVED), "set interleaved access")
    let candidates = SampleType.candidates(bits: request.format.bits)
    guard let type = candidates.first(where: { snd_pcm_hw_params_test_format(handle, parameters, $0.format) == 0 })
    else {
      throw failure("agree on a sample type (\(candidates.map(\.name).joined(separator: ", ")))", EINVAL)
    }
    try check(snd_pcm_hw_params_set_format(handle, parameters, type.format), "set the sample type to \(type.name)")
    var channels = UInt32(clamping: min(2, max(1, request.format.channels)))
    try check(
      snd_pcm_hw_params_set_channels_near(handle, parameters, &channels),
      "set \(request.format.channels) channels")
    var rate = UInt32(clamping: max(1, request.format.sampleRate))
    try check(
      snd_pcm_hw_params_set_rate_near(handle, parameters, &rate, nil), "set the rate to \(request.format.sampleRate)")
    var period = snd_pcm_uframes_t(max(1, request.periodFrames))
    try check(
      snd_pcm_hw_params_set_period_size_near(handle, parameters, &period, nil),
      "set periods of \(request.periodFrames) frames")
    var buffer = snd_pcm_uframes_t(max(request.bufferFrames, 2 * Int(clamping: period)))
    try check(
      snd_pcm_hw_params_set_buffer_size_near(handle, parameters, &buffer),
      "set a buffer of \(request.bufferFrames) frames")
    try check(snd_pcm_hw_params(handle, parameters), "set its parameters")
    return try readBack(parameters, type)
  }

  private func readBack(_ parameters: OpaquePointer, _ type: SampleType) throws(DeviceError) -> StreamShape {
    var rate: UInt32 = 0
    var channels: UInt32 = 0
    var period: snd_pcm_uframes_t = 0
    var buffer: snd_pcm_uframes_t = 0
    try check(snd_pcm_hw_params_get_rate(parameters, &rate, nil), "read its rate")
    try check(snd_pcm_hw_params_get_channels(parameters, &channels), "read its channels")
    try check(snd_pcm_hw_params_get_period_size(parameters, &period, nil), "read its period")
    try check(snd_pcm_hw_params_get_buffer_size(parameters, &buffer), "read its buffer")
    let shape = StreamShape(
      sampleType: type, rate: Int(rate), deviceChannels: Int(channels), channels: min(2, Int(channels)),
      periodFrames: Int(clamping: period), bufferFrames: Int(clamping: buffer))
    guard shape.rate > 0, shape.channels > 0, shape.periodFrames > 0, shape.bufferFrames >= shape.periodFrames,
      shape.bufferFrames <= 60 * shape.rate
    else { throw failure("work with \(rate) Hz, \(channels) channels, \(period)/\(buffer) frames", EINVAL) }
    return shape
  }

  // MARK: Software parameters

  /// Sets wake-ups, the start of playing and timestamps.
  ///
  /// - Returns: whether the device stamps by CLOCK_MONOTONIC.
  private func setSoftware(_ handle: OpaquePointer, _ shape: StreamShape) throws(DeviceError) -> Bool {
    var memory: OpaquePointer?
    try check(snd_pcm_sw_params_malloc(&memory), "make room for its parameters")
    guard let parameters = memory else { throw failure("make room for its parameters", ENOMEM) }
    defer { snd_pcm_sw_params_free(parameters) }
    try check(snd_pcm_sw_params_current(handle, parameters), "ask for its wake-ups")
    let period = snd_pcm_uframes_t(shape.periodFrames)
    try check(snd_pcm_sw_params_set_avail_min(handle, parameters, period), "set its wake-ups")
    // Playing starts by itself once all whole periods are filled; capture is started by hand.
    let whole = shape.bufferFrames / shape.periodFrames * shape.periodFrames
    try check(
      snd_pcm_sw_params_set_start_threshold(
        handle, parameters, direction == .playback ? snd_pcm_uframes_t(whole) : 1), "set its start")
    // Not every plug-in stamps; the loop then falls back to the clock.
    let canStamp = snd_pcm_sw_params_set_tstamp_mode(handle, parameters, SND_PCM_TSTAMP_ENABLE) == 0
    let isMonotonic =
      snd_pcm_sw_params_set_tstamp_type(handle, parameters, SND_PCM_TSTAMP_TYPE_MONOTONIC) == 0
    try check(snd_pcm_sw_params(handle, parameters), "set its wake-ups and timestamps")
    return canStamp && isMonotonic
  }

  /// Whether a kernel driver is behind the PCM, and not a sound server or a file.
  private func isCard(_ handle: OpaquePointer) -> Bool {
    var memory: OpaquePointer?
    guard snd_pcm_info_malloc(&memory) == 0, let info = memory else { return false }
    defer { snd_pcm_info_free(info) }
    return snd_pcm_info(handle, info) == 0 && snd_pcm_info_get_card(info) >= 0
  }

  private func check(_ result: Int32, _ operation: @autoclosure () -> String) throws(DeviceError) {
    if result < 0 { throw failure(operation(), -result) }
  }

  private func failure(_ operation: String, _ code: Int32) -> DeviceError {
    ALSAErrors.error(device: device, direction: direction, operation: operation, code: code)
  }
}
