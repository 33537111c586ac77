import Appliance
import Foundation
import Testing

/// The table of settings in the manual is the table that the program goes by.
///
/// After a change: `MYNAH_WRITE=1 swift test --filter ApplianceTests.SettingsDocumentTests` writes it anew.
@Suite struct SettingsDocumentTests {
  private static let document = URL(filePath: #filePath)
    .appending(path: "../../../../docs/manual/settings.md").standardizedFileURL
  private static let start = "<!-- settings -->\n"
  private static let end = "<!-- end -->"

  @Test func theManualListsEverySettingAsItIs() throws {
    let text = try String(contentsOf: Self.document, encoding: .utf8)
    let from = try #require(text.range(of: Self.start)).upperBound
    let to = try #require(text.range(of: Self.end, range: from..<text.endIndex)).lowerBound
    if ProcessInfo.processInfo.environment["MYNAH_WRITE"] == "1" {
      try text.replacingCharacters(in: from..<to, with: Settings.markdownTable).write(
        to: Self.document, atomically: true, encoding: .utf8)
      return
    }
    #expect(text[from..<to] == Settings.markdownTable)
  }
}
