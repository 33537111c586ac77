internal import CV4L2
internal import Glibc
internal import Hardware

/// How cameras are told in words and in facts.
enum CameraFacts {
  static func asked(_ request: CameraRequest) -> [String: Fact] {
    [
      "askedFormats": .text(request.codecs.map(\.rawValue).joined(separator: " ")),
      "askedWidth": .integer(request.width),
      "askedHeight": .integer(request.height), "askedFramesPerSecond": .integer(request.framesPerSecond),
      "askedBitrate": .integer(request.bitrate),
    ]
  }

  static func granted(_ grant: CameraGrant) -> [String: Fact] {
    [
      "format": .text(grant.format.codec.rawValue), "width": .integer(grant.format.width),
      "height": .integer(grant.format.height), "framesPerSecond": .integer(grant.format.framesPerSecond),
      "timestamps": .text(grant.timestamps), "canForceKeyframe": .flag(grant.canForceKeyframe),
    ]
  }

  static func text(_ grant: CameraGrant) -> String {
    "\(grant.format.codec.rawValue), \(grant.format.width) × \(grant.format.height) at \(grant.format.framesPerSecond), "
      + "\(grant.timestamps) timestamps"
  }

  /// What a device lists that can be used: `mjpeg 640x480 1280x720; yuyv 640x480`; `nil` if it cannot be asked.
  static func formats(_ path: String) -> String? {
    let descriptor = mynah_v4l2_open(path)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return V4L2Negotiation.modes(descriptor).map { mode in
      let sizes = mode.sizes.map { sizes in
        let least = "\(sizes.width.lowerBound)x\(sizes.height.lowerBound)"
        return sizes.width.count == 1 && sizes.height.count == 1
          ? least : "\(least)-\(sizes.width.upperBound)x\(sizes.height.upperBound)"
      }
      return ([mode.codec.rawValue] + sizes).joined(separator: " ")
    }.joined(separator: "; ")
  }
}
