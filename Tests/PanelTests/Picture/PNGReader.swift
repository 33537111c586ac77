import CZlib
import Hardware

/// A decoder of one-bit greyscale PNGs that shares nothing with the encoder: it checks every length and CRC.
enum PNGReader {
  enum Failure: Error {
    case notPNG
    case badChunk(String)
    case badData
  }

  static func decode(_ file: [UInt8]) throws -> (width: Int, height: Int, pixels: [Bool]) {
    guard file.starts(with: [137, 80, 78, 71, 13, 10, 26, 10]) else { throw Failure.notPNG }
    var offset = 8
    var size: (width: Int, height: Int)?
    var stream: [UInt8] = []
    var hasEnd = false
    while offset + 12 <= file.count, !hasEnd {
      let length = number(file, at: offset)
      guard offset + 12 + length <= file.count else { throw Failure.badChunk("length") }
      let body = Array(file[offset + 4..<offset + 8 + length])
      let type = String(decoding: body.prefix(4), as: UTF8.self)
      guard Int(crc32(0, body, uInt(body.count))) == number(file, at: offset + 8 + length) else {
        throw Failure.badChunk("CRC of \(type)")
      }
      switch type {
      case "IHDR":
        guard length == 13, Array(body[12...16]) == [1, 0, 0, 0, 0] else { throw Failure.badChunk(type) }
        size = (number(body, at: 4), number(body, at: 8))
      case "IDAT": stream += body.dropFirst(4)
      case "IEND": hasEnd = true
      default: throw Failure.badChunk(type)
      }
      offset += 12 + length
    }
    guard let size, hasEnd, offset == file.count else { throw Failure.badData }
    return (size.width, size.height, try unfiltered(stream, width: size.width, height: size.height))
  }

  private static func unfiltered(_ stream: [UInt8], width: Int, height: Int) throws -> [Bool] {
    let stride = (width + 7) / 8 + 1
    var length = uLong(stride * height)
    var rows = [UInt8](repeating: 0, count: Int(length))
    guard uncompress(&rows, &length, stream, uLong(stream.count)) == Z_OK, Int(length) == rows.count else {
      throw Failure.badData
    }
    var pixels: [Bool] = []
    for y in 0..<height {
      guard rows[y * stride] == 0 || (rows[y * stride] == 2 && y > 0) else { throw Failure.badData }
      if rows[y * stride] == 2 {
        for index in y * stride + 1..<(y + 1) * stride { rows[index] &+= rows[index - stride] }
      }
      for x in 0..<width { pixels.append(rows[y * stride + 1 + x / 8] & (0x80 >> UInt8(x % 8)) != 0) }
    }
    return pixels
  }

  private static func number(_ bytes: [UInt8], at offset: Int) -> Int {
    bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
  }
}

extension Frame {
  /// Row by row, for comparison with a decoded picture.
  var pixels: [Bool] { (0..<height).flatMap { y in (0..<width).map { x in self[x, y] } } }

  /// The picture in characters, for the message of a failed test.
  var art: String {
    (0..<height).map { y in String((0..<width).map { x in self[x, y] ? "#" : "." }) }.joined(separator: "\n")
  }
}
