internal import Glibc
public import Hardware

/// A file of pictures, played for ever: an H.264 byte stream, or JPEG images one after the other.
///
/// Picture `n` of the camera is picture `n` of the file, modulo its count, so that the stream has a seam without a
/// keyframe only where the camera is started in the middle.
public final class VideoFileSource: PictureSource {
  /// A picture's bytes in the file.
  private struct Place {
    var offset: Int
    var count: Int
    var isKeyframe: Bool
  }

  public let codec: VideoCodec
  private let bytes: [UInt8]
  private let places: [Place]

  /// Largest file that is taken, in bytes: all of it is kept in memory.
  private static let largest = 256 << 20

  /// Reads the file and finds its pictures. Blocks.
  public init(path: String) throws(DeviceError) {
    func refusal(_ reason: String, _ kind: DeviceError.Kind = .unsupported, code: Int32 = 0) -> DeviceError {
      DeviceError(
        kind, device: path, operation: "use it as a camera", code: code,
        hint: "\(reason); make one with ffmpeg -i FILE -an -c copy -f h264 FILE.h264")
    }
    let file = Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
      throw DeviceError(
        .missing, device: path, operation: "open the video file", code: errno, hint: "name a file that exists")
    }
    defer { Glibc.close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_size > 0, Int(status.st_size) <= Self.largest else {
      throw refusal("the file has \(status.st_size) bytes, 1 to \(Self.largest) can be played")
    }
    let size = Int(status.st_size)
    bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, filled in
      filled = max(0, pread(file, buffer.baseAddress, size, 0))
    }
    let isJPEG = bytes.starts(with: [0xFF, 0xD8])
    codec = isJPEG ? .mjpeg : .h264
    places = isJPEG ? Self.images(in: bytes) : Self.accessUnits(in: bytes)
    guard places.contains(where: \.isKeyframe) else {
      throw refusal("the file holds neither H.264 in Annex B nor JPEG images")
    }
  }

  public var codecs: [VideoCodec] { [codec] }
  public var fixedFormat: VideoFormat? { nil }
  /// Pictures in the file.
  public var count: Int { places.count }

  public func prepare(_ format: VideoFormat) {}

  public func take(_ moment: PictureMoment, deliver: (_ bytes: UnsafeRawBufferPointer, _ isKeyframe: Bool) -> Void) {
    let place = places[moment.number % places.count]
    bytes.withUnsafeBytes { all in
      deliver(UnsafeRawBufferPointer(rebasing: all[place.offset..<(place.offset + place.count)]), place.isKeyframe)
    }
  }

  private static func images(in bytes: [UInt8]) -> [Place] {
    bytes.withUnsafeBytes { all in
      var places: [Place] = []
      var offset = 0
      while offset < all.count {
        let length = JPEGScan.length(in: UnsafeRawBufferPointer(rebasing: all[offset...]))
        guard length > 0 else { break }
        places.append(Place(offset: offset, count: length, isKeyframe: true))
        offset += length
      }
      return places
    }
  }

  private static func accessUnits(in bytes: [UInt8]) -> [Place] {
    var splitter = AccessUnitSplitter(capacity: bytes.count + 1)
    let room = splitter.room()
    bytes.withUnsafeBytes { room.copyMemory(from: $0) }
    splitter.append(bytes.count, at: .zero)
    var places: [Place] = []
    func keep(_ unit: AccessUnit) {
      guard let start = unit.bytes.baseAddress, let base = room.baseAddress else { return }
      places.append(
        Place(offset: start - UnsafeRawPointer(base), count: unit.bytes.count, isKeyframe: unit.isKeyframe))
    }
    while let unit = splitter.next() { keep(unit) }
    if let last = splitter.finish() { keep(last) }
    return places
  }
}
