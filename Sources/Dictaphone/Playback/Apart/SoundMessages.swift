public import Hardware
public import Media

/// What the player asks the process that decodes a file from elsewhere; it asks one thing at a time.
public enum SoundQuestion: Hashable, Sendable {
  /// So many frames of the output, from one on.
  case sound(from: Int, count: Int, output: PCMFormat)
  /// The peak of some frames of the file.
  case peak(Range<Int>)

  /// Every question is so long.
  public static let bytes = 5 * 8
  /// In a question, and of sound: what goes through a socket at once.
  static let mostFrames = 1 << 14
  static let mostChannels = 2

  public var encoded: [UInt8] {
    switch self {
    case .sound(let from, let count, let output): Words.bytes([1, from, count, output.sampleRate, output.channels])
    case .peak(let range): Words.bytes([2, range.lowerBound, range.count, 0, 0])
    }
  }

  public init?(_ bytes: [UInt8]) {
    let words = Words.read(bytes[...], 5)
    guard words.count == 5, let from = ClaimedNumber(words[1]).within(0...1 << 48),
      let count = ClaimedNumber(words[2]).within(1...Self.mostFrames)
    else { return nil }
    switch words[0] {
    case 1:
      guard (1000...768_000).contains(words[3]), (1...Self.mostChannels).contains(words[4]) else { return nil }
      self = .sound(from: from, count: count, output: PCMFormat(sampleRate: words[3], channels: words[4]))
    case 2: self = .peak(from..<from + count)
    default: return nil
    }
  }
}

/// What is in a file.
public struct SoundFacts: Hashable, Sendable {
  public var format: PCMFormat
  public var codecName: String
  /// Of the file; nil: it does not say.
  public var frames: Int?
}

/// What that process answers; whatever is in the file may speak through it.
public enum SoundAnswer: Hashable, Sendable {
  /// The first answer, to no question.
  case opened(SoundFacts)
  /// From this frame on; none: there the sound ends.
  case sound(from: Int, [Float])
  case peak(Float)
  case failed(MediaError.Kind, operation: String, reason: String)

  private static let kinds: [MediaError.Kind] = [.notFound, .denied, .damaged, .unsupported, .failed]

  public var encoded: [UInt8] {
    switch self {
    case .opened(let facts):
      Self.message(
        1, 0,
        Words.bytes([facts.format.sampleRate, facts.format.channels, facts.format.bits, facts.frames ?? -1])
          + Array(facts.codecName.utf8.prefix(32)))
    case .sound(let from, let samples): Self.message(2, from, samples.withUnsafeBytes { Array($0) })
    case .peak(let peak): Self.message(3, 0, [peak].withUnsafeBytes { Array($0) })
    case .failed(let kind, let operation, let reason):
      Self.message(4, Self.kinds.firstIndex(of: kind) ?? 0, Array("\(operation)\n\(reason)".utf8.prefix(1000)))
    }
  }

  private static func message(_ kind: Int, _ place: Int, _ content: [UInt8]) -> [UInt8] {
    Words.bytes([kind, place, content.count]) + content
  }

  /// Nothing is believed that no file can be; nil: it is nonsense.
  fileprivate init?(_ kind: Int, _ place: Int, _ content: ArraySlice<UInt8>) {
    switch kind {
    case 1:
      let words = Words.read(content, 4)
      guard words.count == 4, (1000...768_000).contains(words[0]), (1...8).contains(words[1]),
        [16, 24, 32].contains(words[2])
      else { return nil }
      self = .opened(
        SoundFacts(
          format: PCMFormat(sampleRate: words[0], channels: words[1], bits: words[2]),
          codecName: Words.text(content.dropFirst(4 * 8), most: 32),
          frames: ClaimedNumber(words[3]).within(0...1 << 43)))
    case 2:
      guard let from = ClaimedNumber(place).within(0...1 << 48), content.count % 4 == 0 else { return nil }
      self = .sound(from: from, Words.floats(content))
    case 3:
      guard let peak = Words.floats(content).first else { return nil }
      self = .peak(abs(peak))
    case 4:
      guard Self.kinds.indices.contains(place) else { return nil }
      let parts = content.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { return nil }
      let texts = (Words.text(parts[0], most: 64), Words.text(parts[1], most: 400))
      self = .failed(Self.kinds[place], operation: texts.0, reason: texts.1)
    default: return nil
    }
  }
}

/// Makes answers of the bytes as they come.
public struct SoundAnswers {
  private var bytes: [UInt8] = []
  private static let mostBytes = SoundQuestion.mostFrames * SoundQuestion.mostChannels * 4

  public init() {}

  /// Whether nothing has come but whole answers.
  public var isEmpty: Bool { bytes.isEmpty }

  public mutating func feed(_ new: [UInt8]) { bytes += new }

  /// - Returns: the next one that is whole; nil: more is to come.
  /// - Throws: `Nonsense`; nothing more is to be made of what comes.
  public mutating func next() throws(Nonsense) -> SoundAnswer? {
    let head = Words.read(bytes[...], 3)
    guard head.count == 3 else { return nil }
    guard let count = ClaimedNumber(head[2]).within(0...Self.mostBytes) else { throw Nonsense() }
    guard bytes.count >= 24 + count else { return nil }
    defer { bytes.removeFirst(24 + count) }
    guard let answer = SoundAnswer(head[0], head[1], bytes[24..<24 + count]) else { throw Nonsense() }
    return answer
  }

  /// No answer.
  public struct Nonsense: Error {}
}
