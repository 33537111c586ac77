internal import Hardware
internal import JSON
internal import Sound

/// How a client of the device's sound has its samples, little-endian.
enum PCMSamples: String, CaseIterable {
  case s16, s24, f32, alaw, mulaw

  /// Bytes a sample.
  var bytes: Int {
    switch self {
    case .s16: 2
    case .s24: 3
    case .f32: 4
    case .alaw, .mulaw: 1
    }
  }

  private var bits: Int { bytes * 8 }
  private var companding: G711? { G711(rawValue: rawValue) }

  /// Appends samples to bytes.
  func pack(_ samples: UnsafePointer<Float>, count: Int, to target: inout [UInt8]) {
    let start = target.count
    target.append(contentsOf: repeatElement(0, count: count * bytes))
    target.withUnsafeMutableBytes { raw in
      guard let base = raw.baseAddress else { return }
      if let companding {
        let bytes = UnsafeMutableRawBufferPointer(rebasing: raw[start...]).assumingMemoryBound(to: UInt8.self)
        if let first = bytes.baseAddress { companding.encode(samples, into: first, count: count) }
      } else {
        PCMPacking.pack(samples, into: base + start, count: count, bits: bits)
      }
    }
  }

  /// Appends the samples of bytes, of which there is a whole number; a float that is none becomes silence.
  func unpack(_ source: [UInt8], to target: inout [Float]) {
    let count = source.count / bytes
    let start = target.count
    target.append(contentsOf: repeatElement(0, count: count))
    source.withUnsafeBytes { raw in
      target.withUnsafeMutableBufferPointer { samples in
        guard let from = raw.baseAddress, let base = samples.baseAddress else { return }
        if let companding {
          companding.decode(from.assumingMemoryBound(to: UInt8.self), into: base + start, count: count)
        } else if self == .f32 {
          for index in 0..<count {
            let bits = UInt32(littleEndian: from.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self))
            let sample = Float(bitPattern: bits)
            base[start + index] = sample.isFinite ? max(-1, min(1, sample)) : 0
          }
        } else {
          PCMPacking.unpack(from, into: base + start, count: count, bits: bits)
        }
      }
    }
  }
}

/// The first line of a client of the device's sound: which way, and as what.
struct PCMHello: Hashable {
  let isPlayer: Bool
  let format: PCMFormat
  let samples: PCMSamples
  /// Whether a reader gets sound as it goes into takes: with gain, automatic gain, limiter, low-cut.
  var isShaped = false

  var frameBytes: Int { format.channels * samples.bytes }

  /// - Returns: what is wrong with it, if it is none.
  static func read(_ line: [UInt8]) -> Result<PCMHello, PCMRefusal> {
    guard let said = try? JSONValue(parsing: line, limits: JSONLimits(bytes: PCMInbox.longestHello, depth: 4)),
      said.objectValue != nil
    else { return .failure(PCMRefusal(reason: "the first line is a JSON object")) }
    let direction = said["direction"]?.stringValue
    guard direction == "record" || direction == "play" else {
      return .failure(PCMRefusal(reason: "direction is record or play"))
    }
    guard let rate = ClaimedNumber(said["sampleRate"]?.integerValue ?? 48_000).within(8000...192_000) else {
      return .failure(PCMRefusal(reason: "sampleRate is 8000 to 192000"))
    }
    guard let channels = ClaimedNumber(said["channels"]?.integerValue ?? 1).within(1...2) else {
      return .failure(PCMRefusal(reason: "channels is 1 or 2"))
    }
    guard let samples = PCMSamples(rawValue: said["format"]?.stringValue ?? "s16") else {
      let all = PCMSamples.allCases.map(\.rawValue).joined(separator: ", ")
      return .failure(PCMRefusal(reason: "format is one of \(all)"))
    }
    let bits = samples == .s24 || samples == .f32 ? 24 : 16
    return .success(
      PCMHello(
        isPlayer: direction == "play", format: PCMFormat(sampleRate: rate, channels: channels, bits: bits),
        samples: samples, isShaped: said["shaped"]?.boolValue ?? false))
  }

  /// The line that says what the client has from now on.
  var answer: [UInt8] {
    let line: JSONValue = [
      "direction": .string(isPlayer ? "play" : "record"), "sampleRate": .integer(format.sampleRate),
      "channels": .integer(format.channels), "format": .string(samples.rawValue),
    ]
    return line.bytes + [0x0A]
  }
}

/// Why a client is turned away.
struct PCMRefusal: Error, Hashable {
  var code = "bad-argument"
  let reason: String

  /// The last line that it gets.
  var answer: [UInt8] {
    JSONValue.object(["error": ["code": .string(code), "message": .string(reason)]]).bytes + [0x0A]
  }
}

/// Head of what the device sends: 24 bytes, little-endian, before the samples.
struct PCMHead: Hashable {
  /// Bytes of samples that follow.
  var bytes = 0
  /// Frames that are missing before them: of a reader, that it did not take; of a writer, that were not there in time.
  var lost = 0
  /// Number of the first frame, lost ones counted; of a writer: how many have been heard.
  var frame = 0
  /// When that frame was at the converter, on CLOCK_MONOTONIC.
  var at = Instant.zero

  func append(to target: inout [UInt8]) {
    func put(_ value: UInt64, _ count: Int) {
      for byte in 0..<count { target.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * byte))) }
    }
    put(UInt64(bytes), 4)
    put(UInt64(min(lost, 0xFFFF_FFFF)), 4)
    put(UInt64(frame), 8)
    put(UInt64(bitPattern: at.nanoseconds), 8)
  }
}

/// What a client says, out of the bytes as they come: a line, then, of a player, packets of samples.
struct PCMInbox {
  enum Item: Hashable {
    case hello(PCMHello)
    /// Whole frames.
    case samples([UInt8])
    /// Nothing follows.
    case end
    case refused(PCMRefusal)
  }

  static let longestHello = 1024
  static let largestPacket = 65_536

  private var bytes: [UInt8] = []
  private var hello: PCMHello?
  /// Bytes of the present packet that have not been handed on.
  private var left = 0
  private var isOver = false

  /// Bytes that are there and not handed on.
  var count: Int { bytes.count }

  mutating func add(_ new: [UInt8]) { if !isOver { bytes += new } }

  /// The next item; `nil`: more bytes have to come.
  mutating func next() -> Item? {
    guard !isOver else { return nil }
    guard let hello else { return nextHello() }
    guard hello.isPlayer else {
      bytes = []
      return nil
    }
    if left == 0 {
      guard bytes.count >= 4 else { return nil }
      let size = (0..<4).reduce(0) { $0 | Int(bytes[$1]) << (8 * $1) }
      bytes.removeFirst(4)
      guard size > 0 else { return finish(.end) }
      guard size <= Self.largestPacket, size % hello.frameBytes == 0 else {
        return refuse("a packet has whole frames, \(Self.largestPacket) bytes at most")
      }
      left = size
    }
    let whole = min(left, bytes.count) / hello.frameBytes * hello.frameBytes
    guard whole > 0 else { return nil }
    defer { bytes.removeFirst(whole) }
    left -= whole
    return .samples(Array(bytes[..<whole]))
  }

  private mutating func nextHello() -> Item? {
    guard let end = bytes.firstIndex(of: 0x0A) else {
      return bytes.count > Self.longestHello ? refuse("the first line is a JSON object") : nil
    }
    let line = Array(bytes[..<end])
    bytes.removeFirst(end + 1)
    switch PCMHello.read(line) {
    case .success(let hello):
      self.hello = hello
      return .hello(hello)
    case .failure(let refusal): return finish(.refused(refusal))
    }
  }

  private mutating func refuse(_ reason: String) -> Item { finish(.refused(PCMRefusal(reason: reason))) }

  private mutating func finish(_ item: Item) -> Item {
    isOver = true
    bytes = []
    return item
  }
}
