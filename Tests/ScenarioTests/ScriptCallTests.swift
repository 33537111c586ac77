import Foundation
import JSON
import TestSupport
import Testing

/// Calls of a script that are not answered at once.
@Suite("A script")
struct ScriptCallTests {
  @Test("goes on when a key that it pressed by a call is up again, and hears why a press did nothing")
  func answersThatComeLater() throws {
    let mynah = Mynah(folder: TemporaryFolder())
    let run = try mynah.run(
      """
      1 call panel.press {"button":"STOP"}
      1 call panel.press {"button":"REC","ms":300}
      1.6 expect mode dictaphone.recording
      2 call panel.press {"button":"STOP"}
      4 expect mode dictaphone.idle
      4 quit
      """)
    try #require(run.status == 0, "\(run.errors)")
    let results = run.events("result").map { $0.data["result"] ?? .null }
    try #require(results.count == 3)
    #expect(results[0]["ignored"]?.stringValue?.isEmpty == false)
    #expect(results[1] == [:])
    #expect(results[2] == [:])
    #expect(mynah.takes.count == 1)
  }
}
