internal import Hardware

/// The head of an MP4 recording of ours as it was before a few of its bytes went wrong. All of it but the texts at its
/// end follows from a few numbers, most of which it says several times.
struct MendedMovieHead {
  /// The first `moov`.
  private(set) var bytes: [UInt8] = []
  private(set) var description: FileDescription
  /// Bytes that are not as they were.
  private(set) var wrong = 0

  /// No head is longer.
  static let mostBytes = 8 << 10
  /// Where more is wrong it may be another program's.
  private static let mostWrong = 8

  /// The tracks that recordings have.
  private struct Form {
    var pictures: VideoCodec?
    var sound: SoundCodec?
    /// Bytes that say how they are coded.
    var pictureBytes = 0
    var soundBytes = 0
  }

  private static let forms = [
    Form(sound: .aac), Form(pictures: .h264, sound: .aac), Form(pictures: .mjpeg, sound: .aac), Form(sound: .alac),
    Form(pictures: .h264), Form(pictures: .mjpeg),
  ]

  /// The likeliest head; `nil` where it is another program's, or cannot be told.
  ///
  /// - Parameter found: a file from the place of its first `moov` on.
  init?(_ found: [UInt8]) {
    var best: MendedMovieHead?
    for form in Self.forms where best?.wrong != 0 {
      for form in Self.lengths(of: form, in: found) {
        for head in Self.heads(of: form, in: found) where head.wrong < best?.wrong ?? (Self.mostWrong + 1) {
          best = head
        }
      }
    }
    guard let best else { return nil }
    self = best
  }

  // MARK: What it may be

  /// The form with each length that a box says of what says how its tracks are coded.
  private static func lengths(of form: Form, in found: [UInt8]) -> [Form] {
    var forms = [form]
    if form.pictures == .h264 {
      let lengths = Set(
        size(of: "avcC", in: found, less: 8, 7...1024) + size(of: "avc1", in: found, less: 94, 7...1024))
      forms = lengths.sorted().map { length in
        var form = form
        form.pictureBytes = length
        return form
      }
    }
    guard form.sound == .aac else { return forms }
    let lengths = Set(size(of: "esds", in: found, less: 37, 2...64) + size(of: "mp4a", in: found, less: 73, 2...64))
    return forms.flatMap { form in
      lengths.sorted().map { length in
        var form = form
        form.soundBytes = length
        return form
      }
    }
  }

  /// The sizes of the first boxes of a type, without so many bytes: JPEG and AAC have an `esds` each, and what lies behind
  /// the head has boxes of its own.
  private static func size(of type: String, in found: [UInt8], less: Int, _ range: ClosedRange<Int>) -> [Int] {
    places(of: type, in: found).prefix(2).compactMap { place in
      var reader = ByteReader(found[(place - 4)...])
      return (ClaimedNumber(reader.big32()) - ClaimedNumber(less)).within(range)
    }
  }

  private static func places(of type: String, in bytes: [UInt8]) -> some BidirectionalCollection<Int> {
    let code = Array(type.utf8)
    return (4..<max(4, bytes.count - 3)).lazy.filter {
      bytes[$0] == code[0] && bytes[$0..<$0 + 4].elementsEqual(code)
    }
  }

  /// What says how ALAC is coded is a box.
  private static let lossless =
    [0, 0, 0, UInt8(LosslessEncoder.configurationBytes)] + Array("alac".utf8) + [0, 0, 0, 0]

  /// The same with what follows from the format: all that is said of the coding but the largest packet.
  private static func asWritten(_ sound: SoundTrack) -> SoundTrack {
    let (pcm, largest) = (sound.pcm, sound.configuration[lossless.count + 12..<lossless.count + 16])
    var writer = ByteWriter()
    writer.bytes = lossless
    writer.big32(UInt32(SoundCodec.alac.packetFrames))
    for value in [0, pcm.bits, 40, 10, 14, pcm.channels, 0, 0] { writer.big8(UInt8(clamping: value)) }
    writer.bytes += largest
    writer.big32(UInt32(clamping: pcm.sampleRate * pcm.channels * pcm.bits))
    writer.big32(UInt32(clamping: pcm.sampleRate))
    var sound = sound
    sound.configuration = writer.bytes
    return sound
  }

  /// A recording of a form whose numbers are others for each `value`, byte by byte.
  private static func example(of form: Form, _ value: Int) -> FileDescription {
    func coding(_ count: Int) -> [UInt8] { [UInt8](repeating: UInt8(value), count: count) }
    let (short, long) = (value * 0x101, value * 0x1_0101)
    let pictures = form.pictures.map {
      PictureTrack(codec: $0, width: short, height: short, configuration: coding(form.pictureBytes))
    }
    let pcm = PCMFormat(sampleRate: long, channels: value, bits: 8 + 8 * value)
    let sound = form.sound.map { codec in
      codec == .alac
        ? SoundTrack(
          .alac, pcm: pcm, configuration: lossless + coding(LosslessEncoder.configurationBytes - lossless.count))
        : SoundTrack(pcm: pcm, configuration: coding(form.soundBytes), primingFrames: short, bitrateKbps: long)
    }
    let seconds = Int64(value * 0x101_0101) - MovieBoxes.secondsTo1970
    return FileDescription(
      pictures: pictures, sound: sound, skippedTicks: long,
      createdAt: WallTime(nanosecondsSince1970: seconds * 1_000_000_000))
  }

  /// The `moov` of a recording up to the texts.
  private static func written(_ description: FileDescription) -> [UInt8] {
    let all = MovieBoxes(description).initialSegment()
    let texts = MovieUserData.box(description, summary: FileSummary()).count
    return Array(all[MovieBoxes.movieOffset..<all.count - texts])
  }

  // MARK: What it says

  private static func heads(of form: Form, in found: [UInt8]) -> [MendedMovieHead] {
    var likely = written(example(of: form, 1))
    let other = written(example(of: form, 2))
    guard likely.count == other.count, found.count >= likely.count + 8,
      let end = end(ofTextsAt: likely.count, in: found)
    else { return [] }
    // Between what is always the same stand the numbers.
    for place in likely.indices where likely[place] != other[place] { likely[place] = found[place] }
    // What is said more than once may be wrong where it is read: the time, the rate of the sound, and what its coding says.
    let coded = asCoded(likely, form)
    var variants: [[UInt8]] = []
    for likely in coded == likely ? [likely] : [coded, likely] {
      var other = likely
      other.replaceSubrange(20..<24, with: likely[24..<28])
      variants += [likely, other]
      if form.sound != nil, let place = places(of: "mdhd", in: likely).last, place + 20 <= likely.count {
        other = likely
        other.replaceSubrange(place + 16..<place + 20, with: likely[28..<32])
        variants.append(other)
      }
    }
    return variants.compactMap { MovieReading.description(movie: $0[8...]) }.map { read in
      var description = read
      for (index, track) in read.tracks.enumerated() {
        guard case .sound(var sound) = track else { continue }
        if sound.codec == .alac {
          description.tracks[index] = .sound(asWritten(sound))
        }
        guard sound.codec == .aac,
          // The files that a take goes on in begin within a packet.
          read.pictures != nil || !(priming..<2 * priming).contains(sound.primingFrames)
        else { continue }
        let wrong = sound.primingFrames ^ priming
        guard wrong < 0x100 || wrong & 0xFF == 0 else { continue }
        sound.primingFrames = priming
        description.tracks[index] = .sound(sound)
      }
      return MendedMovieHead(description, in: found, end: end)
    }
  }

  /// The same with channels, bits and size as what says how the tracks are coded has them. Said wrong where they are read,
  /// they may be what no recording has.
  private static func asCoded(_ likely: [UInt8], _ form: Form) -> [UInt8] {
    var bytes = likely
    if let codec = form.sound, let entry = places(of: codec == .alac ? "alac" : "mp4a", in: likely).first {
      let coding = entry + (codec == .alac ? 32 + lossless.count : 66)
      guard coding + 10 <= likely.count else { return likely }
      if codec == .alac {
        (bytes[entry + 21], bytes[entry + 23]) = (likely[coding + 9], likely[coding + 5])
      } else {
        bytes[entry + 21] = likely[coding + 1] >> 3 & 15
      }
    }
    guard let codec = form.pictures, let entry = places(of: codec == .h264 ? "avc1" : "mp4v", in: likely).first,
      let track = places(of: "tkhd", in: likely).first, max(entry + 90 + form.pictureBytes, track + 86) <= likely.count
    else { return bytes }
    let sets = AnnexB.units(ofConfiguration: likely[entry + 90..<entry + 90 + form.pictureBytes])
    let size = sets.first.flatMap { SequenceParameters($0) }.map { [$0.width, $0.height] }
    for (index, place) in [entry + 28, entry + 30].enumerated() {
      if let size {
        (bytes[place], bytes[place + 1]) = (UInt8(size[index] >> 8), UInt8(size[index] & 0xFF))
      } else if bytes[place] == 0, bytes[place + 1] == 0 {
        bytes.replaceSubrange(place..<place + 2, with: likely[(track + 80 + 4 * index)...].prefix(2))
      }
    }
    return bytes
  }

  /// What the coder of AAC puts out first.
  private static let priming = 1024

  /// Where the texts end, and the fragments begin.
  private static func end(ofTextsAt start: Int, in found: [UInt8]) -> Int? {
    var (movie, texts) = (ByteReader(found), ByteReader(found[start...]))
    let range = start + 8...found.count
    let ends = [
      ClaimedNumber(movie.big32()).within(range), (ClaimedNumber(texts.big32()) + ClaimedNumber(start)).within(range),
    ]
    if ends[0] == ends[1] { return ends[0] }
    return ends.compactMap(\.self).first { end in
      end == found.count || ["moof", "free"].contains { found.dropFirst(end + 4).starts(with: $0.utf8) }
    }
  }

  /// The head that would be written of a description, with the texts that are found.
  private init(_ description: FileDescription, in found: [UInt8], end: Int) {
    self.description = description
    var writer = ByteWriter()
    writer.bytes = Self.written(description)
    let start = writer.count
    writer.patch32(UInt32(end), at: 0)
    writer.big32(UInt32(end - start))
    writer.text("udta")
    writer.bytes.append(contentsOf: found[(start + 8)..<end])
    bytes = writer.bytes
    for place in bytes.indices where bytes[place] != found[place] { wrong += 1 }
    (self.description.title, self.description.originator) = MovieUserData.read(bytes[(start + 8)...])
  }
}
