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
  /// Size of its first picture, at whatever rate is asked for; `nil` if that says none.
  public let fixedFormat: VideoFormat?
  private let file: Int32
  private let places: [Place]

  /// Largest file that is taken, in bytes.
  private static let largest = 1 << 30
  /// Largest picture that is found, in bytes.
  private static let window = 2 << 20

  /// Opens the file and finds its pictures. Blocks.
  ///
  /// - Parameter size: pixels across and down of a picture in H.264, by its parameter sets; `nil`: the film's are not known.
  public init(path: String, size: ((UnsafeRawBufferPointer) -> (width: Int, height: Int)?)? = nil) throws(DeviceError) {
    func refusal(_ reason: String, _ kind: DeviceError.Kind = .unsupported, code: Int32 = 0) -> DeviceError {
      DeviceError(
        kind, device: path, operation: "use it as a camera", code: code,
        hint: "\(reason); make one with ffmpeg -i FILE -an -c copy -f h264 FILE.h264")
    }
    // A pipe that nobody writes to must not hold anybody up.
    let file = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else {
      throw DeviceError(
        .missing, device: path, operation: "open the video file", code: errno, hint: "name a file that exists")
    }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0,
      Int(status.st_size) <= Self.largest
    else {
      Glibc.close(file)
      throw refusal("the file has \(status.st_size) bytes, 1 to \(Self.largest) can be played")
    }
    let window = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.window, alignment: 64)
    defer { window.deallocate() }
    let isJPEG = pread(file, window.baseAddress, 2, 0) == 2 && window[0] == 0xFF && window[1] == 0xD8
    codec = isJPEG ? .mjpeg : .h264
    places = isJPEG ? Self.images(of: file, window) : Self.accessUnits(of: file)
    // Where decoding can begin without an IDR picture is the stream's to say, by its recovery points.
    guard let first = places.first else {
      Glibc.close(file)
      throw refusal("the file holds neither H.264 in Annex B nor JPEG images")
    }
    let count = max(0, pread(file, window.baseAddress, min(first.count, window.count), first.offset))
    let picture = UnsafeRawBufferPointer(rebasing: window[..<count])
    let kind = codec
    fixedFormat = (isJPEG ? JPEGScan.size(in: picture) : size?(picture)).map {
      VideoFormat(codec: kind, width: $0.width, height: $0.height, framesPerSecond: 0)
    }
    self.file = file
  }

  deinit { Glibc.close(file) }

  public var codecs: [VideoCodec] { [codec] }
  public var largestPicture: Int? { places.map(\.count).max() }
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
      let bytes = UnsafeRawBufferPointer(rebasing: window[..<count])
      let length = JPEGScan.length(in: bytes)
      if length > 0 { places.append(Place(offset: offset, count: length, isKeyframe: true)) }
      // Padding, and an image that is damaged, cost themselves only.
      offset += length > 0 ? length : next(after: bytes)
    }
  }

  /// Where the next image may begin, or the next search has to.
  private static func next(after bytes: UnsafeRawBufferPointer) -> Int {
    var place = 1
    while place + 1 < bytes.count {
      if bytes[place] == 0xFF, bytes[place + 1] == 0xD8 { return place }
      place += 1
    }
    return max(1, bytes.count - 1)
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
