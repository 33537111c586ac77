/// A binary message of the dubbing protocol: the sound of one segment, with its header (PROTOCOL.md, "Binary messages").
public struct ServiceSound: Hashable, Sendable {
  public enum Codec: Int, Hashable, Sendable {
    /// 16 bit, little-endian, interleaved.
    case pcm16 = 1
    /// AAC-LC in ADTS frames (ISO/IEC 13818-7).
    case aac = 2

    /// As in `hello`.
    public var name: String { self == .pcm16 ? "pcm16" : "aac" }
  }

  public static let headerBytes = 40
  public static let sampleRates = [8000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000]
  /// 30 s, in ticks.
  public static let longestDuration = 30 * 90_000
  public static let largestMessage = headerBytes + 3 << 20
  private static let magic: [UInt8] = [0x4D, 0x59, 0x44, 0x42]
  private static let languageBytes = 8

  public var codec: Codec
  public var channels: Int
  public var sequence: Int
  public var sampleRate: Int
  /// Of the first frame, in ticks of 90 kHz.
  public var pts: Int64
  /// In ticks of 90 kHz.
  public var duration: Int
  /// The first 8 letters of its tag.
  public var language: String
  public var payload: [UInt8]

  public init(
    codec: Codec, channels: Int, sequence: Int, sampleRate: Int, pts: Int64, duration: Int, language: String,
    payload: [UInt8]
  ) {
    self.codec = codec
    self.channels = channels
    self.sequence = sequence
    self.sampleRate = sampleRate
    self.pts = pts
    self.duration = duration
    self.language = language
    self.payload = payload
  }

  /// Reads a message; checks all that can be checked without knowing what was asked for.
  public init(parsing bytes: [UInt8]) throws(ServiceFault) {
    guard bytes.count <= Self.largestMessage else { throw .tooLarge(bytes: bytes.count) }
    guard bytes.count >= 4, bytes[0..<4].elementsEqual(Self.magic) else { throw .foreign }
    guard bytes.count >= Self.headerBytes else { throw .truncated(bytes: bytes.count, needed: Self.headerBytes) }
    func number(_ offset: Int, _ size: Int) -> UInt64 {
      bytes[offset..<(offset + size)].reduce(0) { $0 << 8 | UInt64($1) }
    }
    guard bytes[4] == 1 else { throw .version(Int(bytes[4])) }
    guard let codec = Codec(rawValue: Int(bytes[5])) else { throw .codec(Int(bytes[5])) }
    guard (1...2).contains(bytes[6]) else { throw .channels(Int(bytes[6])) }
    guard bytes[7] == 0 else { throw .flags(Int(bytes[7])) }
    let rate = Int(number(12, 4))
    guard Self.sampleRates.contains(rate) else { throw .sampleRate(rate) }
    let announced = Int(number(36, 4))
    let rest = bytes.count - Self.headerBytes
    guard rest >= announced else { throw .truncated(bytes: bytes.count, needed: Self.headerBytes + announced) }
    guard rest == announced else { throw .length(rest) }
    self.codec = codec
    channels = Int(bytes[6])
    sequence = Int(number(8, 4))
    sampleRate = rate
    pts = Int64(bitPattern: number(16, 8))
    duration = Int(number(24, 4))
    language = try Self.language(bytes[28..<36])
    payload = Array(bytes[Self.headerBytes...])
    try checkDuration()
  }

  /// Whether the header's field says this language: it has room for 8 letters of a tag.
  func isIn(_ tag: String) -> Bool { language.lowercased() == tag.prefix(Self.languageBytes).lowercased() }

  private static func language(_ field: ArraySlice<UInt8>) throws(ServiceFault) -> String {
    let letters = field.prefix { $0 != 0 }
    let isPlain = letters.allSatisfy {
      (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x2D
    }
    let name = String(decoding: letters, as: UTF8.self)
    guard isPlain, !letters.isEmpty, field.dropFirst(letters.count).allSatisfy({ $0 == 0 }) else {
      throw .language(isPlain ? name : "?")
    }
    return name
  }

  private func checkDuration() throws(ServiceFault) {
    guard codec == .pcm16 else {
      guard (1...Self.longestDuration).contains(duration) else {
        throw .duration(ticks: duration, frames: 0, sampleRate: sampleRate)
      }
      return
    }
    guard payload.count.isMultiple(of: 2 * channels) else { throw .length(payload.count) }
    let frames = payload.count / (2 * channels)
    let difference = abs(frames * 90_000 - duration * sampleRate)
    // A frame and a tick.
    guard frames > 0, duration <= Self.longestDuration, difference <= 90_000 + sampleRate else {
      throw .duration(ticks: duration, frames: frames, sampleRate: sampleRate)
    }
  }

  /// The message.
  public var bytes: [UInt8] {
    var bytes = Self.magic + [1, UInt8(codec.rawValue), UInt8(clamping: channels), 0]
    bytes.reserveCapacity(Self.headerBytes + payload.count)
    func append(_ value: UInt64, _ size: Int) {
      for index in (0..<size).reversed() { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * UInt64(index)))) }
    }
    append(UInt64(UInt32(truncatingIfNeeded: sequence)), 4)
    append(UInt64(UInt32(truncatingIfNeeded: sampleRate)), 4)
    append(UInt64(bitPattern: pts), 8)
    append(UInt64(UInt32(truncatingIfNeeded: duration)), 4)
    let letters = Array(language.utf8.prefix(Self.languageBytes))
    bytes += letters + [UInt8](repeating: 0, count: Self.languageBytes - letters.count)
    append(UInt64(UInt32(truncatingIfNeeded: payload.count)), 4)
    return bytes + payload
  }

  /// The samples of PCM, one array a channel's worth mixed to one: −1…1 at `sampleRate`.
  var monoSamples: [Float] {
    let frames = payload.count / (2 * channels)
    return (0..<frames).map { frame in
      var sum: Float = 0
      for channel in 0..<channels {
        let place = 2 * (frame * channels + channel)
        sum += Float(Int16(bitPattern: UInt16(payload[place]) | UInt16(payload[place + 1]) << 8))
      }
      return sum / Float(channels) / 32_768
    }
  }

  /// 16-bit samples of one channel, as a payload.
  public static func pcm(_ mono: [Float]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(2 * mono.count)
    for sample in mono {
      let scaled = sample.isFinite ? max(-32_768, min(32_767, (sample * 32_768).rounded())) : 0
      let value = UInt16(bitPattern: Int16(scaled))
      bytes.append(UInt8(truncatingIfNeeded: value))
      bytes.append(UInt8(truncatingIfNeeded: value >> 8))
    }
    return bytes
  }
}
