public import Hardware

/// Colour bars with the picture's number and time burnt in, for machines (`PictureCode`) and for people.
///
/// Everything that stands still is drawn once; a picture costs its code's blocks and its text. With the flash on, all
/// of the picture but code and text is white.
public final class TestCard: PictureSource, @unchecked Sendable {
  /// Bars of 75 %, left to right, as Y, Cb, Cr of ITU-R BT.709 in 8 bits of limited range.
  static let bars: [(luma: UInt8, blue: UInt8, red: UInt8)] = [
    (180, 128, 128), (168, 44, 136), (145, 147, 44), (133, 63, 52), (63, 193, 204), (51, 109, 212), (28, 212, 120),
    (16, 128, 128),
  ]
  /// Black and white of limited range.
  static let black: UInt8 = 16
  static let white: UInt8 = 235

  private var format = VideoFormat(codec: .nv12, width: 0, height: 0, framesPerSecond: 1)
  private var plain: [UInt8] = []
  private var flash: [UInt8] = []

  public init() {}

  public var codecs: [VideoCodec] { [.nv12, .yuyv] }
  public var fixedFormat: VideoFormat? { nil }

  public func prepare(_ format: VideoFormat) {
    self.format = format
    plain = backdrop { Self.bars[min(7, $0 * 8 / format.width)] }
    flash = backdrop { _ in (Self.white, 128, 128) }
  }

  public func take(_ moment: PictureMoment, deliver: (_ bytes: UnsafeRawBufferPointer, _ isKeyframe: Bool) -> Void) {
    func finish(_ picture: UnsafeMutableRawBufferPointer) {
      draw(moment, on: picture)
      deliver(UnsafeRawBufferPointer(picture), true)
    }
    if moment.isFlash { flash.withUnsafeMutableBytes(finish) } else { plain.withUnsafeMutableBytes(finish) }
  }

  // MARK: Drawing

  /// A whole picture of upright stripes, with black ground where code and text will be.
  private func backdrop(_ colour: (_ x: Int) -> (luma: UInt8, blue: UInt8, red: UInt8)) -> [UInt8] {
    let (width, height) = (format.width, format.height)
    var picture = [UInt8](repeating: 0, count: format.largestFrameBytes)
    for x in 0..<width {
      // Chroma is shared by pairs of pixels: that of the left one counts.
      let (luma, blue, red) = (colour(x).luma, colour(x & ~1).blue, colour(x & ~1).red)
      for y in 0..<height {
        let (isGrey, ground) = isInk(x & ~1, y & ~1) ? (true, Self.black) : (false, luma)
        let chroma = isGrey ? 128 : x % 2 == 0 ? blue : red
        switch format.codec {
        case .yuyv:
          picture[(y * width + x) * 2] = ground
          picture[(y * width + x) * 2 + 1] = chroma
        default:
          picture[y * width + x] = ground
          if y % 2 == 0 { picture[width * height + y / 2 * width + x] = chroma }
        }
      }
    }
    return picture
  }

  private var block: Int { PictureCode.blockSize(width: format.width, height: format.height) }
  private var textScale: Int { max(1, block / 8) }
  private var textTop: Int { block * (PictureCode.rows + 1) + block / 2 }

  /// Whether a pixel belongs to the ground of code or text.
  private func isInk(_ x: Int, _ y: Int) -> Bool {
    guard x >= block, x < block * (PictureCode.columns + 1) + block / 2, y >= block else { return false }
    return y < textTop + TestCardText.height * textScale + block / 4
  }

  private func draw(_ moment: PictureMoment, on picture: UnsafeMutableRawBufferPointer) {
    let code = PictureCode(
      number: UInt32(truncatingIfNeeded: moment.number), nanoseconds: moment.time.nanoseconds)
    for (place, byte) in code.bytes.enumerated() {
      for bit in 0..<8 {
        let index = place * 8 + bit
        fill(
          picture, x: block * (1 + index % PictureCode.columns), y: block * (1 + index / PictureCode.columns),
          width: block, height: block, byte & (0x80 >> UInt8(bit)) != 0 ? Self.white : Self.black)
      }
    }
    let text = TestCardText.line(moment)
    let advance = (TestCardText.width + 1) * textScale
    for (index, glyph) in text.enumerated() where block + (index + 1) * advance <= format.width {
      for y in 0..<TestCardText.height {
        for x in 0...TestCardText.width {
          fill(
            picture, x: block + index * advance + x * textScale, y: textTop + y * textScale, width: textScale,
            height: textScale, TestCardText.isSet(glyph, x, y) ? Self.white : Self.black)
        }
      }
    }
  }

  /// Sets the luma of a rectangle; what lies outside of the picture is left out.
  private func fill(
    _ picture: UnsafeMutableRawBufferPointer, x: Int, y: Int, width: Int, height: Int, _ value: UInt8
  ) {
    guard let base = picture.baseAddress else { return }
    let columns = min(width, format.width - x)
    guard columns > 0 else { return }
    for row in y..<min(y + height, format.height) {
      if format.codec == .yuyv {
        let line = base + (row * format.width + x) * 2
        for column in 0..<columns { line.storeBytes(of: value, toByteOffset: column * 2, as: UInt8.self) }
      } else {
        (base + row * format.width + x).initializeMemory(as: UInt8.self, repeating: value, count: columns)
      }
    }
  }
}
