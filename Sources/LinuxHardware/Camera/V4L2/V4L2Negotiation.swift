internal import CV4L2
internal import Glibc
internal import Hardware

/// An open, configured capture device and what it granted.
struct NegotiatedCamera {
  var device: mynah_v4l2
  var shape: PictureShape
  var grant: CameraGrant
  /// The device's own name.
  var card: String
  /// Controls that it has and would not set.
  var refused: [String]
}

/// Opening a camera and agreeing on its pictures. Control thread; takes some ms, with USB cameras some 100.
///
/// Everything asked for is a wish; what counts is what the driver answers.
struct V4L2Negotiation {
  /// Path of the device: `/dev/video0`, better a link of `/dev/v4l/by-id`, which does not change.
  let path: String
  let tuning: CameraTuning

  /// Buffers of the device's: a worker that is late for a tenth of a second loses nothing.
  private static let buffers: UInt32 = 6

  func open(_ request: CameraRequest) throws(DeviceError) -> NegotiatedCamera {
    let descriptor = mynah_v4l2_open(path)
    guard descriptor >= 0 else { throw V4L2Errors.error(path, "open", code: -descriptor) }
    var device = mynah_v4l2()
    device.descriptor = descriptor
    do throws(DeviceError) {
      let card = try examine(descriptor)
      let (candidate, shape) = try agree(descriptor, request)
      var pictures: UInt32 = 0
      var seconds: UInt32 = 0
      _ = mynah_v4l2_set_rate(descriptor, UInt32(clamping: max(1, request.framesPerSecond)), &seconds, &pictures)
      let rate = seconds == 0 ? request.framesPerSecond : (Int(pictures) + Int(seconds) / 2) / Int(seconds)
      let refused = setControls(descriptor, request, candidate.mode.codec)
      let mapped = mynah_v4l2_map(&device, Self.buffers)
      guard mapped == 0 else { throw V4L2Errors.error(path, "map its buffers", code: -mapped) }
      let format = VideoFormat(
        codec: candidate.mode.codec, width: Int(shape.width), height: Int(shape.height),
        framesPerSecond: max(1, rate))
      let grant = CameraGrant(
        format: format,
        timestamps: device.is_monotonic == 0
          ? "arrival" : device.is_start_of_exposure != 0 ? "start-of-exposure" : "end-of-frame",
        canForceKeyframe: format.codec == .h264
          && mynah_v4l2_has_control(descriptor, mynah_v4l2_force_keyframe()) != 0,
        numbersPictures: true)
      return NegotiatedCamera(
        device: device,
        shape: PictureShape(
          codec: format.codec, width: format.width, height: format.height, stride: Int(shape.stride),
          patience: PictureShape.patience(framesPerSecond: format.framesPerSecond)),
        grant: grant, card: card, refused: refused)
    } catch {
      mynah_v4l2_close(&device)
      throw error
    }
  }

  /// - Returns: the device's own name.
  private func examine(_ descriptor: Int32) throws(DeviceError) -> String {
    var card = mynah_v4l2_card()
    let result = mynah_v4l2_card(descriptor, &card)
    guard result == 0 else { throw V4L2Errors.error(path, "ask what it is", code: -result) }
    let name = withUnsafeBytes(of: card.name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    guard mynah_v4l2_is_camera(&card) != 0 else {
      throw DeviceError(
        .unsupported, device: path, operation: "use it as a camera", code: ENOTSUP,
        hint: "\(name) does not stream pictures in single planes; v4l2-ctl --list-devices shows what is there, and CSI "
          + "cameras need a command (camera.command in the board file)")
    }
    return name
  }

  private func agree(
    _ descriptor: Int32, _ request: CameraRequest
  ) throws(DeviceError) -> (CameraCandidate, mynah_v4l2_shape) {
    let modes = Self.modes(descriptor)
    let candidates = CameraCandidate.ordered(modes, for: request) { mode, width, height in
      let interval = mynah_v4l2_shortest_interval(
        descriptor, mode.code, UInt32(clamping: width), UInt32(clamping: height))
      return interval > 0 ? 1e9 / Double(interval) : 0
    }
    var code: Int32 = EINVAL
    for candidate in candidates {
      var shape = mynah_v4l2_shape()
      shape.code = candidate.mode.code
      shape.width = UInt32(clamping: candidate.width)
      shape.height = UInt32(clamping: candidate.height)
      let result = mynah_v4l2_set_shape(descriptor, &shape)
      guard result == 0 else {
        code = -result
        if code == EBUSY { break }
        continue
      }
      // A driver may answer with another format, or with odd sizes that no encoder takes.
      if shape.code == candidate.mode.code, shape.width % 2 == 0, shape.height % 2 == 0, shape.width >= 16,
        shape.height >= 16, shape.width <= 8192, shape.height <= 8192
      {
        return (candidate, shape)
      }
    }
    let asked = request.codecs.map(\.rawValue).joined(separator: ", ")
    if code == EBUSY { throw V4L2Errors.error(path, "set its format", code: code) }
    let known = modes.map(\.codec.rawValue).joined(separator: ", ")
    throw DeviceError(
      .unsupported, device: path, operation: "agree on a format of \(asked)", code: code,
      hint: known.isEmpty
        ? "it has no format that can be used; v4l2-ctl -d \(path) --list-formats-ext shows them" : "it has \(known)")
  }

  /// What the device lists.
  static func modes(_ descriptor: Int32) -> [CameraMode] {
    var modes: [CameraMode] = []
    // No camera has as many; a broken driver could list them for ever.
    for index in 0..<UInt32(64) {
      var code: UInt32 = 0
      guard mynah_v4l2_format(descriptor, index, &code) == 0 else { break }
      guard let codec = codec(of: code) else { continue }
      var sizes: [CameraMode.Sizes] = []
      for place in 0..<UInt32(256) {
        var found = mynah_v4l2_sizes()
        guard mynah_v4l2_sizes(descriptor, code, place, &found) == 0 else { break }
        sizes.append(Self.sizes(found))
        if found.is_range != 0 { break }
      }
      modes.append(CameraMode(codec: codec, code: code, sizes: sizes))
    }
    return modes
  }

  private static func sizes(_ found: mynah_v4l2_sizes) -> CameraMode.Sizes {
    let (width, height) = (Int(found.width), Int(found.height))
    guard found.is_range != 0 else {
      return CameraMode.Sizes(width: width...width, height: height...height, widthStep: 1, heightStep: 1)
    }
    return CameraMode.Sizes(
      width: width...max(width, Int(found.most_width)), height: height...max(height, Int(found.most_height)),
      widthStep: Int(found.step_width), heightStep: Int(found.step_height))
  }

  private static func codec(of code: UInt32) -> VideoCodec? {
    func four(_ text: StaticString) -> UInt32 {
      text.withUTF8Buffer { $0.reversed().reduce(0) { $0 << 8 | UInt32($1) } }
    }
    switch code {
    case four("H264"): return .h264
    case four("MJPG"), four("JPEG"): return .mjpeg
    case four("YUYV"): return .yuyv
    case four("NV12"): return .nv12
    default: return nil
    }
  }

  /// - Returns: controls that the device has and would not set.
  private func setControls(_ descriptor: Int32, _ request: CameraRequest, _ codec: VideoCodec) -> [String] {
    var refused: [String] = []
    func set(_ name: String, _ control: UInt32, _ value: Int) {
      guard mynah_v4l2_has_control(descriptor, control) != 0 else { return }
      let result = mynah_v4l2_set_control(descriptor, control, Int32(clamping: value))
      if result != 0 { refused.append("\(name) \(value) (errno \(-result))") }
    }
    if codec == .h264 {
      set("bit rate", mynah_v4l2_bitrate(), request.bitrate)
      set("keyframe interval", mynah_v4l2_i_period(), request.keyframeInterval)
      set("group size", mynah_v4l2_gop_size(), request.keyframeInterval)
      set("repeated headers", mynah_v4l2_repeat_headers(), 1)
    }
    // Else a camera halves its rate in the dark, in the middle of a clip.
    set("constant rate", mynah_v4l2_exposure_priority(), 0)
    if let exposure = tuning.exposureMicroseconds {
      set("exposure by hand", mynah_v4l2_exposure_mode(), 1)
      // The control counts in 100 µs.
      set("exposure", mynah_v4l2_exposure(), max(1, exposure / 100))
    }
    if let focus = tuning.focus {
      set("focus by hand", mynah_v4l2_focus_mode(), 0)
      set("focus", mynah_v4l2_focus(), focus)
    }
    if let hertz = tuning.powerLineHertz {
      set("power line frequency", mynah_v4l2_power_line(), hertz == 50 ? 1 : hertz == 60 ? 2 : 0)
    }
    return refused
  }
}
