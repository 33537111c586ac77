internal import CFFmpeg
internal import Hardware

/// The sound of an MP4 or MOV file that comes in pieces: its head, then one sample after the other, or one fragment after
/// the other. Bytes that it needs next may lie elsewhere in the file (`wanted`). One thread; any bytes are answered.
final class MovieFeed {
  private let name: String
  /// Bytes of the whole file, where they are known.
  private let length: Int?
  private var input: [UInt8] = []
  private var place = 0
  /// Where in the file `place` is, and where the next bytes that are needed are.
  private var offset = 0
  private var target = 0
  /// What comes before the sound: `ftyp` and `moov`.
  private var head: [UInt8] = []
  private var samples: [(place: Int, size: Int, seconds: Double)] = []
  private var next = 0
  /// Of the head, as often as it was read for a fragment.
  private var headBytes = 0
  private var fragment: SegmentDemuxer?
  private(set) var codec: LibavCodec?

  private static let largestHead = 12 << 20
  private static let largestFragment = 16 << 20
  /// Bytes of the head that may be read for one of the file.
  private static let mostHeads = 1000
  /// It is quicker to let so many bytes go by than to ask for others.
  private static let patience = 1 << 20

  init(name: String, length: Int?) {
    self.name = name
    self.length = length
  }

  /// Where in the file the bytes should go on: behind what has come by far, or before it.
  var wanted: Int? {
    target < offset || target > offset + (input.count - place) + Self.patience ? target : nil
  }

  func feed(_ bytes: [UInt8]) {
    input.removeFirst(place)
    place = 0
    input += bytes
  }

  /// The next bytes are from there.
  func move(to place: Int) {
    (input, self.place, offset) = ([], 0, place)
  }

  /// How long it is, where its head says where everything is.
  var seconds: Double? { samples.last.map(\.seconds) }

  /// All that its head says is there has come.
  var isComplete: Bool { !samples.isEmpty && next == samples.count }

  /// The next packet is the one of this time.
  ///
  /// - Returns: where in the file it is, and its own time; `nil` if only reading on leads there.
  func seek(to seconds: Double) -> (place: Int, seconds: Double)? {
    guard !samples.isEmpty else { return nil }
    var (low, high) = (0, samples.count - 1)
    while low < high {
      let middle = (low + high + 1) / 2
      if samples[middle].seconds <= seconds { low = middle } else { high = middle - 1 }
    }
    if let codec { avcodec_flush_buffers(codec.pointer) }
    (next, target) = (low, samples[low].place)
    return (target, max(0, samples[low].seconds))
  }

  /// The next packet; `nil` if there is none in what has come.
  func nextPacket() throws(MediaError) -> [UInt8]? {
    while true {
      if let fragment {
        guard let packet = fragment.read() else {
          self.fragment = nil
          continue
        }
        guard packet != .sound || !fragment.isProtected else { throw MediaError.protected(name) }
        guard packet == .sound, let data = fragment.current.pointee.data else { continue }
        return Array(UnsafeBufferPointer(start: data, count: Int(max(0, fragment.current.pointee.size))))
      }
      guard reachTarget() else { return nil }
      if samples.isEmpty {
        guard try readBox() else { return nil }
      } else {
        guard next < samples.count else { return nil }
        let sample = samples[next]
        target = sample.place
        guard reachTarget(), let bytes = take(sample.size) else { return nil }
        next += 1
        return bytes
      }
    }
  }

  /// - Returns: false if its bytes have not come.
  private func reachTarget() -> Bool {
    guard target >= offset else { return false }
    let count = min(target - offset, input.count - place)
    place += count
    offset += count
    return target == offset
  }

  private func take(_ count: Int) -> [UInt8]? {
    guard count <= input.count - place else { return nil }
    defer {
      place += count
      offset += count
      target = offset
    }
    return Array(input[place..<(place + count)])
  }

  // MARK: Boxes

  /// - Returns: false if it is not all there.
  private func readBox() throws(MediaError) -> Bool {
    guard let (type, size) = try box(at: place) else { return false }
    switch type {
    // A file has one head: another one would have all of them read anew.
    case "ftyp" where codec == nil, "moov" where codec == nil:
      guard head.count + size <= Self.largestHead else { throw refused(.unsupported, "its head is larger than 12 MiB") }
      guard let bytes = take(size) else { return false }
      head += bytes
      if type == "moov" { try open() }
    case "moof" where !head.isEmpty:
      // The samples follow their head.
      guard size <= Self.largestFragment else { throw refused(.unsupported, "a fragment of \(size) bytes") }
      guard let second = try box(at: place + size) else { return false }
      let whole = size + second.size
      guard whole <= Self.largestFragment else { throw refused(.unsupported, "a fragment of \(whole) bytes") }
      let start = offset
      guard var bytes = take(whole) else { return false }
      // It is read as if it followed the head.
      FragmentBase.move(&bytes, from: start, to: head.count)
      // Its head is read again with each of them.
      headBytes += head.count
      guard headBytes / Self.mostHeads <= offset + Self.largestHead / 32 else {
        throw refused(.unsupported, "its head is too large for fragments that are so small")
      }
      fragment = try SegmentDemuxer(bytes, initialization: head, name: name, wantsPictures: false, isPart: true)
    default: target = offset + size
    }
    return true
  }

  private func box(at start: Int) throws(MediaError) -> (type: String, size: Int)? {
    guard start <= input.count else { return nil }
    var reader = ByteReader(input[start...])
    guard let short = reader.big32(), let type = reader.fourCC() else { return nil }
    var size = Int(short)
    if short == 1 {
      guard let long = reader.big64() else { return nil }
      size = Int(clamping: long)
    }
    guard size >= 8, size < 1 << 48 else { throw refused(.damaged, "a box \(type) of \(size) bytes") }
    return (type, size)
  }

  private func open() throws(MediaError) {
    let demuxer = try SegmentDemuxer(head, initialization: [], name: name, wantsPictures: false, fileBytes: length)
    samples = demuxer.soundSamples()
    // Sound that begins behind the pictures is heard at once: its places are counted from there.
    let first = max(0, samples.first?.seconds ?? 0)
    for index in samples.indices { samples[index].seconds -= first }
    guard !demuxer.isSoundProtected else { throw MediaError.protected(name) }
    guard let parameters = demuxer.soundParameters, let found = avcodec_find_decoder(parameters.pointee.codec_id) else {
      throw refused(
        .unsupported, demuxer.refused.map { "no decoder for its sound, \($0), is built in" } ?? "no sound in it")
    }
    guard let codec = LibavCodec(found) else { throw Libav.outOfMemory(name, "decode") }
    var status = avcodec_parameters_to_context(codec.pointer, parameters)
    if status >= 0 { status = avcodec_open2(codec.pointer, found, nil) }
    guard status >= 0 else { throw Libav.error(status, subject: name, operation: "open the decoder") }
    self.codec = codec
  }

  private func refused(_ kind: MediaError.Kind, _ reason: String) -> MediaError {
    MediaError(kind, subject: name, operation: "open", reason: reason)
  }
}
