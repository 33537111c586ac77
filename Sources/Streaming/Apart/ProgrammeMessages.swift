internal import Hardware
internal import Media

/// What is asked of the process that reads a file from elsewhere for a programme; one thing at a time.
public enum ProgrammeQuestion: Hashable, Sendable {
  /// Sound of a track, so many frames or somewhat more, and what lies beside it: of pictures so many bytes, or one picture
  /// more. Track 0 is the file's own.
  case more(track: Int, frames: Int, pictureBytes: Int)
  case seek(to: Int)
  /// One of the other tracks, from a frame on.
  case open(track: Int, from: Int)
  /// The subtitles of this number, from a frame on.
  case subtitles(Int, from: Int)

  /// Every question is so long.
  public static let bytes = 4 * 8
  static let mostFrames = 1 << 14
  static let mostPictureBytes = 1 << 20
  static let mostTracks = 128

  public var encoded: [UInt8] {
    switch self {
    case .more(let track, let frames, let pictures): Words.bytes([1, track, frames, pictures])
    case .seek(let frame): Words.bytes([2, 0, frame, 0])
    case .open(let track, let frame): Words.bytes([3, track, frame, 0])
    case .subtitles(let number, let frame): Words.bytes([4, number, frame, 0])
    }
  }

  public init?(_ bytes: [UInt8]) {
    let words = Words.read(bytes[...], 4)
    guard words.count == 4, let track = ClaimedNumber(words[1]).within(0...Self.mostTracks),
      let frame = ClaimedNumber(words[2]).within(0...1 << 48),
      let pictures = ClaimedNumber(words[3]).within(0...1 << 48)
    else { return nil }
    switch words[0] {
    case 1:
      self = .more(
        track: track, frames: min(frame, Self.mostFrames), pictureBytes: min(pictures, Self.mostPictureBytes))
    case 2: self = .seek(to: frame)
    case 3: self = .open(track: track, from: frame)
    case 4: self = .subtitles(track, from: frame)
    default: return nil
    }
  }
}

/// A piece of what that process answers; whatever is in the file may speak through it.
public enum ProgrammeRecord: Sendable {
  /// How long it is, the languages of its sound and of its subtitles, and its other tracks, those beside it first.
  case opened(length: Int?, sounds: [String], subtitles: [String], tracks: [String], beside: Int)
  case sound(start: Int, [Float])
  /// `lost`: pictures before it for which there was no room.
  case picture(start: Int, isKeyframe: Bool, lost: Int, [UInt8])
  case cue(start: Int, end: Int, language: String, text: String)
  /// Where the track ends, if that is known; whether there is no more of it; whether there may be pictures already; why
  /// there is nothing of the subtitles.
  case state(length: Int?, isOver: Bool, hasPictures: Bool, subtitleProblem: String?)
  case failed(StreamFault)
  /// The track ends, and not where the file says that it does.
  case breaksOff(StreamFault)
  /// What went wrong without stopping anything.
  case remark(String)

  fileprivate static let headWords = 4
  private static let mostLost = 1 << 20
  private static let textBytes = 1000
  /// Characters of a sentence.
  private static let mostText = 400

  public var encoded: [UInt8] {
    switch self {
    case .opened(let length, let sounds, let subtitles, let tracks, let beside):
      let lists = [sounds, subtitles, tracks].map { $0.prefix(ProgrammeQuestion.mostTracks).joined(separator: "\n") }
      return Self.record(1, length ?? -1, beside, Array(lists.joined(separator: "\0").utf8))
    case .sound(let start, let samples): return Self.record(2, start, 0, samples.withUnsafeBytes { Array($0) })
    case .picture(let start, let isKeyframe, let lost, let bytes):
      return Self.record(3, start, min(lost, Self.mostLost) << 1 | (isKeyframe ? 1 : 0), bytes)
    case .cue(let start, let end, let language, let text):
      return Self.record(4, start, end, Array("\(language)\n\(text)".utf8))
    case .state(let length, let isOver, let hasPictures, let problem):
      let text = Array((problem ?? "").utf8.prefix(Self.textBytes))
      return Self.record(5, length ?? -1, (isOver ? 1 : 0) | (hasPictures ? 2 : 0), text)
    case .failed(let fault): return Self.record(6, 0, 0, Self.bytes(fault))
    case .breaksOff(let fault): return Self.record(7, 0, 0, Self.bytes(fault))
    case .remark(let text): return Self.record(8, 0, 0, Array(text.utf8.prefix(Self.textBytes)))
    }
  }

  private static func bytes(_ fault: StreamFault) -> [UInt8] {
    Array("\(fault.code)\n\(fault.text)".utf8.prefix(textBytes))
  }

  private static func record(_ kind: Int, _ one: Int, _ other: Int, _ content: [UInt8]) -> [UInt8] {
    Words.bytes([kind, one, other, content.count]) + content
  }

  /// Nothing is believed that no file can be; nil: it is nonsense.
  fileprivate init?(_ kind: Int, _ one: Int, _ other: Int, _ content: ArraySlice<UInt8>) {
    let length = ClaimedNumber(one).within(0...1 << 48)
    switch kind {
    case 1:
      let lists = content.split(separator: 0, omittingEmptySubsequences: false).map(Self.lines)
      guard lists.count == 3, lists.allSatisfy({ $0.count <= ProgrammeQuestion.mostTracks }),
        let beside = ClaimedNumber(other).within(0...lists[2].count)
      else { return nil }
      self = .opened(length: length, sounds: lists[0], subtitles: lists[1], tracks: lists[2], beside: beside)
    case 2:
      guard let start = length, content.count % 8 == 0 else { return nil }
      self = .sound(start: start, Words.floats(content))
    case 3:
      guard let start = ClaimedNumber(one).within(-(1 << 48)...1 << 48),
        let lost = ClaimedNumber(other >> 1).within(0...Self.mostLost)
      else { return nil }
      self = .picture(start: start, isKeyframe: other & 1 != 0, lost: lost, Array(content))
    case 4:
      let texts = content.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
      guard let start = length, let end = ClaimedNumber(other).within(start...1 << 48), texts.count == 2 else {
        return nil
      }
      let lines = texts[1].split(separator: 0x0A).prefix(100).map { Words.text($0, most: 2000) }
      self = .cue(
        start: start, end: end, language: Words.text(texts[0], most: 35), text: lines.joined(separator: "\n"))
    case 5:
      let problem = content.isEmpty ? nil : Words.text(content, most: Self.mostText)
      self = .state(
        length: length, isOver: other & 1 != 0, hasPictures: other & 2 != 0, subtitleProblem: problem)
    case 6, 7:
      let texts = content.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
      guard texts.count == 2 else { return nil }
      let fault = StreamFault(Words.text(texts[0], most: 32), Words.text(texts[1], most: Self.mostText))
      self = kind == 6 ? .failed(fault) : .breaksOff(fault)
    case 8: self = .remark(Words.text(content, most: Self.mostText))
    default: return nil
    }
  }

  private static func lines(_ bytes: ArraySlice<UInt8>) -> [String] {
    bytes.split(separator: 0x0A).map { Words.text($0, most: 35) }
  }
}

/// Makes records of the bytes as they come: an answer is its length and so many bytes of them.
public struct ProgrammeAnswers {
  private var bytes: [UInt8] = []
  /// More than the largest picture, with what is heard beside it.
  private static let mostBytes = 6 << 20

  public init() {}

  /// Whether nothing has come but whole answers.
  public var isEmpty: Bool { bytes.isEmpty }

  public mutating func feed(_ new: [UInt8]) { bytes += new }

  public static func answer(_ records: [ProgrammeRecord]) -> [UInt8] {
    let content = records.flatMap(\.encoded)
    return Words.bytes([content.count]) + content
  }

  /// - Returns: the next answer that is whole; nil: more is to come.
  /// - Throws: `Nonsense`; nothing more is to be made of what comes.
  public mutating func next() throws(Nonsense) -> [ProgrammeRecord]? {
    guard let claim = Words.read(bytes[...], 1).first else { return nil }
    guard let size = ClaimedNumber(claim).within(0...Self.mostBytes) else { throw Nonsense() }
    guard bytes.count >= 8 + size else { return nil }
    defer { bytes.removeFirst(8 + size) }
    var records: [ProgrammeRecord] = []
    var rest = bytes[8..<8 + size]
    while !rest.isEmpty {
      let head = Words.read(rest, ProgrammeRecord.headWords)
      rest = rest.dropFirst(8 * ProgrammeRecord.headWords)
      guard head.count == ProgrammeRecord.headWords, let count = ClaimedNumber(head[3]).within(0...rest.count),
        let record = ProgrammeRecord(head[0], head[1], head[2], rest.prefix(count))
      else { throw Nonsense() }
      records.append(record)
      rest = rest.dropFirst(count)
    }
    return records
  }

  /// No answer.
  public struct Nonsense: Error {}
}
