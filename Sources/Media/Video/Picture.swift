public import Hardware

/// An uncompressed picture: a plane of luma and two of chroma at half the size each way (4:2:0, 8 bits).
public struct Picture: Hashable, Sendable {
  public var width: Int
  public var height: Int
  /// Whether values go from 0 to 255, as in JPEG, else luma from 16 to 235 and chroma from 16 to 240.
  public var isFullRange: Bool
  /// Whether colours are those of ITU-R BT.709, else of BT.601, as in JPEG.
  public var isRec709 = false
  /// `width` × `height` bytes, line by line.
  public var luma: [UInt8]
  /// Cb and Cr, `chromaWidth` × `chromaHeight` bytes each.
  public var blue: [UInt8]
  public var red: [UInt8]

  public var chromaWidth: Int { (width + 1) / 2 }
  public var chromaHeight: Int { (height + 1) / 2 }

  /// A grey picture.
  public init(width: Int, height: Int, isFullRange: Bool) {
    self.width = width
    self.height = height
    self.isFullRange = isFullRange
    luma = Array(repeating: isFullRange ? 0 : 16, count: width * height)
    blue = Array(repeating: 128, count: (width + 1) / 2 * ((height + 1) / 2))
    red = blue
  }

  /// A raw picture of a camera's, NV12 or YUYV; `nil` if it is of another coding or too short.
  public init?(_ bytes: UnsafeRawBufferPointer, format: VideoFormat) {
    guard format.codec.isRaw, format.width > 0, format.height > 0, bytes.count >= format.largestFrameBytes else {
      return nil
    }
    self.init(width: format.width, height: format.height, isFullRange: false)
    if format.codec == .yuyv {
      // Chroma of every other line is left out.
      for y in 0..<height {
        let line = y * width * 2
        for x in 0..<width { luma[y * width + x] = bytes[line + 2 * x] }
        guard y % 2 == 0 else { continue }
        for x in 0..<(width / 2) {
          blue[y / 2 * chromaWidth + x] = bytes[line + 4 * x + 1]
          red[y / 2 * chromaWidth + x] = bytes[line + 4 * x + 3]
        }
      }
    } else {
      luma.withUnsafeMutableBytes { $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[0..<(width * height)])) }
      for y in 0..<(height / 2) {
        for x in 0..<(width / 2) {
          let place = width * height + y * width + 2 * x
          blue[y * chromaWidth + x] = bytes[place]
          red[y * chromaWidth + x] = bytes[place + 1]
        }
      }
    }
  }

  /// The same picture with values from 0 to 255 (ITU-R BT.601, 2.5.1: black at 16, white at 235, chroma ±112).
  public var fullRange: Picture {
    guard !isFullRange else { return self }
    var picture = self
    picture.isFullRange = true
    let lumaTable = (0..<256).map { UInt8(clamping: (($0 - 16) * 255 + 109) / 219) }
    // Rounded towards the nearest from a value that is kept positive.
    let chromaTable = (0..<256).map { UInt8(clamping: (($0 - 128) * 255 + 128 * 224 + 112) / 224) }
    for index in picture.luma.indices { picture.luma[index] = lumaTable[Int(luma[index])] }
    for index in picture.blue.indices {
      picture.blue[index] = chromaTable[Int(blue[index])]
      picture.red[index] = chromaTable[Int(red[index])]
    }
    return picture
  }

  /// The same picture as JPEG has it (JFIF 1.02): values from 0 to 255, colours of BT.601.
  var asInJPEG: Picture {
    let source = fullRange
    guard source.isRec709 else { return source }
    var picture = source
    picture.isRec709 = false
    // Shares of 65,536, by the luma coefficients of both.
    func mixed(_ place: Int, _ blue: Int, _ red: Int) -> Int {
      ((Int(source.blue[place]) - 128) * blue + (Int(source.red[place]) - 128) * red + 32_768) >> 16
    }
    for y in 0..<height {
      for x in 0..<width {
        let more = mixed(y / 2 * chromaWidth + x / 2, 6657, 12_850)
        picture.luma[y * width + x] = UInt8(clamping: Int(source.luma[y * width + x]) + more)
      }
    }
    for place in source.blue.indices {
      picture.blue[place] = UInt8(clamping: 128 + mixed(place, 64_871, -7252))
      picture.red[place] = UInt8(clamping: 128 + mixed(place, -4748, 64_448))
    }
    return picture
  }
}
