import Hardware
import Testing

@testable import Runtime

/// What clients of the sound's socket say, in pieces of any size.
@Suite struct PCMInboxTests {
  private static let hello = Array(#"{"direction":"play","sampleRate":8000,"channels":2,"format":"s16"}"#.utf8) + [0x0A]

  private static func read(_ bytes: [UInt8], by step: Int) -> [PCMInbox.Item] {
    var inbox = PCMInbox()
    var items: [PCMInbox.Item] = []
    for place in stride(from: 0, to: bytes.count, by: step) {
      inbox.add(Array(bytes[place..<min(bytes.count, place + step)]))
      while let item = inbox.next() { items.append(item) }
    }
    return items
  }

  private static func samples(_ items: [PCMInbox.Item]) -> [UInt8] {
    items.reduce(into: []) { all, item in if case .samples(let bytes) = item { all += bytes } }
  }

  @Test(arguments: [1, 3, 7, 100, 5000])
  func `A line and packets come out whole, whatever the pieces`(step: Int) {
    let sound = (0..<4000).map { UInt8(truncatingIfNeeded: $0) }
    let packets: [UInt8] = [0xA0, 0x0F, 0, 0] + sound + [0x08, 0, 0, 0] + sound[..<8] + [0, 0, 0, 0, 9, 9]
    let items = Self.read(Self.hello + packets, by: step)
    let format = PCMFormat(sampleRate: 8000, channels: 2)
    #expect(items.first == .hello(PCMHello(isPlayer: true, format: format, samples: .s16)))
    #expect(Self.samples(items) == sound + sound[..<8])
    for case .samples(let bytes) in items { #expect(bytes.count % 4 == 0) }
    #expect(items.last == .end)
  }

  @Test(arguments: [
    ("[]", "the first line is a JSON object"), ("{}", "direction is record or play"),
    (#"{"direction":"play","sampleRate":7999}"#, "sampleRate is 8000 to 192000"),
    (#"{"direction":"play","channels":3}"#, "channels is 1 or 2"),
    (#"{"direction":"record","format":"mp3"}"#, "format is one of s16, s24, f32, alaw, mulaw"),
    (String(repeating: " ", count: 1100), "the first line is a JSON object"),
  ])
  func `What is wrong is named`(line: String, reason: String) {
    #expect(Self.read(Array(line.utf8) + [0x0A], by: 64) == [.refused(PCMRefusal(reason: reason))])
  }

  @Test(arguments: [[1, 0, 0, 0], [6, 0, 0, 0], [0, 0, 1, 1], [255, 255, 255, 255]])
  func `A packet of half a frame, or of too many, is refused, and nothing after it is read`(head: [UInt8]) {
    let items = Self.read(Self.hello + head + [4, 0, 0, 0, 1, 2, 3, 4], by: 9)
    #expect(items.count == 2)
    #expect(items.last == .refused(PCMRefusal(reason: "a packet has whole frames, 65536 bytes at most")))
  }

  @Test(arguments: PCMSamples.allCases)
  func `Samples come back as they were, as far as their bits go`(samples: PCMSamples) {
    let sound: [Float] = [0, 0.25, -0.25, 1, -1, 0.001, .nan]
    var bytes: [UInt8] = []
    samples.pack(sound, count: sound.count, to: &bytes)
    #expect(bytes.count == sound.count * samples.bytes)
    var back: [Float] = []
    samples.unpack(bytes, to: &back)
    let step: Float = samples == .alaw || samples == .mulaw ? 1 / 30 : 1 / 32_000
    for (before, after) in zip(sound, back) { #expect(abs((before.isNaN ? 0 : before) - after) <= step) }
  }
}
