internal import Hardware

/// One fragment: a `moof` with a run of samples for every track that has some, and their `mdat`, in the tracks' order.
struct MovieFragment {
  /// Consecutive samples of one track.
  struct Run {
    /// Index of the track; the file counts from 1.
    var track: Int
    /// Media time of the first sample.
    var time: Int
    var samples: [MovieSample]

    var bytes: Int { samples.reduce(0) { $0 + Int($1.bytes) } }
    /// What it looks like.
    func form(_ forms: [Form]) -> Form {
      samples.contains { $0.delay > 0 } ? forms[track].withDelays : forms[track]
    }
    /// Units from the first sample to the end of the last.
    var duration: Int { samples.reduce(0) { $0 + Int($1.duration) } }
  }

  var runs: [Run] = []

  /// Sample flags (ISO 14496-12, 8.8.3.1): depends on no other; depends on others and is no sync sample.
  static let keyframeFlags: UInt32 = 0x0200_0000
  static let otherFlags: UInt32 = 0x0101_0000

  /// A `moof` fits a page of this many bytes.
  static let pageBytes = 4096
  /// Bytes of a `moof` without tracks, and of a `traf` without samples.
  static let emptyBytes = 24
  static let emptyRunBytes = 8 + 16 + 20 + 20
  /// Bytes of the shortest fragment.
  static let leastBytes = emptyBytes + emptyRunBytes + 4 + 8 + 1

  /// From here on numbers of fragments tell whose they are: older programs counted all from 1.
  static let firstMark: UInt32 = 1 << 16
  /// More than a recording has: a day of them.
  static let mostFragments: UInt32 = 1 << 20

  /// What the fragments of a recording are counted from, by the second at which it began, which its head says: no other
  /// recording's are, whose blocks a power cut may have left behind it.
  static func mark(of description: FileDescription) -> UInt32 {
    (1 + sum("\(description.createdAt.nanosecondsSince1970 / 1_000_000_000)".utf8) % 0x3FFF) * firstMark
  }

  /// What its first bytes of sound or pictures add to that: clocks of several starts may have told the same time.
  static func mark(of beginning: some Sequence<UInt8>) -> UInt32 { sum(beginning) % firstMark }

  /// FNV-1a, 32 bits.
  private static func sum(_ bytes: some Sequence<UInt8>) -> UInt32 {
    bytes.reduce(0x811C_9DC5) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
  }

  /// The form of a track's runs: what `tfhd`, `tfdt` and `trun` of its samples look like.
  struct Form {
    /// Flags of `trun`: data offset, and sizes; of pictures also durations and flags, and delays where there are some.
    var flags: UInt32
    /// The most samples in one fragment.
    var mostSamples: Int
    /// The largest sample that can be one.
    var largestSample: Int

    static let delays: UInt32 = 0x800

    var isPictures: Bool { flags & 0x100 != 0 }
    var hasDelays: Bool { flags & Self.delays != 0 }
    var sampleBytes: Int { isPictures ? hasDelays ? 16 : 12 : 4 }

    /// The form of pictures with delays; they take as much room, and are fewer.
    var withDelays: Form {
      isPictures ? Form(flags: flags | Self.delays, mostSamples: 90, largestSample: largestSample) : self
    }
  }

  /// The forms of a file's tracks, chosen so that a `moof` with all of them full fits a page.
  static func forms(of tracks: [Track]) -> [Form] {
    let pictures = tracks.count { if case .pictures = $0 { true } else { false } }
    let sounds = tracks.count - pictures
    let free = pageBytes - emptyBytes - emptyRunBytes * tracks.count - 1440 * pictures
    return tracks.map { track in
      switch track {
      case .pictures: Form(flags: 0x000701, mostSamples: 120, largestSample: 16 << 20)
      case .sound(let sound):
        Form(
          flags: 0x000201, mostSamples: tracks.count == 1 ? 960 : max(1, min(400, free / 4 / sounds)),
          largestSample: sound.codec == .aac ? 16 << 10 : 64 << 10)
      }
    }
  }

  /// Bytes of the `moof`.
  func headBytes(_ forms: [Form]) -> Int {
    runs.reduce(Self.emptyBytes) { $0 + Self.emptyRunBytes + $1.form(forms).sampleBytes * $1.samples.count }
  }

  /// The same of one with a run of so many samples of sound.
  static func headBytes(ofSounds samples: Int) -> Int { emptyBytes + emptyRunBytes + 4 * samples }

  var payloadBytes: Int { runs.reduce(0) { $0 + $1.bytes } }

  /// Bytes of padding (a `free` box) before a `moof` of `headBytes` at `end`: none, or at least 8.
  ///
  /// Players refuse a whole file whose last `moof` is torn, but take a torn `mdat`. Files tear at sectors and pages,
  /// so a `moof` lies within one sector of 512 bytes, or if it is larger (after a stall) within one page.
  static func padding(at end: Int, headBytes: Int) -> Int {
    let unit = headBytes <= 504 ? 512 : pageBytes
    return end % unit + headBytes <= unit ? 0 : max(8, unit - end % unit)
  }

  /// Everything in front of the samples: padding, the `moof`, and the header of the `mdat`.
  func writeHead(at end: Int, sequence: Int, forms: [Form], into writer: inout ByteWriter) {
    let head = headBytes(forms)
    let padding = Self.padding(at: end, headBytes: head)
    if padding > 0 { writer.box("free") { $0.zeros(padding - 8) } }
    writer.big32(UInt32(head))
    writer.text("moof")
    writer.fullBox("mfhd") { $0.big32(UInt32(truncatingIfNeeded: sequence)) }
    var place = head + 8
    for run in runs {
      let form = run.form(forms)
      let runBytes = 20 + form.sampleBytes * run.samples.count
      writer.big32(UInt32(8 + 16 + 20 + runBytes))
      writer.text("traf")
      // default-base-is-moof
      writer.fullBox("tfhd", flags: 0x020000) { $0.big32(UInt32(run.track + 1)) }
      writer.fullBox("tfdt", version: 1) { $0.big64(UInt64(max(0, run.time))) }
      writer.big32(UInt32(runBytes))
      writer.text("trun")
      writer.big32(form.flags)
      writer.big32(UInt32(run.samples.count))
      writer.big32(UInt32(place))
      for sample in run.samples {
        if form.isPictures { writer.big32(sample.duration) }
        writer.big32(sample.bytes)
        if form.isPictures { writer.big32(sample.isKeyframe ? Self.keyframeFlags : Self.otherFlags) }
        if form.hasDelays { writer.big32(sample.delay) }
      }
      place += run.bytes
    }
    writer.big32(UInt32(8 + place - head - 8))
    writer.text("mdat")
  }
}
