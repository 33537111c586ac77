import ArgumentParser
import Glibc
import Hardware
import JSON
import LinuxHardware
import SimulatedHardware

/// `mynah pcm`: a client of a running appliance's sound, on a pipe.
struct PCMCommand: ParsableCommand {
  enum Direction: String, ExpressibleByArgument, CaseIterable { case record, play }

  /// Of the sound's socket, behind the name of the console's.
  static let ending = ".pcm"

  static let configuration = CommandConfiguration(
    commandName: "pcm", abstract: "Record or play the sound of a running appliance, on a pipe.",
    discussion: "Sound goes to standard output, or comes from standard input, at this rate whatever the hardware has. "
      + "With --to, a sound card of this machine is fed instead, as it takes it: one by which a PC hears the device.")

  @Argument(help: "record or play.") var direction: Direction
  @Option(help: "Hz, 8000 to 192000.") var rate = 48_000
  @Option(help: "1 or 2.") var channels = 1
  @Option(help: "s16, s24, f32, alaw or mulaw, little-endian.") var format = "s16"
  @Flag(help: "WAV instead of bare samples; what is played has its rate, channels and format from it.") var wav = false
  @Option(help: "End after so many seconds.") var seconds: Double?
  @Option(help: "ALSA's name of a card that gets what is recorded, while its other end listens: hw:CARD=UAC2Gadget.")
  var to: String?
  @Option(help: "The sound's socket: the console's, and .pcm.") var socket = "mynah-data/console" + Self.ending

  func validate() throws {
    // What the device makes of them it says itself; here they are only counted with.
    guard (1...1_000_000).contains(rate) else { throw ValidationError("--rate is 8000 to 192000") }
    guard (1...64).contains(channels) else { throw ValidationError("--channels is 1 or 2") }
  }

  func run() throws {
    do throws(DeviceError) {
      if direction == .play { return try play() }
      if let to { try feed(to) } else { try record() }
    } catch {
      throw Host.failure(error.kind == .unsupported ? Exit.badData : Exit.unavailable, "\(error)")
    }
  }

  // MARK: The device's end

  private func call(_ rate: Int, _ channels: Int, _ format: String) throws(DeviceError) -> ConsoleCaller {
    let caller = try ConsoleCaller(path: socket)
    let hello: JSONValue = [
      "direction": .string(direction.rawValue), "sampleRate": .integer(rate), "channels": .integer(channels),
      "format": .string(format), "shaped": .bool(to != nil),
    ]
    try caller.send(hello.text)
    let answer = try caller.next().flatMap { try? JSONValue(parsing: $0) }
    guard let answer, answer["error"] == nil else {
      let reason = answer?["error"]?["message"]?.stringValue ?? "the device has closed"
      throw DeviceError(
        answer == nil ? .missing : .unsupported, device: socket, operation: direction.rawValue, hint: reason)
    }
    return caller
  }

  /// Bytes, frames lost, frame, of a packet's head.
  private static func head(_ bytes: [UInt8]) -> (bytes: Int, lost: Int, frame: Int) {
    func number(_ range: Range<Int>) -> Int { range.reversed().reduce(0) { $0 << 8 | Int(bytes[$1]) } }
    return (number(0..<4), number(4..<8), number(8..<15))
  }

  // MARK: Record

  private func record() throws(DeviceError) {
    let caller = try call(rate, channels, format)
    let frameBytes = channels * Self.sampleBytes(format)
    var left = seconds.map { Int(max(0, min($0, 1e9)) * Double(rate)) * frameBytes } ?? .max
    if wav { try put(header(dataBytes: seconds == nil ? 0xFFFF_FFFF : min(left, 0xFFFF_FFFF))) }
    var lost = 0
    while left > 0, let bytes = try caller.next(24) {
      let head = Self.head(bytes)
      lost += head.lost
      // What is missing is silence: the pipe's sound keeps the time.
      var gap = min(left, head.lost * frameBytes)
      left -= gap
      while gap > 0 {
        let some = min(gap, 48_000 * frameBytes)
        try put([UInt8](repeating: format == "alaw" ? 0xD5 : format == "mulaw" ? 0xFF : 0, count: some))
        gap -= some
      }
      guard head.bytes <= 1 << 20, let sound = try caller.next(head.bytes) else { break }
      try put(Array(sound.prefix(left)))
      left -= min(left, sound.count)
    }
    if lost > 0 { Host.complain("mynah: \(lost) frames were not taken in time: silence stands for them") }
  }

  private func put(_ bytes: [UInt8]) throws(DeviceError) {
    var done = 0
    while done < bytes.count {
      let count = bytes[done...].withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      if count < 0, errno != EINTR { throw DeviceError(.failed, device: "output", operation: "write", code: errno) }
      done += max(0, count)
    }
  }

  /// Until the card is gone, or the device.
  private func feed(_ pcm: String) throws(DeviceError) {
    let sink = ALSASink(pcm: pcm)
    while true {
      sink.waitUntilHeard()
      let granted = try sink.open(rate: rate, channels: channels)
      let caller = try call(granted.sampleRate, granted.channels, "s\(granted.bits)")
      while sink.isHeard, let head = try caller.next(24), let sound = try caller.next(Self.head(head).bytes) {
        try sink.write(sound)
      }
      sink.close()
    }
  }

  private static func sampleBytes(_ format: String) -> Int {
    switch format {
    case "s24": 3
    case "f32": 4
    case "alaw", "mulaw": 1
    default: 2
    }
  }

  /// 44 bytes of RIFF: what every reader of a pipe knows.
  private func header(dataBytes: Int) -> [UInt8] {
    let frame = channels * Self.sampleBytes(format)
    let tag = ["f32": 3, "alaw": 6, "mulaw": 7][format] ?? 1
    func little(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    return Array("RIFF".utf8) + little(min(0xFFFF_FFFF, dataBytes + 36), 4) + Array("WAVEfmt ".utf8) + little(16, 4)
      + little(tag, 2) + little(channels, 2) + little(rate, 4) + little(rate * frame, 4) + little(frame, 2)
      + little(frame / channels * 8, 2) + Array("data".utf8) + little(dataBytes, 4)
  }

  // MARK: Play

  private func play() throws(DeviceError) {
    var input = PipeInput()
    var (rate, channels, format) = (rate, channels, format)
    var left = Int.max
    if wav {
      let header: WAVHeader
      do throws(WAVError) { header = try WAVHeader(size: .max) { input.peek(at: $0, count: $1) } } catch {
        throw DeviceError(.unsupported, device: "input", operation: "play: it \(error)", hint: "leave out --wav")
      }
      (rate, channels) = (header.format.sampleRate, header.format.channels)
      switch header.sampleType {
      case .signed16: format = "s16"
      case .signed24: format = "s24"
      case .float32: format = "f32"
      case .unsigned8, .signed32:
        throw DeviceError(
          .unsupported, device: "input", operation: "play its samples", hint: "give 16 or 24 bits, or float")
      }
      input.drop(header.dataOffset)
      left = header.frames * channels * header.sampleType.bytes
    }
    let frameBytes = max(1, channels * Self.sampleBytes(format))
    if let seconds { left = min(left, Int(max(0, min(seconds, 1e9)) * Double(rate)) * frameBytes) }
    let caller = try call(rate, channels, format)
    var late = 0
    func told(_ bytes: [UInt8]) { late = Self.head(bytes).lost }
    while left > 0 {
      let bytes = input.next(multipleOf: frameBytes, atMost: min(left, 16_384))
      guard !bytes.isEmpty else { break }
      left -= bytes.count
      try caller.send((0..<4).map { UInt8(truncatingIfNeeded: bytes.count >> (8 * $0)) } + bytes)
      while let bytes = try caller.next(24, waits: false) { told(bytes) }
    }
    try caller.send([0, 0, 0, 0])
    // It closes when the last frame has been heard.
    while let bytes = try caller.next(24) { told(bytes) }
    if late > 0 { Host.complain("mynah: \(late) frames came too late: silence was heard instead") }
  }
}

/// Standard input, as it comes.
private struct PipeInput {
  private var bytes: [UInt8] = []
  private var isOver = false

  private mutating func fill() -> Bool {
    guard !isOver else { return false }
    var chunk = [UInt8](repeating: 0, count: 16_384)
    let count = read(STDIN_FILENO, &chunk, chunk.count)
    if count < 0, errno == EINTR { return true }
    isOver = count <= 0
    bytes += chunk.prefix(max(0, count))
    return !isOver
  }

  /// Bytes that stay; at most a MiB of them is looked at.
  mutating func peek(at offset: Int, count: Int) -> [UInt8] {
    guard offset <= 1 << 20 else { return [] }
    while bytes.count < offset + count, fill() {}
    return Array(bytes.dropFirst(offset).prefix(count))
  }

  mutating func drop(_ count: Int) { bytes.removeFirst(min(count, bytes.count)) }

  /// What is there, in whole frames; none at the end.
  mutating func next(multipleOf frame: Int, atMost most: Int) -> [UInt8] {
    while bytes.count < frame, fill() {}
    let count = min(most, bytes.count) / frame * frame
    defer { bytes.removeFirst(count) }
    return Array(bytes[..<count])
  }
}
