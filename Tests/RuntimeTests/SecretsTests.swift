import Foundation
import Hardware
import JSON
import Testing

/// What is secret is planted wherever it can be, and looked for in all that comes out.
@Suite struct SecretsTests {
  private static let secrets = ["hunter2", "s3cr3tkey", "t0ken"]
  private static let source = "http://bob:hunter2@stream.example/live.m3u8?key=s3cr3tkey"
  private static let settings = """
    {"dub.sources":"News=\(source) http://bob:hunter2@radio.example/?s3cr3tkey","dub.serviceToken":"t0ken",
    "dub.service":"wss://bob:hunter2@dub.example/v1?key=s3cr3tkey","dub.proxy":"http://bob:hunter2@proxy.example:8080"}
    """.split(separator: "\n").joined()

  @Test("Neither events, answers, the log nor a file but settings.json tells them; settings.json is the device's alone")
  func nothingTells() throws {
    let bench = try RuntimeBench(onDisk: true)
    let failure = try bench.run(
      """
      0.1 call settings.set \(Self.settings)
      0.2 call settings.get
      0.3 call settings.set {"dub.sources":"http://***@nobody.example/"}
      0.4 call settings.set {"dub.sources":"bob:hunter2@stream.example"}
      0.5 call dub.sources
      1.0 call panel.mode {"mode":"dub"}
      1.5 call dub.start {"source":"News"}
      4.0 call dub.status
      5.0 call panel.state
      5.5 call system.info
      6.0 call panel.mode {"mode":"dictaphone"}
      8.0 call log.tail
      9.0 quit
      """)
    #expect(failure == nil)
    for event in bench.events {
      let text = event.data.text
      for secret in Self.secrets { #expect(text.firstRange(of: secret) == nil, "\(event.topic): \(text)") }
    }
    for line in bench.log {
      for secret in Self.secrets { #expect(line.firstRange(of: secret) == nil, "\(line)") }
    }
    let folder = try #require(bench.folder)
    let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    for case let url as URL in files {
      guard let bytes = try? Data(contentsOf: url) else { continue }
      if url.lastPathComponent.hasPrefix("settings.json") {
        let mode = try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
        #expect(mode == 0o600, "\(url.lastPathComponent)")
      } else {
        for secret in Self.secrets { #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(url.lastPathComponent)") }
      }
    }
  }

  @Test("What was shown of the settings may be set again, and nothing is lost by it")
  func setAgain() throws {
    let bench = try RuntimeBench(onDisk: true)
    let shown = "News=http://***@stream.example/live.m3u8?key=*** http://***@radio.example/?***"
    let failure = try bench.run(
      """
      0.1 call settings.set \(Self.settings)
      0.2 call settings.set {"dub.sources":"\(shown)","dub.proxy":"http://***@proxy.example:8080"}
      1 quit
      """)
    #expect(failure == nil)
    #expect(bench.results("settings.set").last?["dub.sources"]?.stringValue == shown)
    let kept = try #require(bench.folder).appendingPathComponent("settings.json")
    let settings = try JSONValue(parsing: Array(Data(contentsOf: kept)))
    #expect(
      settings["dub.sources"]?.stringValue == "News=\(Self.source) http://bob:hunter2@radio.example/?s3cr3tkey")
    #expect(settings["dub.proxy"]?.stringValue == "http://bob:hunter2@proxy.example:8080")
  }
}
