internal import Glibc
public import Hardware
internal import Synchronization

/// A file of pictures, played for ever: an H.264 byte stream, or JPEG images one after the other.
///
/// Picture `n` of the camera is picture `n` of the file, modulo its count, so that the stream has a seam without a
/// keyframe only where the camera is started in the middle. Pictures are read from the file when they are due: the memory
/// of a long film would count as the device's own. What the film has said before of its parameters comes with the first
/// picture, as from a camera that has just been opened: many a film says it once.
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
  private let sets: ParameterSets
  /// Nothing was taken since the device was opened.
  private let isFirst = Atomic(true)

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
    var sets = ParameterSets()
    places = isJPEG ? Self.images(of: file, window) : Self.accessUnits(of: file, &sets)
    self.sets = sets
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
  public var largestPicture: Int? { places.map(\.count).max().map { $0 + sets.largest } }
  /// Pictures in the file.
  public var count: Int { places.count }

  public func prepare(_ format: VideoFormat) { isFirst.store(true, ordering: .relaxed) }

  public func take(_ moment: PictureMoment, deliver: (_ bytes: UnsafeRawBufferPointer, _ isKeyframe: Bool) -> Void) {
    let number = moment.number % places.count
    let place = places[number]
    let said = isFirst.exchange(false, ordering: .relaxed) ? sets.said(before: number) : []
    withUnsafeTemporaryAllocation(byteCount: said.count + place.count, alignment: 64) { picture in
      picture.copyBytes(from: said)
      let count = max(0, pread(file, picture.baseAddress.map { $0 + said.count }, place.count, place.offset))
      deliver(UnsafeRawBufferPointer(rebasing: picture[..<(said.count + count)]), place.isKeyframe)
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

  private static func accessUnits(of file: Int32, _ sets: inout ParameterSets) -> [Place] {
    var splitter = AccessUnitSplitter(capacity: window)
    var places: [Place] = []
    var (offset, kept) = (0, 0)
    func keep(_ unit: AccessUnit, _ discarded: Int) {
      sets.add(unit.bytes, picture: places.count)
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

/// The parameter sets of a film in H.264, and from which picture on each holds.
private struct ParameterSets {
  /// By kind and number: every one that differs from the one before it, as it stands in the stream.
  private var all: [UInt32: [(picture: Int, bytes: [UInt8])]] = [:]

  /// Bytes that `said` has at most.
  var largest: Int { all.values.reduce(0) { $0 + ($1.map(\.bytes.count).max() ?? 0) } }

  /// Notes those of a picture.
  mutating func add(_ unit: UnsafeRawBufferPointer, picture: Int) {
    var place = NALScan.startCode(in: unit, from: 0)
    while place >= 0, place + 3 < unit.count {
      let next = NALScan.startCode(in: unit, from: place + 3)
      let kind = unit[place + 3] & 31
      // A sequence's, a picture's, an extension's, a layer's; they do not end with the zeros before the next start code.
      if [7, 8, 13, 15].contains(kind) {
        var bytes = [0] + unit[place..<(next < 0 ? unit.count : next)]
        while bytes.last == 0 { bytes.removeLast() }
        let key = Self.key(kind, bytes)
        if all[key]?.last?.bytes != bytes { all[key, default: []].append((picture, bytes)) }
      }
      place = next
    }
  }

  /// What holds when picture `number` comes, sequences before what refers to them.
  func said(before number: Int) -> [UInt8] {
    all.sorted { $0.key < $1.key }.flatMap { $0.value.last { $0.picture < number }?.bytes ?? [] }
  }

  /// A set's kind and number: an Exp-Golomb code (ITU-T H.264, 9.1), which in a sequence's set is behind profile and level.
  private static func key(_ kind: UInt8, _ bytes: [UInt8]) -> UInt32 {
    let start = kind == 7 || kind == 15 ? 8 : 5
    let word = (start..<start + 4).reduce(UInt32(0)) { $0 << 8 | (bytes.indices.contains($1) ? UInt32(bytes[$1]) : 0) }
    let zeros = min(15, word.leadingZeroBitCount)
    return UInt32(kind) << 16 | (word << UInt32(zeros)) >> UInt32(31 - zeros)
  }
}
