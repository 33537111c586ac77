import Foundation
import TestSupport
import Testing

/// What the device is known by to a dubbing service, and a service that says it again.
@Suite("A service's token", .serialized)
struct ServiceTokenTests: DubScenario {
  private static let token = "S3CR3T-abc"
  let stage: DubStage

  init() throws { stage = try DubStage() }

  @Test("that the service says again stands nowhere: status, events, log and receipt", .enabled(if: DubPeer.hasService))
  func saidAgain() throws {
    let (peer, address) = try stream("--seconds", "20", "--every", "2")
    let service = try DubPeer(
      "dub_service.py", ["--languages", "en,es,de", "--tone", "1000", "--plan", "none:1,tattle:2"])
    let run = try mynah.run(
      """
      0.1  call settings.set {"dub.service":"ws://127.0.0.1:\(service.port)/","dub.serviceToken":"\(Self.token)"}
      0.5  call dub.start {"source":"\(address)","language":"de"}
      8.0  call dub.status
      10.0 press STOP
      11.0 call dub.receipt
      12.0 quit
      """)
    withExtendedLifetime((peer, service)) {}
    try #require(run.status == 0, "\(run.errors)")
    // It has been said, and is told without it.
    #expect(run.output.contains("not for Bearer ***") && run.errors.contains("not for Bearer ***"), "\(run.errors)")
    #expect(!run.output.contains(Self.token) && !run.errors.contains(Self.token))
    let files = try FileManager.default.subpathsOfDirectory(atPath: mynah.data.path)
    #expect(files.contains { $0.hasPrefix("dubs/") })
    for file in files where !file.hasPrefix("secrets.json") {
      let content = FileManager.default.contents(atPath: mynah.data.appendingPathComponent(file).path) ?? Data()
      #expect(content.range(of: Data(Self.token.utf8)) == nil, "\(file)")
    }
  }
}
