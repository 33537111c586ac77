import Foundation
import JSON
import TestSupport
import Testing

/// An update by the network, from a real server with TLS; the system that would write it is simulated.
@Suite("An update by its address")
struct UpdateFetchTests {
  let folder = TemporaryFolder()

  /// Asks for a path of the server, and what became of it three seconds later.
  ///
  /// - Parameter isNear: the data directory is named as seen from here, as people do.
  private func fetch(_ path: String, certificate: String = "good", isNear: Bool = false) throws -> (
    answers: [JSONValue], errors: String, file: Data?, content: Data
  ) {
    let files = try Certificates(in: folder)
    let content = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
    try content.write(to: folder.url.appendingPathComponent("update"))
    let server = try DubPeer(
      "update_server.py",
      [
        folder.file("update"), "--certificate", files.path("\(certificate).pem"), "--key",
        files.path("\(certificate).key"),
      ])
    var mynah = Mynah(folder: folder)
    mynah.clock = "real"
    mynah.microphone = "silence"
    let run = try mynah.run(
      """
      0.2 call settings.set {"dub.caFile":"\(files.path("authority.pem"))"}
      0.5 call update.install {"file":"https://n4me:passw0rd@127.0.0.1:\(server.port)\(path)?token=k3y"}
      4   call update.status
      4   call log.tail
      4.5 quit
      """, isNear ? ["--data", near(mynah.data.path)] : [])
    withExtendedLifetime(server) {}
    try #require(run.status == 0, "\(run.errors)")
    for secret in ["n4me", "passw0rd", "k3y"] {
      #expect(!run.output.contains(secret) && !run.errors.contains(secret), "\(secret) is told")
    }
    let file = mynah.data.appendingPathComponent("cache/fetched.raucb")
    return (
      run.events("result").compactMap { $0.data["result"] }.filter { $0["phase"] != nil }, run.errors,
      try? Data(contentsOf: file), content
    )
  }

  private func near(_ path: String) -> String {
    let depth = FileManager.default.currentDirectoryPath.split(separator: "/").count
    return String(repeating: "../", count: depth) + path.dropFirst()
  }

  @Test("comes to the byte: whole, by redirects, and in two parts", arguments: ["good", "moved/good", "breaks"])
  func whole(name: String) throws {
    let came = try fetch("/\(name).raucb", isNear: name == "good")
    #expect(came.answers.map { $0["phase"] } == ["checking"], "\(came.answers) \(came.errors)")
    let told = came.answers.first?["text"]?.stringValue ?? ""
    #expect(told.hasPrefix("/") && told.hasSuffix("/cache/fetched.raucb"), "\(came.answers)")
    #expect(came.file == came.content)
  }

  @Test(
    "is refused with the reason, and leaves nothing",
    arguments: [
      ("none", "good", "http-404"), ("open/good", "good", "bad-address"), ("good", "expired", "certificate"),
      ("good", "other", "certificate"),
    ])
  func refused(name: String, certificate: String, code: String) throws {
    let came = try fetch("/\(name).raucb", certificate: certificate)
    #expect(came.answers.map { $0["phase"] } == ["refused"], "\(came.answers)")
    #expect(came.answers.first?["text"]?.stringValue?.hasPrefix("\(code): ") == true, "\(came.answers)")
    #expect(came.file == nil)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("data/cache")).isEmpty)
  }
}
