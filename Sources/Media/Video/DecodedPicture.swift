internal import CFFmpeg
public import Hardware

/// A picture in the decoder's memory, which it gives back when it is gone: hold few of them. One thread.
public final class DecodedPicture {
  private let frame: LibavFrame
  private let layout: PlaneLayout
  /// What came with its access unit.
  public let time: Int
  public let width: Int
  public let height: Int
  /// Width of what is seen of it: not that of its pixels if they are not square.
  public let seenWidth: Int

  /// `nil` if it is of a layout that H.264 in 8 bits does not have.
  init?(_ frame: LibavFrame) {
    let content = frame.pointer.pointee
    guard let layout = PlaneLayout(content), content.pts != ffmpeg_no_timestamp() else { return nil }
    self.frame = frame
    self.layout = layout
    time = Int(content.pts)
    width = Int(content.width)
    height = Int(content.height)
    let (across, down) = (Int(content.sample_aspect_ratio.num), Int(content.sample_aspect_ratio.den))
    // Shapes beyond this are mistakes.
    let isOdd = across > 0 && down > 0 && across <= 4 * down && down <= 4 * across
    seenWidth = isOdd ? max(1, Int(content.width) * across / down) : Int(content.width)
  }

  /// Where a picture of this shape lies in `width` × `height`: as large as it can be, in the middle.
  public func place(in width: Int, _ height: Int) -> (x: Int, y: Int, width: Int, height: Int) {
    var across = width
    var down = width * self.height / seenWidth
    if down > height {
      down = height
      across = height * seenWidth / self.height
    }
    across = max(1, min(width, across))
    down = max(1, min(height, down))
    return ((width - across) / 2, (height - down) / 2, across, down)
  }

  /// Draws it as large as the surface allows, in its shape, with black around it. A line is converted once, however often
  /// it is repeated.
  ///
  /// Plain loops and not libswscale: nearest neighbours are exact where a picture is shown at a multiple of its size, cost
  /// less than a tenth of decoding, and a release has one library less.
  public func draw(on surface: ScreenSurface) {
    guard surface.width > 0, surface.height > 0, surface.bytesPerRow >= surface.width * 4 else { return }
    let place = place(in: surface.width, surface.height)
    // The source's column in the middle of each of the surface's.
    var columns = [Int32](repeating: 0, count: place.width)
    for x in 0..<place.width {
      let doubled = (2 * x + 1) * width
      columns[x] = Int32(doubled / (2 * place.width))
    }
    let colours = ColourTable(isFullRange: layout.isFullRange(frame.pointer.pointee), isHD: height >= 720)
    var line = [UInt32](repeating: 0, count: surface.width)
    var drawn = -1
    for y in 0..<surface.height {
      let row = surface.pixels + y * surface.bytesPerRow
      guard y >= place.y, y < place.y + place.height else {
        row.initializeMemory(as: UInt8.self, repeating: 0, count: surface.width * 4)
        continue
      }
      let source = (2 * (y - place.y) + 1) * height / (2 * place.height)
      if source != drawn {
        drawn = source
        convert(line: source, columns, colours, into: &line, at: place.x)
      }
      line.withUnsafeBytes { bytes in
        if let base = bytes.baseAddress { row.copyMemory(from: base, byteCount: surface.width * 4) }
      }
    }
  }

  private func convert(
    line: Int, _ columns: [Int32], _ colours: ColourTable, into pixels: inout [UInt32], at start: Int
  ) {
    let content = frame.pointer.pointee
    guard let luma = content.data.0, let blue = content.data.1,
      let red = layout.isInterleaved ? blue + 1 : content.data.2
    else { return }
    let lumaLine = luma + line * Int(content.linesize.0)
    let chroma = line >> layout.down
    let blueLine = blue + chroma * Int(content.linesize.1)
    let redLine = red + chroma * Int(layout.isInterleaved ? content.linesize.1 : content.linesize.2)
    let (across, step) = (layout.across, layout.isInterleaved ? 2 : 1)
    pixels.withUnsafeMutableBufferPointer { target in
      columns.withUnsafeBufferPointer { columns in
        for x in 0..<columns.count {
          let column = Int(columns[x])
          let place = (column >> across) * step
          target[start + x] = colours.word(lumaLine[column], blueLine[place], redLine[place])
        }
      }
    }
  }

  /// Its luma at another size, each point the mean of what it covers, 0…255.
  public func grey(width newWidth: Int, height newHeight: Int) -> [UInt8] {
    let content = frame.pointer.pointee
    guard newWidth > 0, newHeight > 0, let luma = content.data.0 else { return [] }
    let isFull = layout.isFullRange(content)
    return AreaMeans.levels(
      of: luma, bytesPerRow: Int(content.linesize.0), width: width, height: height, columns: newWidth, rows: newHeight
    ).map { UInt8(clamping: isFull ? $0 : ($0 - 16) * 255 / 219) }
  }
}

/// How the planes of a frame lie.
struct PlaneLayout {
  /// Halvings of chroma across and down.
  var across: Int
  var down: Int
  var isInterleaved = false
  private var isAlwaysFull = false

  init?(_ frame: AVFrame) {
    guard (1...8192).contains(frame.width), (1...8192).contains(frame.height), frame.data.0 != nil else { return nil }
    switch AVPixelFormat(rawValue: frame.format) {
    case AV_PIX_FMT_YUV420P: (across, down) = (1, 1)
    case AV_PIX_FMT_YUVJ420P: (across, down, isAlwaysFull) = (1, 1, true)
    case AV_PIX_FMT_YUV422P: (across, down) = (1, 0)
    case AV_PIX_FMT_YUVJ422P: (across, down, isAlwaysFull) = (1, 0, true)
    case AV_PIX_FMT_YUV444P: (across, down) = (0, 0)
    case AV_PIX_FMT_YUVJ444P: (across, down, isAlwaysFull) = (0, 0, true)
    case AV_PIX_FMT_NV12: (across, down, isInterleaved) = (1, 1, true)
    default: return nil
    }
    guard frame.data.1 != nil, isInterleaved || frame.data.2 != nil else { return nil }
  }

  /// Whether values go from 0 to 255.
  func isFullRange(_ frame: AVFrame) -> Bool { isAlwaysFull || frame.color_range == AVCOL_RANGE_JPEG }
}

/// Luma and two differences of colour to red, green and blue (ITU-R BT.601-7, 2.5; BT.709-6, 3), in 8 bits of fraction.
struct ColourTable {
  private let black: Int32
  private let scale: Int32
  private let redOfRed: Int32
  private let greenOfBlue: Int32
  private let greenOfRed: Int32
  private let blueOfBlue: Int32

  /// - Parameter isHD: BT.709, which streams of 720 lines and more use, else BT.601.
  init(isFullRange: Bool, isHD: Bool) {
    black = isFullRange ? 0 : 16
    scale = isFullRange ? 256 : 298
    switch (isFullRange, isHD) {
    case (false, false): (redOfRed, greenOfBlue, greenOfRed, blueOfBlue) = (409, -100, -208, 516)
    case (false, true): (redOfRed, greenOfBlue, greenOfRed, blueOfBlue) = (459, -55, -136, 541)
    case (true, false): (redOfRed, greenOfBlue, greenOfRed, blueOfBlue) = (359, -88, -183, 454)
    case (true, true): (redOfRed, greenOfBlue, greenOfRed, blueOfBlue) = (403, -48, -120, 475)
    }
  }

  @inline(__always)
  func word(_ luma: UInt8, _ blue: UInt8, _ red: UInt8) -> UInt32 {
    let base = (Int32(luma) &- black) &* scale &+ 128
    let b = Int32(blue) &- 128
    let r = Int32(red) &- 128
    let redPart = Self.byte(base &+ redOfRed &* r)
    let greenPart = Self.byte(base &+ greenOfBlue &* b &+ greenOfRed &* r)
    let bluePart = Self.byte(base &+ blueOfBlue &* b)
    return redPart << 16 | greenPart << 8 | bluePart
  }

  @inline(__always)
  private static func byte(_ value: Int32) -> UInt32 { UInt32(bitPattern: min(255, max(0, value >> 8))) }
}
