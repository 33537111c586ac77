internal import CFFmpeg
internal import Hardware

/// Camera pictures into frames of libavcodec's and out of them.
enum FrameFilling {
  /// Copies a raw picture into a frame of NV12 or of three planes (4:2:0) of the same size.
  static func fill(_ frame: UnsafeMutablePointer<AVFrame>, from picture: UnsafeRawPointer, format: VideoFormat) {
    let (width, height) = (format.width, format.height)
    guard let luma = frame.pointee.data.0, let second = frame.pointee.data.1 else { return }
    let strides = (Int(frame.pointee.linesize.0), Int(frame.pointee.linesize.1), Int(frame.pointee.linesize.2))
    let isInterleaved = frame.pointee.format == AV_PIX_FMT_NV12.rawValue
    let third = isInterleaved ? second + 1 : (frame.pointee.data.2 ?? second)
    let step = isInterleaved ? 2 : 1
    let thirdStride = isInterleaved ? strides.1 : strides.2
    let source = picture.assumingMemoryBound(to: UInt8.self)
    if format.codec == .yuyv {
      for y in 0..<height {
        let line = source + y * width * 2
        let target = luma + y * strides.0
        for x in 0..<width { target[x] = line[2 * x] }
      }
      // Chroma of 4:2:2 has every line; that of 4:2:0 is the mean of two.
      for y in 0..<(height / 2) {
        let upper = source + 2 * y * width * 2
        let lower = upper + width * 2
        for x in 0..<(width / 2) {
          second[y * strides.1 + x * step] = UInt8((UInt16(upper[4 * x + 1]) + UInt16(lower[4 * x + 1]) + 1) / 2)
          third[y * thirdStride + x * step] = UInt8((UInt16(upper[4 * x + 3]) + UInt16(lower[4 * x + 3]) + 1) / 2)
        }
      }
      return
    }
    for y in 0..<height { (luma + y * strides.0).update(from: source + y * width, count: width) }
    let chroma = source + width * height
    for y in 0..<(height / 2) {
      let line = chroma + y * width
      if isInterleaved {
        (second + y * strides.1).update(from: line, count: width)
      } else {
        for x in 0..<(width / 2) {
          second[y * strides.1 + x] = line[2 * x]
          third[y * strides.2 + x] = line[2 * x + 1]
        }
      }
    }
  }

  /// Copies a picture into a frame of three planes (4:2:0) of the same size.
  static func fill(_ frame: UnsafeMutablePointer<AVFrame>, from picture: Picture) {
    guard let luma = frame.pointee.data.0, let blue = frame.pointee.data.1, let red = frame.pointee.data.2 else {
      return
    }
    copy(picture.luma, picture.width, picture.height, to: luma, stride: Int(frame.pointee.linesize.0))
    copy(picture.blue, picture.chromaWidth, picture.chromaHeight, to: blue, stride: Int(frame.pointee.linesize.1))
    copy(picture.red, picture.chromaWidth, picture.chromaHeight, to: red, stride: Int(frame.pointee.linesize.2))
  }

  private static func copy(
    _ plane: [UInt8], _ width: Int, _ height: Int, to target: UnsafeMutablePointer<UInt8>, stride: Int
  ) {
    plane.withUnsafeBufferPointer { source in
      guard let base = source.baseAddress else { return }
      for y in 0..<height { (target + y * stride).update(from: base + y * width, count: width) }
    }
  }

  /// A decoded frame as a picture; `nil` if its layout is none that cameras and our encoders make.
  static func picture(_ frame: AVFrame) -> Picture? {
    let (width, height) = (Int(frame.width), Int(frame.height))
    guard (1...8192).contains(width), (1...8192).contains(height), let luma = frame.data.0 else { return nil }
    // Halvings of chroma across and down, and whether values go to 255 whatever the stream says.
    let layout: (across: Int, down: Int, isFull: Bool)
    switch AVPixelFormat(rawValue: frame.format) {
    case AV_PIX_FMT_YUV420P, AV_PIX_FMT_NV12: layout = (1, 1, false)
    case AV_PIX_FMT_YUVJ420P: layout = (1, 1, true)
    case AV_PIX_FMT_YUV422P: layout = (1, 0, false)
    case AV_PIX_FMT_YUVJ422P: layout = (1, 0, true)
    case AV_PIX_FMT_YUV440P: layout = (0, 1, false)
    case AV_PIX_FMT_YUVJ440P: layout = (0, 1, true)
    case AV_PIX_FMT_YUV444P: layout = (0, 0, false)
    case AV_PIX_FMT_YUVJ444P: layout = (0, 0, true)
    case AV_PIX_FMT_GRAY8: layout = (0, 0, false)
    case AV_PIX_FMT_YUV420P10LE: layout = (1, 1, false)
    case AV_PIX_FMT_YUV422P10LE: layout = (1, 0, false)
    case AV_PIX_FMT_YUV444P10LE, AV_PIX_FMT_GRAY10LE: layout = (0, 0, false)
    default: return nil
    }
    // Of ten bits, in words of two bytes, the upper eight.
    let ten = [AV_PIX_FMT_YUV420P10LE, AV_PIX_FMT_YUV422P10LE, AV_PIX_FMT_YUV444P10LE, AV_PIX_FMT_GRAY10LE]
    let isDeep = ten.contains { $0.rawValue == frame.format }
    var picture = Picture(
      width: width, height: height, isFullRange: layout.isFull || frame.color_range == AVCOL_RANGE_JPEG)
    picture.isRec709 = frame.colorspace == AVCOL_SPC_BT709
    func value(_ line: UnsafePointer<UInt8>, _ x: Int) -> UInt8 {
      isDeep ? line[2 * x] >> 2 | line[2 * x + 1] << 6 : line[x]
    }
    let stride = Int(frame.linesize.0)
    for y in 0..<height { for x in 0..<width { picture.luma[y * width + x] = value(luma + y * stride, x) } }
    let isInterleaved = frame.format == AV_PIX_FMT_NV12.rawValue
    guard let blue = frame.data.1, let red = isInterleaved ? blue + 1 : frame.data.2 else { return picture }
    let (blueStride, redStride) = (Int(frame.linesize.1), Int(isInterleaved ? frame.linesize.1 : frame.linesize.2))
    for y in 0..<picture.chromaHeight {
      for x in 0..<picture.chromaWidth {
        let place = isInterleaved ? x * 2 : min(x << 1, width - 1) >> layout.across
        let line = min(y << 1, height - 1) >> layout.down
        picture.blue[y * picture.chromaWidth + x] = value(blue + line * blueStride, place)
        picture.red[y * picture.chromaWidth + x] = value(red + line * redStride, place)
      }
    }
    return picture
  }
}
