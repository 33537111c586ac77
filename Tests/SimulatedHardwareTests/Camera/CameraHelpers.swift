import Hardware
import SimulatedHardware

/// Pictures as a clip recorder gets them.
struct Pictures {
  var records: [FrameRecord] = []
  /// What was read off raw pictures, `nil` where nothing could be.
  var codes: [PictureCode?] = []
  var flashes: [Bool] = []
  var bytes: [[UInt8]] = []

  /// - Parameter keepsBytes: keeps the pictures themselves, too.
  mutating func drain(_ queue: FrameQueue, _ format: VideoFormat, keepsBytes: Bool = false) {
    while let (record, bytes) = queue.peek() {
      records.append(record)
      if record.kind == .picture, format.codec.isRaw {
        let step = format.codec == .yuyv ? 2 : 1
        codes.append(
          PictureCode(width: format.width, height: format.height) { x, y in
            bytes[(y * format.width + x) * step]
          })
        let last = (0..<format.width).map { bytes[((format.height - 1) * format.width + $0) * step] }
        flashes.append(last.allSatisfy { $0 == 235 })
      }
      if keepsBytes { self.bytes.append(Array(bytes)) }
      queue.drop()
    }
  }

  var numbers: [Int] { codes.map { $0.map { Int($0.number) } ?? -1 } }
  var times: [Int64] { records.filter { $0.kind == .picture }.map(\.time.nanoseconds) }
}

func cameraRequest(
  _ codecs: [VideoCodec] = [.nv12], width: Int = 320, height: Int = 180, rate: Int = 30
) -> CameraRequest {
  CameraRequest(
    codecs: codecs, width: width, height: height, framesPerSecond: rate, bitrate: 1_000_000, keyframeInterval: 15)
}
