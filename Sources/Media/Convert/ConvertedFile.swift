internal import Hardware

/// A file of some format that sound is put into. Storage lane only.
struct ConvertedFile {
  private enum Coder {
    case aac(AACEncoder)
    case flac(LosslessEncoder)
    case pcm
    case mp3
    case law(G711)
  }

  let pcm: PCMFormat
  private let coder: Coder
  /// One of the three is there. They are changed in place: their tables grow with the sound.
  private var writer: (any MediaWriter)?
  private var mp3: MP3File?
  /// Nothing but samples.
  private var raw: AppendedFile?
  private var frames = 0
  private var isEnded = false

  /// - Parameters:
  ///   - pcm: what is fed; the format takes its rate.
  ///   - length: frames that will come, about.
  init(
    _ file: any StoredFile, as format: ConvertedFormat, _ pcm: PCMFormat, _ about: SoundNotes, length: Int
  ) throws(MediaError) {
    self.pcm = pcm
    let track: SoundTrack
    switch format {
    case .m4a:
      let kilobits = ConvertedFormat.aacKbps * pcm.channels
      let encoder = try AACEncoder(format: pcm, bitrateKbps: kilobits)
      coder = .aac(encoder)
      track = SoundTrack(
        pcm: pcm, configuration: encoder.configuration, primingFrames: encoder.primingFrames, bitrateKbps: kilobits)
    case .flac:
      coder = .flac(try LosslessEncoder(.flac, format: pcm))
      track = SoundTrack(.flac, pcm: pcm)
    case .wav:
      coder = .pcm
      track = SoundTrack(pcm: pcm)
    case .mp3:
      coder = .mp3
      track = SoundTrack(pcm: pcm)
    case .alaw, .mulaw:
      coder = .law(format == .alaw ? .alaw : .mulaw)
      track = SoundTrack(pcm: pcm)
    }
    let description = FileDescription(
      sound: track, createdAt: about.createdAt, title: about.title, originator: about.originator)
    switch format {
    case .m4a: writer = MovieWriter(file: file, scratch: nil, description: description)
    case .flac: writer = FLACWriter(file: file, scratch: nil, description: description)
    case .wav: writer = WaveWriter(file: file, scratch: nil, description: description)
    case .mp3:
      let tag = ID3Tag(description: description, summary: about.summary, frames: length, sampleRate: pcm.sampleRate)
      mp3 = MP3File(file, try MP3Encoder(format: pcm), tag)
    case .alaw, .mulaw: raw = AppendedFile(file)
    }
    writer?.summary = about.summary
  }

  /// Encodes frames; nothing is written.
  mutating func append(_ samples: UnsafePointer<Float>, frames count: Int) throws(MediaError) {
    frames += count
    switch coder {
    case .aac(let encoder): try encoder.encode(samples, frames: count) { writer?.append($0, to: 0) }
    case .mp3: try mp3?.append(samples, frames: count)
    case .law(let law): raw?.append(law.encoded(samples, count: count))
    case .flac(let encoder):
      let bytes = packed(samples, count)
      try bytes.withUnsafeBufferPointer { buffer throws(MediaError) in
        try encoder.encode(UnsafeRawBufferPointer(buffer), frames: count) { packet, _ in writer?.append(packet, to: 0) }
      }
    case .pcm: packed(samples, count).withUnsafeBytes { writer?.append($0, to: 0) }
    }
  }

  private func packed(_ samples: UnsafePointer<Float>, _ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    SampleRounding.append(samples, count: count * pcm.channels, bits: pcm.bits, to: &bytes)
    return bytes
  }

  /// Encodes what is left; no more is appended.
  mutating func end() throws(MediaError) {
    guard !isEnded else { return }
    switch coder {
    case .aac(let encoder): try encoder.finish { writer?.append($0, to: 0) }
    case .flac(let encoder): try encoder.finish { packet, _ in writer?.append(packet, to: 0) }
    case .pcm, .law: break
    case .mp3: try mp3?.end()
    }
    isEnded = true
  }

  var bufferedBytes: Int { writer?.bufferedBytes ?? mp3?.bufferedBytes ?? raw?.bufferedBytes ?? 0 }

  /// Writes what is encoded. After a failure call again.
  mutating func flush() throws(StorageError) {
    try writer?.flush()
    try mp3?.flush()
    try raw?.flush()
  }

  /// Does the next piece of making it an ordinary file; who has the file syncs it. After a failure call again.
  ///
  /// - Returns: true while there is more to do.
  mutating func finishStep() throws(StorageError) -> Bool {
    try mp3?.finish()
    try raw?.flush()
    return try writer?.finishStep(at: [frames]) ?? false
  }
}
