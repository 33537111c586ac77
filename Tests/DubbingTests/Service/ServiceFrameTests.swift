import JSON
import TestSupport
import Testing

@testable import Dubbing

@Suite("Messages of the dubbing service")
struct ServiceFrameTests {
  private func sound(_ frames: Int = 4410, rate: Int = 22_050) -> ServiceSound {
    ServiceSound(
      codec: .pcm16, channels: 1, sequence: 7, sampleRate: rate, pts: -90_000, duration: frames * 90_000 / rate,
      language: "pt-BR", payload: [UInt8](repeating: 3, count: 2 * frames))
  }

  private func fault(_ bytes: [UInt8]) -> ServiceFault? {
    do throws(ServiceFault) {
      _ = try ServiceSound(parsing: bytes)
      return nil
    } catch { return error }
  }

  private func changed(_ offset: Int, _ bytes: UInt8...) -> [UInt8] {
    var message = sound().bytes
    message.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
    return message
  }

  @Test func `A message is read as it was written`() throws {
    for rate in ServiceSound.sampleRates {
      let message = sound(rate / 3, rate: rate)
      let parsed = try ServiceSound(parsing: message.bytes)
      #expect(parsed == message)
    }
    #expect(sound().bytes.count == ServiceSound.headerBytes + 8820)
  }

  @Test func `Samples survive the way within half a step`() throws {
    let samples: [Float] = [0, 0.5, -0.5, 1, -1, 0.25]
    let message = ServiceSound(
      codec: .pcm16, channels: 1, sequence: 0, sampleRate: 48_000, pts: 0, duration: 11, language: "es",
      payload: ServiceSound.pcm(samples))
    let back = try ServiceSound(parsing: message.bytes).monoSamples
    for (left, right) in zip(samples, back) { #expect(abs(left - right) <= 1 / 32_768) }
  }

  @Test func `Every kind of wrong header has its error`() {
    #expect(fault([]) == .foreign)
    #expect(fault(changed(0, 0x52)) == .foreign)
    #expect(fault(Array(sound().bytes[0..<20])) == .truncated(bytes: 20, needed: 40))
    #expect(fault(changed(4, 2)) == .version(2))
    #expect(fault(changed(5, 9)) == .codec(9))
    #expect(fault(changed(6, 3)) == .channels(3))
    #expect(fault(changed(7, 1)) == .flags(1))
    #expect(fault(changed(12, 0, 0, 0x30, 0x39)) == .sampleRate(12_345))
    // 48000 Hz for what was announced as 22050: sound and duration do not agree.
    #expect(fault(changed(12, 0, 0, 0xBB, 0x80)) == .duration(ticks: 18_000, frames: 4410, sampleRate: 48_000))
    #expect(fault(Array(sound().bytes.dropLast(10))) == .truncated(bytes: 8850, needed: 8860))
    #expect(fault(sound().bytes + [0]) == .length(8821))
    #expect(fault(changed(28, 0x20)) == .language("?"))
    #expect(fault(changed(28, 0, 0, 0, 0, 0, 0, 0, 0)) == .language(""))
    #expect(fault([UInt8](repeating: 0, count: 4 << 20)) == .tooLarge(bytes: 4 << 20))
    #expect(fault(changed(24, 0xFF)) != nil)
  }

  @Test func `Any bytes are answered`() {
    var dice = SeededGenerator(seed: 1)
    let good = sound(100).bytes
    for _ in 0..<60_000 {
      var bytes = good
      for _ in 0..<Int.random(in: 1...6, using: &dice) {
        bytes[Int.random(in: 0..<60, using: &dice)] = UInt8.random(in: 0...255, using: &dice)
      }
      if Bool.random(using: &dice) { bytes.removeLast(Int.random(in: 0...bytes.count, using: &dice)) }
      guard let parsed = try? ServiceSound(parsing: bytes) else { continue }
      #expect(parsed.bytes == bytes)
      #expect(ServiceSound.sampleRates.contains(parsed.sampleRate))
    }
  }

  @Test func `What a service says steers no terminal, and is not long`() throws {
    let steering = "\u{1B}[2J\u{202E}\nno"
    let marks = "e" + String(repeating: "\u{301}", count: 5000)
    let said = JSONValue.object([
      "type": "refused", "sequence": 3, "code": .string(steering), "message": .string(marks),
    ])
    guard case .refused(_, let code, let message) = try ServiceText(parsing: said.text) else {
      return #expect(Bool(false))
    }
    #expect(code == "?[2J??no" && message.unicodeScalars.count == 200)
    let fault = #expect(throws: ServiceFault.self) {
      try ServiceText(parsing: JSONValue.object(["type": .string(steering + marks)]).text)
    }
    #expect(fault?.description.utf8.count ?? 1000 < 200 && fault?.description.contains("\u{1B}") == false)
  }

  @Test func `Any text is answered`() {
    var dice = SeededGenerator(seed: 2)
    let good = [
      #"{"type":"welcome","version":1,"languages":["en","es"],"inFlight":2}"#,
      #"{"type":"refused","sequence":3,"code":"language","message":"no"}"#, #"{"type":"languages","languages":[]}"#,
    ]
    for text in good { #expect((try? ServiceText(parsing: text)) != nil) }
    for _ in 0..<40_000 {
      var bytes = Array(good[Int.random(in: 0..<3, using: &dice)].utf8)
      for _ in 0..<Int.random(in: 1...4, using: &dice) {
        bytes[Int.random(in: 0..<bytes.count, using: &dice)] = UInt8.random(in: 32...126, using: &dice)
      }
      _ = try? ServiceText(parsing: String(decoding: bytes, as: UTF8.self))
    }
    for text in [
      "", "[]", "null", "{}", #"{"type":"hello"}"#, #"{"type":"welcome","version":2,"languages":[],"inFlight":1}"#,
    ] {
      #expect(throws: ServiceFault.self) { try ServiceText(parsing: text) }
    }
  }
}
