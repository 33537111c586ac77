import TestSupport

/// Something that reads what strangers have written.
public struct FuzzTarget: Sendable {
  /// What its inputs look like, and so how they are changed.
  enum Form: Sendable {
    case bytes
    case boxes
    case chunks
    /// By what they begin with: MP4, RIFF, FLAC, Ogg, MPEG-TS, anything.
    case media
    case text([String])
  }

  /// Its name: of the folder of its corpus, and on the command line.
  public let name: String
  let form: Form
  /// Makes a valid input, by the grammar of what it reads; `nil` where only the corpus has any.
  let make: @Sendable (inout SeededGenerator) -> [UInt8]?
  /// Hands an input to the program. Only returns if nothing trapped, and says what is wrong with the outcome.
  let examine: @Sendable ([UInt8]) -> String?

  init(
    _ name: String, _ form: Form, make: @escaping @Sendable (inout SeededGenerator) -> [UInt8]? = { _ in nil },
    examine: @escaping @Sendable ([UInt8]) -> String?
  ) {
    self.name = name
    self.form = form
    self.make = make
    self.examine = examine
  }

  /// All of them.
  public static let all: [FuzzTarget] = [
    .repair, .sound, .segment, .pictures, .playlist, .stream, .subtitles, .json, .sidecar, .library, .board, .console,
    .script, .service, .handshake, .radio, .camera, .examiner, .decoder, .schedule, .log, .feed, .zmodem, .pcm,
    .operators, .audit, .proof, .sealed, .device,
  ]

  /// A new valid input by its seed, or `nil`.
  public func valid(seed: UInt64) -> [UInt8]? {
    var dice = SeededGenerator(seed: seed)
    return make(&dice)
  }

  /// Changes an input so that it means something else.
  public func mutate(_ bytes: inout [UInt8], seed: UInt64, others: [[UInt8]] = []) {
    var dice = SeededGenerator(seed: seed)
    if dice.chance(12), let new = make(&dice) { bytes = new }
    switch form {
    case .bytes: for _ in 0...dice.below(3) { BytesForm.mutate(&bytes, &dice, others: others) }
    case .boxes: BoxForm.mutate(&bytes, &dice, others: others)
    case .chunks: ChunkForm.mutate(&bytes, &dice, others: others)
    case .text(let words): TextForm.mutate(&bytes, &dice, others: others, words: words)
    case .media: Self.mutateMedia(&bytes, &dice, others: others)
    }
  }

  private static func mutateMedia(_ bytes: inout [UInt8], _ dice: inout SeededGenerator, others: [[UInt8]]) {
    if bytes.starts(with: "OggS".utf8) {
      PageForm.mutate(&bytes, &dice, others: others)
    } else if bytes.starts(with: "RIFF".utf8) || bytes.starts(with: "RF64".utf8) {
      ChunkForm.mutate(&bytes, &dice, others: others)
    } else if bytes.starts(with: "fLaC".utf8) {
      FrameForm.mutate(&bytes, &dice, others: others)
    } else if bytes.first == 0x47, bytes.count >= 188 {
      PacketForm.mutate(&bytes, &dice, others: others)
    } else if bytes.count >= 8,
      ["ftyp", "styp", "moof", "moov"].contains(String(decoding: bytes[4..<8], as: UTF8.self))
    {
      BoxForm.mutate(&bytes, &dice, others: others)
    } else {
      for _ in 0...dice.below(3) { BytesForm.mutate(&bytes, &dice, others: others) }
    }
  }

  /// Hands an input to the program, and measures what it costs.
  ///
  /// - Returns: what is wrong; `nil` if all is well.
  public func judge(_ bytes: [UInt8]) -> String? {
    let before = ProcessorTime.now
    let problem = examine(bytes)
    let cost = ProcessorTime.now - before
    if let problem { return "\(name): \(problem)" }
    let most = ProcessorTime.most(for: bytes.count)
    return cost <= most ? nil : "\(name): \(cost) of processor time for \(bytes.count) bytes, more than \(most)"
  }
}
