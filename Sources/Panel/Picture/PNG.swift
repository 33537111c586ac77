internal import CZlib
public import Hardware

/// Portable Network Graphics of one bit a pixel, or in colour (W3C PNG specification, third edition).
public enum PNG {
  /// A picture in colour as a PNG file.
  ///
  /// - Parameter pixels: XRGB8888, line by line; what is missing of `width` × `height` is black.
  public static func encode(width: Int, height: Int, pixels: [UInt32]) -> [UInt8] {
    let width = min(16_384, max(1, width))
    let height = min(16_384, max(1, height))
    var rows: [UInt8] = []
    rows.reserveCapacity((width * 3 + 1) * height)
    for y in 0..<height {
      rows.append(0)
      for x in 0..<width {
        let place = y * width + x
        let pixel = place < pixels.count ? pixels[place] : 0
        rows.append(UInt8(truncatingIfNeeded: pixel >> 16))
        rows.append(UInt8(truncatingIfNeeded: pixel >> 8))
        rows.append(UInt8(truncatingIfNeeded: pixel))
      }
    }
    // Bit depth 8, colour type 2 (truecolour).
    return file(width: width, height: height, depth: 8, colour: 2, rows: rows, level: Z_BEST_SPEED)
  }

  /// A frame as a PNG file: lit pixels are white, each `scale` × `scale` picture points.
  ///
  /// - Parameter scale: 1…64; what is outside is clamped.
  public static func encode(_ frame: Frame, scale: Int = 1) -> [UInt8] {
    let scale = min(64, max(1, scale))
    let width = frame.width * scale
    let height = frame.height * scale
    // Bit depth 1, colour type 0 (greyscale).
    return file(
      width: width, height: height, depth: 1, colour: 0, rows: rows(of: frame, scale: scale), level: Z_BEST_COMPRESSION)
  }

  /// Deflate, adaptive filters, not interlaced: clause 11.2.1.
  private static func file(
    width: Int, height: Int, depth: UInt8, colour: UInt8, rows: [UInt8], level: Int32
  ) -> [UInt8] {
    var header: [UInt8] = []
    append(UInt32(width), to: &header)
    append(UInt32(height), to: &header)
    header += [depth, colour, 0, 0, 0]
    var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    chunk("IHDR", header, to: &file)
    chunk("IDAT", deflated(rows, level: level), to: &file)
    chunk("IEND", [], to: &file)
    return file
  }

  /// Scan lines, each after its filter type. A row that repeats the one above is filtered with "up" (type 2) and
  /// so is all zeros, which deflates to next to nothing; a first row is left as it is (type 0).
  private static func rows(of frame: Frame, scale: Int) -> [UInt8] {
    let bytesPerRow = (frame.width * scale + 7) / 8
    var rows: [UInt8] = []
    rows.reserveCapacity((bytesPerRow + 1) * frame.height * scale)
    let repeated = [2] + [UInt8](repeating: 0, count: bytesPerRow)
    for y in 0..<frame.height {
      var row = [UInt8](repeating: 0, count: bytesPerRow)
      for x in 0..<frame.width where frame[x, y] {
        for point in x * scale..<(x + 1) * scale { row[point / 8] |= 0x80 >> UInt8(point % 8) }
      }
      rows.append(0)
      rows += row
      for _ in 1..<max(1, scale) { rows += repeated }
    }
    return rows
  }

  /// A zlib stream (RFC 1950). Deflate into a buffer of `compressBound` bytes cannot fail but for want of memory;
  /// then the bytes are stored uncompressed (RFC 1951, section 3.2.4), which is as valid.
  private static func deflated(_ bytes: [UInt8], level: Int32) -> [UInt8] {
    var length = compressBound(uLong(bytes.count))
    var stream = [UInt8](repeating: 0, count: Int(length))
    guard compress2(&stream, &length, bytes, uLong(bytes.count), level) == Z_OK else {
      return stored(bytes)
    }
    return Array(stream.prefix(Int(length)))
  }

  private static func stored(_ bytes: [UInt8]) -> [UInt8] {
    var stream: [UInt8] = [0x78, 0x01]
    var start = 0
    repeat {
      let count = min(65_535, bytes.count - start)
      let isLast = start + count == bytes.count
      let length = UInt16(count)
      stream += [isLast ? 1 : 0, UInt8(length & 0xFF), UInt8(length >> 8), UInt8(~length & 0xFF), UInt8(~length >> 8)]
      stream += bytes[start..<start + count]
      start += count
    } while start < bytes.count
    append(UInt32(truncatingIfNeeded: adler32(1, bytes, uInt(bytes.count))), to: &stream)
    return stream
  }

  /// Length, type, data, and the CRC over type and data: clause 5.3.
  private static func chunk(_ type: StaticString, _ data: [UInt8], to file: inout [UInt8]) {
    append(UInt32(data.count), to: &file)
    let body = type.withUTF8Buffer { Array($0) } + data
    file += body
    append(UInt32(truncatingIfNeeded: crc32(0, body, uInt(body.count))), to: &file)
  }

  private static func append(_ value: UInt32, to bytes: inout [UInt8]) {
    for shift in [24, 16, 8, 0] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
  }
}
