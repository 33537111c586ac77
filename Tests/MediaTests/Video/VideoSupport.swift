import Hardware
import Media
import SimulatedHardware
import TestSupport
import Testing

/// Raw pictures of the test card, picture by picture.
func cards(_ numbers: Range<Int>, _ codec: VideoCodec = .nv12, width: Int = 320, height: Int = 180) -> [[UInt8]] {
  let card = TestCard()
  card.prepare(VideoFormat(codec: codec, width: width, height: height, framesPerSecond: 30))
  return numbers.map { number in
    var bytes: [UInt8] = []
    let time = Duration.nanoseconds(Int64(number) * 1_000_000_000 / 30)
    card.take(PictureMoment(number: number, time: time)) { picture, _ in bytes = Array(picture) }
    return bytes
  }
}

/// An encoded picture that outlives its call.
struct KeptPicture: Equatable {
  var bytes: [UInt8]
  var isKeyframe: Bool
  var time: Int64
}

extension VideoEncoder {
  /// Encodes pictures whose times are their indices; `forced` are asked to be keyframes.
  func encodeAll(_ pictures: [[UInt8]], forced: Set<Int> = []) throws -> [KeptPicture] {
    var kept: [KeptPicture] = []
    func keep(_ picture: EncodedPicture) {
      kept.append(KeptPicture(bytes: Array(picture.bytes), isKeyframe: picture.isKeyframe, time: picture.time))
    }
    for (index, picture) in pictures.enumerated() {
      try picture.withUnsafeBytes {
        try encode($0, time: Int64(index), forcesKeyframe: forced.contains(index), emit: keep)
      }
    }
    try finish(emit: keep)
    return kept
  }
}

extension Picture {
  /// The number burnt into a picture of the test card.
  var number: Int? {
    PictureCode(width: width, height: height) { x, y in luma[y * width + x] }.map { Int($0.number) }
  }
}

/// What a program prints.
func text(_ program: String, _ arguments: [String]) throws -> String {
  let result = try Tool.run(program, arguments)
  #expect(result.status == 0, "\(program): \(result.errors)")
  return result.output
}
