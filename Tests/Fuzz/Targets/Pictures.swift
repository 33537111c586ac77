import Hardware
import Media
import SimulatedHardware

extension FuzzTarget {
  /// A film as a camera: whatever containers are demuxed, and streams of pictures.
  static let camera = FuzzTarget("camera", .media) { bytes in
    FuzzFolder.with(bytes, named: "film") { path in
      var sum = 0
      try? PictureExtractor.extract(path: path) { sum += $0.count }
      guard sum <= 1 << 20 + bytes.count << 12 else { return "\(sum) bytes of pictures in \(bytes.count)" }
      guard let source = try? VideoFileSource(path: path) else { return nil }
      for number in [0, 1, source.count - 1, source.count] {
        source.take(PictureMoment(number: number, time: .zero)) { bytes, _ in sum += bytes.count }
      }
      return nil
    }
  }

  /// Cameras' byte streams and images: units, parameter sets, pictures. The first byte says how it is cut into chunks.
  static let pictures = FuzzTarget("pictures", .bytes) { bytes in
    let chunk = 1 + Int(bytes.first ?? 0) * 16
    let stream = Array(bytes.dropFirst())
    return split(stream, chunk: chunk) ?? scan(stream)
  }

  /// Every byte of a stream comes out once: in a unit, or counted as thrown away.
  private static func split(_ stream: [UInt8], chunk: Int) -> String? {
    var splitter = AccessUnitSplitter(capacity: 4096)
    var followed = H264Stream()
    var place = 0
    var out = 0
    while place < stream.count {
      let room = splitter.room()
      let count = min(chunk, room.count, stream.count - place)
      guard count > 0 else { return "no room for a byte" }
      room.copyBytes(from: stream[place..<place + count])
      splitter.append(count, at: .zero)
      place += count
      while let unit = splitter.next() {
        out += unit.bytes.count
        followed.add(unit.bytes) { _, _ in }
        if let problem = pack(unit.bytes) { return problem }
      }
    }
    if let unit = splitter.finish() { out += unit.bytes.count }
    guard out + splitter.discardedBytes <= stream.count else {
      return "\(out) bytes and \(splitter.discardedBytes) thrown away, of \(stream.count)"
    }
    return nil
  }

  private static func pack(_ unit: UnsafeRawBufferPointer) -> String? {
    var sample: [UInt8] = []
    let filter = SampleFilter.withoutSets
    filter.append(unit, to: &sample)
    guard sample.count == filter.size(of: unit) else { return "a sample of another size than announced" }
    guard let parameters = H264Parameters(in: unit) else { return nil }
    guard (1...16_384).contains(parameters.width), (1...16_384).contains(parameters.height) else {
      return "\(parameters.width) × \(parameters.height)"
    }
    return parameters.configuration.isEmpty ? "no configuration" : nil
  }

  private static func scan(_ image: [UInt8]) -> String? {
    let length = image.withUnsafeBytes { JPEGScan.length(in: $0) }
    guard (0...image.count).contains(length) else { return "an image of \(length) bytes in \(image.count)" }
    let whole = JPEGTables.complete(image)
    guard whole.count >= image.count else { return "the image became shorter" }
    guard image.count < 16 << 10 else { return nil }
    whole.withUnsafeBytes { bytes in
      for coding in [VideoCodec.mjpeg, .h264] { _ = try? VideoDecoder.picture(of: bytes, coding, room: 56 << 20) }
    }
    guard let decoder = try? ProgrammePictureDecoder(room: 56 << 20) else { return "no decoder" }
    try? decoder.decode(image, time: .max) { _ = $0.grey(width: 128, height: 64).count }
    try? decoder.finish { _ = $0.place(in: 128, 64) }
    return nil
  }
}
