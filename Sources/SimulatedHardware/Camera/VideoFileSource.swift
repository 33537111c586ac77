internal import Glibc
public import Hardware

/// A file of pictures, played for ever: an H.264 byte stream, or JPEG images one after the other.
///
/// Picture `n` of the camera is picture `n` of the file, modulo its count, so that the stream has a seam without a
/// keyframe only where the camera is started in the middle. Pictures are read from the file when they are due: the memory
/// of a long film would count as the device's own.
public final class VideoFileSource: PictureSource {
  /// A picture's bytes in the file.
  private struct Place {
    var offset: Int
    var count: Int
    var isKeyframe: Bool
  }

  public let codec: VideoCodec
  private let file: Int32
  private let places: [Place]

  /// Largest file that is taken, in bytes.
  private static let largest = 1 << 30
  /// Largest picture that is found, in bytes.
  private static let window = 2 << 20

  /// Opens the file and finds its pictures. Blocks.
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
    var status = stat()
    guard fstat(file, &status) == 0, status.st_size > 0, Int(status.st_size) <= Self.largest else {
      Glibc.close(file)
      throw refusal("the file has \(status.st_size) bytes, 1 to \(Self.largest) can be played")
    }
    let window = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.window, alignment: 64)
    defer { window.deallocate() }
    let isJPEG = pread(file, window.baseAddress, 2, 0) == 2 && window[0] == 0xFF && window[1] == 0xD8
    codec = isJPEG ? .mjpeg : .h264
    places = isJPEG ? Self.images(of: file, window) : Self.accessUnits(of: file)
    guard places.contains(where: \.isKeyframe) else {
      Glibc.close(file)
      throw refusal("the file holds neither H.264 in Annex B nor JPEG images")
    }
    self.file = file
  }

  deinit { Glibc.close(file) }

  public var codecs: [VideoCodec] { [codec] }
  public var fixedFormat: VideoFormat? { nil }
  /// Pictures in the file.
  public var count: Int { places.count }

  public func prepare(_ format: VideoFormat) {}

  public func take(_ moment: PictureMoment, deliver: (_ bytes: UnsafeRawBufferPointer, _ isKeyframe: Bool) -> Void) {
    let place = places[moment.number % places.count]
    withUnsafeTemporaryAllocation(byteCount: place.count, alignment: 64) { picture in
      let count = max(0, pread(file, picture.baseAddress, place.count, place.offset))
      deliver(UnsafeRawBufferPointer(rebasing: picture[..<count]), place.isKeyframe)
    }
  }

  private static func images(of file: Int32, _ window: UnsafeMutableRawBufferPointer) -> [Place] {
    var places: [Place] = []
    var offset = 0
    while true {
      let count = pread(file, window.baseAddress, window.count, offset)
      guard count > 0 else { return places }
      let length = JPEGScan.length(in: UnsafeRawBufferPointer(rebasing: window[..<count]))
      guard length > 0 else { return places }
      places.append(Place(offset: offset, count: length, isKeyframe: true))
      offset += length
    }
  }

  private static func accessUnits(of file: Int32) -> [Place] {
    var splitter = AccessUnitSplitter(capacity: window)
    var places: [Place] = []
    var (offset, kept) = (0, 0)
    func keep(_ unit: AccessUnit, _ discarded: Int) {
      places.append(Place(offset: discarded + kept, count: unit.bytes.count, isKeyframe: unit.isKeyframe))
      kept += unit.bytes.count
    }
    while true {
      let room = splitter.room()
      let count = pread(file, room.baseAddress, room.count, offset)
      guard count > 0 else { break }
      offset += count
      splitter.append(count, at: .zero)
      while let unit = splitter.next() { keep(unit, splitter.discardedBytes) }
    }
    if let last = splitter.finish() { keep(last, splitter.discardedBytes) }
    return places
  }
}
