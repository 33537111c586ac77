import Foundation
import Hardware
import JSON
import SimulatedHardware
import Testing

/// What is secret is planted wherever it can be, and looked for in all that comes out.
@Suite struct SecretsTests {
  private static let secrets = ["hunter2", "s3cr3tkey", "t0ken"]
  private static let source = "http://bob:hunter2@stream.example/live.m3u8?key=s3cr3tkey"
  private static let settings = """
    {"dub.sources":"News=\(source) http://bob:hunter2@radio.example/?s3cr3tkey","dub.serviceToken":"t0ken",
    "dub.service":"wss://bob:hunter2@dub.example/v1?key=s3cr3tkey","dub.proxy":"http://bob:hunter2@proxy.example:8080"}
    """.split(separator: "\n").joined()

  @Test(
    "Neither events, answers, the log nor a file but secrets.json tells them; it is the device's alone, and so is settings.json"
  )
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
      let name = url.lastPathComponent
      if name.hasPrefix("settings.json") || name.hasPrefix("secrets.json") {
        let mode = try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
        #expect(mode == 0o600, "\(name)")
      }
      if !name.hasPrefix("secrets.json") {
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
    let folder = try #require(bench.folder)
    let kept = { (key: String) throws -> String? in
      let files = try ["settings.json", "secrets.json"].map {
        try JSONValue(parsing: Array(Data(contentsOf: folder.appendingPathComponent($0))))
      }
      return files[0][key]?["secret"]?.integerValue.flatMap { files[1]["\($0)"]?.stringValue }
    }
    #expect(try kept("dub.sources") == "News=\(Self.source) http://bob:hunter2@radio.example/?s3cr3tkey")
    #expect(try kept("dub.proxy") == "http://bob:hunter2@proxy.example:8080")
  }

  @Test("Settings of older firmware, with secrets in them, open as they were, and the secrets move out at once")
  func moved() throws {
    let bench = try RuntimeBench()
    let old = Array(#"{"recording.format":"wav",\#(Self.settings.dropFirst())"#.utf8)
    for path in ["settings.json", "settings.json.bak"] { try bench.memory.replace(path, with: old) }
    #expect(try bench.run("0.1 call settings.get\n1 quit") == nil)
    let told = try #require(bench.results("settings.get").first)
    #expect(told["recording.format"]?.stringValue == "wav")
    #expect(told["dub.serviceToken"]?.stringValue == "********")
    for path in ["settings.json", "settings.json.bak"] {
      let text = String(decoding: try bench.memory.read(path, limit: 1 << 20), as: UTF8.self)
      for secret in Self.secrets { #expect(text.firstRange(of: secret) == nil, "\(path)") }
    }
    let secrets = String(decoding: try bench.memory.read("secrets.json", limit: 1 << 20), as: UTF8.self)
    for secret in Self.secrets { #expect(secrets.firstRange(of: secret) != nil) }
    // What is taken back does not stay on the card; what stays is as it was after another start.
    let next = try RuntimeBench(continuing: bench)
    #expect(
      try next.run(
        """
        0.1 call settings.set {"dub.serviceToken":"","dub.service":"","dub.proxy":""}
        0.2 call settings.set {"dub.sources":"News=http://***@stream.example/live.m3u8?key=***"}
        1 quit
        """) == nil)
    #expect(next.results("settings.set").last?["code"] == nil)
    let left = String(decoding: try next.memory.read("secrets.json", limit: 1 << 20), as: UTF8.self)
    #expect(left.firstRange(of: "t0ken") == nil && left.firstRange(of: "proxy.example") == nil)
    #expect(left.firstRange(of: "http://bob:hunter2@stream.example/live.m3u8?key=s3cr3tkey") != nil)
  }
}
