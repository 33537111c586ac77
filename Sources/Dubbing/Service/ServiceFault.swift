/// What is wrong with a message of a dubbing service (PROTOCOL.md).
public enum ServiceFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// A binary message shorter than its header, or than its header says.
  case truncated(bytes: Int, needed: Int)
  /// More sound than may be in a segment, in bytes.
  case tooLarge(bytes: Int)
  /// Not a message of this protocol at all.
  case foreign
  case version(Int)
  case codec(Int)
  case channels(Int)
  case flags(Int)
  case sampleRate(Int)
  /// PCM that ends within a frame, or bytes after the sound.
  case length(Int)
  /// Sound and duration do not agree, or it is longer than a segment may be.
  case duration(ticks: Int, frames: Int, sampleRate: Int)
  case sequence(Int, expected: Int?)
  case pts(Int64)
  case language(String)
  /// A text message that is no JSON object with a known type.
  case text(String)
  /// A member is missing or of the wrong kind.
  case member(String, of: String)
  /// A message that may not come now.
  case unexpected(String)
  /// Sound that cannot be decoded.
  case undecodable(String)

  public var description: String {
    switch self {
    case .truncated(let bytes, let needed): "a sound message of \(bytes) bytes, \(needed) were announced"
    case .tooLarge(let bytes): "a message of \(bytes) bytes; at most \(ServiceSound.largestMessage) are taken"
    case .foreign: "a binary message that does not begin with MYDB"
    case .version(let number): "version \(number) of the protocol; this is 1"
    case .codec(let number): "codec \(number); 1 (PCM) and 2 (AAC) are known"
    case .channels(let count): "\(count) channels; 1 or 2 can be played"
    case .flags(let value): "flags \(value), which mean nothing"
    case .sampleRate(let rate):
      "\(rate) Hz; \(ServiceSound.sampleRates.map(String.init).joined(separator: ", ")) are taken"
    case .length(let bytes): "\(bytes) bytes of PCM are no whole number of frames"
    case .duration(let ticks, let frames, let rate):
      "\(frames) frames at \(rate) Hz announced as \(ticks) ticks of 90 kHz"
    case .sequence(let number, let expected):
      "segment \(number)" + (expected.map { ", while \($0) is next" } ?? ", while none is asked for")
    case .pts(let ticks): "a time of \(ticks), which is outside its utterance"
    case .language(let name): "the language \(name), which was not asked for"
    case .text(let reason): "a text message that cannot be read: \(reason)"
    case .member(let name, let type): "\(type) without a proper \(name)"
    case .unexpected(let type): "\(type) out of turn"
    case .undecodable(let reason): "sound that cannot be decoded: \(reason)"
    }
  }
}
