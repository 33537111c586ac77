public import Hardware

/// A program that writes a camera's H.264 byte stream to its standard output, with placeholders for size, rate and bit rate.
public struct CameraCommand: Hashable, Sendable {
  /// The program and its arguments, each as it is; no shell reads them. `{width}`, `{height}`, `{rate}` (pictures a
  /// second), `{bitrate}` (bits a second) and `{keyframe}` (pictures from one keyframe to the next) are filled in.
  public var arguments: [String]

  public init(_ arguments: [String]) { self.arguments = arguments }

  /// What drives the CSI cameras of Raspberry Pi OS: byte stream with parameter sets at each keyframe, every picture
  /// written at once.
  public static let rpicam = CameraCommand([
    "rpicam-vid", "--timeout", "0", "--nopreview", "--codec", "h264", "--inline", "--flush", "--width", "{width}",
    "--height", "{height}", "--framerate", "{rate}", "--bitrate", "{bitrate}", "--intra", "{keyframe}", "--output", "-",
  ])

  /// The command for a request; `nil` if there is no program, or a blank that is not known.
  public func filled(for request: CameraRequest) -> [String]? {
    let values = [
      "width": request.width, "height": request.height, "rate": request.framesPerSecond, "bitrate": request.bitrate,
      "keyframe": request.keyframeInterval,
    ]
    var filled: [String] = []
    for argument in arguments {
      var text = ""
      var rest = argument[...]
      while let open = rest.firstIndex(of: "{") {
        guard let close = rest[open...].firstIndex(of: "}"),
          let value = values[String(rest[rest.index(after: open)..<close])]
        else { return nil }
        text += rest[..<open] + "\(value)"
        rest = rest[rest.index(after: close)...]
      }
      filled.append(text + rest)
    }
    guard let program = filled.first, !program.isEmpty, !filled.contains(where: { $0.utf8.contains(0) }) else {
      return nil
    }
    return filled
  }
}
