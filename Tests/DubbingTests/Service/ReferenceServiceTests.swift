import Dispatch
import Foundation
import Hardware
import Network
import Testing

@testable import Dubbing

/// The reference service as a process of its own, on loopback.
final class ReferenceService {
  private let process = Process()
  private let input = Pipe()
  let port: Int

  init() throws {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Tools/dub_service.py").standardizedFileURL
    process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    process.arguments = [script.path]
    process.standardInput = input
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    var line = ""
    while !line.hasSuffix("\n"), let byte = try output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty {
      line += String(decoding: byte, as: UTF8.self)
    }
    port = Int(line.split(separator: " ").last?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "") ?? 0
  }

  deinit {
    // Signals are blocked in what a test starts; the service ends with its input.
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}

@Suite("Reference service over the real network", .serialized)
struct ReferenceServiceTests {
  private var now: Instant { Instant(nanoseconds: Int64(DispatchTime.now().uptimeNanoseconds)) }

  /// Asks for two utterances, and looks at what becomes of it until `isOver`, at most 15 s.
  private func converse(
    port: Int, query: String, text: String = "Hola, ¿qué tal?",
    isOver: ([ServiceSession.Outcome], [ServiceLink.Event]) -> Bool
  ) -> (outcomes: [ServiceSession.Outcome], news: [ServiceLink.Event]) {
    let network = CurlNetwork()
    defer { network.close() }
    let woken = DispatchSemaphore(value: 0)
    let link = ServiceLink(
      network: network, url: "ws://127.0.0.1:\(port)/\(query)", language: "es", codecs: ["pcm16", "aac"], seed: 1,
      wake: { woken.signal() })
    defer { link.close() }
    for sequence in 0..<2 {
      _ = link.submit(
        ServiceRequest(
          sequence: sequence, pts: Int64(sequence) * 360_000, duration: 360_000, language: "es", text: text,
          textLanguage: "es", sound: [], deadline: now + .seconds(12)), now: now)
    }
    var outcomes: [ServiceSession.Outcome] = []
    var news: [ServiceLink.Event] = []
    let end = now + .seconds(15)
    while now < end, !isOver(outcomes, news) {
      _ = link.step(now: now)
      outcomes += link.takeOutcomes()
      news += link.takeNews()
      _ = woken.wait(timeout: .now() + .milliseconds(20))
    }
    return (outcomes, news)
  }

  @Test func `It speaks what it is sent, in order`() throws {
    let service = try ReferenceService()
    let (outcomes, news) = converse(port: service.port, query: "") { outcomes, _ in outcomes.count >= 3 }
    #expect(news == [.up])
    #expect(outcomes.first == .languages(["en", "es", "de", "fr", "it", "pt", "ru"]))
    let voices = outcomes.compactMap { outcome -> ServiceSound? in
      if case .dubbed(let sound, isLate: false) = outcome { sound } else { nil }
    }
    #expect(voices.map(\.sequence) == [0, 1])
    for voice in voices {
      #expect(voice.sampleRate == 22_050)
      #expect((voice.monoSamples.map(abs).max() ?? 0) > 0.1)
      #expect((45_000...300_000).contains(voice.duration))
    }
  }

  @Test func `Every wrong message is told by its name`() throws {
    let service = try ReferenceService()
    let expected: [(String, (ServiceFault) -> Bool)] = [
      ("text", { if case .text = $0 { true } else { false } }),
      ("sequence", { $0 == .sequence(7, expected: 0) }),
      ("rate", { $0 == .sampleRate(12_345) }),
      ("wrong-rate", { if case .duration = $0 { true } else { false } }),
      ("truncated", { if case .truncated = $0 { true } else { false } }),
      ("magic", { $0 == .foreign }),
      ("language", { $0 == .language("xx") }),
    ]
    for (name, isExpected) in expected {
      let (outcomes, _) = converse(port: service.port, query: "?fault=\(name)") { outcomes, _ in
        outcomes.contains { if case .wrong = $0 { true } else { false } }
      }
      let isTold = outcomes.contains { if case .wrong(let fault) = $0 { isExpected(fault) } else { false } }
      #expect(isTold, "\(name): \(outcomes)")
    }
  }

  @Test func `Every way to end a connection is told`() throws {
    let service = try ReferenceService()
    for name in ["mid-frame", "oversized", "close&code=1013", "close&code=1012"] {
      let (_, news) = converse(port: service.port, query: "?fault=\(name)") { _, news in
        news.contains { if case .down = $0 { true } else { false } }
      }
      let isDown = news.contains { if case .down = $0 { true } else { false } }
      #expect(isDown, "\(name)")
    }
  }

  @Test func `A refusal is told, and one fault does not outlast the next message`() throws {
    let service = try ReferenceService()
    let refused = converse(port: service.port, query: "?fault=refuse") { outcomes, _ in outcomes.count >= 3 }
    let isRefused = refused.outcomes.contains {
      if case .refused(sequence: 0, code: "language", message: _) = $0 { true } else { false }
    }
    #expect(isRefused)
    let once = converse(port: service.port, query: "?fault=text&count=1") { outcomes, _ in outcomes.count >= 3 }
    let isWrong = once.outcomes.contains { if case .wrong = $0 { true } else { false } }
    #expect(isWrong)
  }
}
