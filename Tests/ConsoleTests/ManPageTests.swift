import Console
import Foundation
import Testing

@Suite struct ManPageTests {
  @Test func everyWordAndMethodIsOnThePage() {
    let page = FakeTable.table.catalogue.manPageSection()
    for word in FakeTable.table.catalogue.words { #expect(page.contains(".B \(word.name)")) }
    for definition in FakeTable.table.catalogue.methods { #expect(page.contains(".B \(definition.method)")) }
    #expect(
      page.split(separator: "\n").allSatisfy {
        !$0.hasPrefix(".") || [".SH", ".TP", ".B ", ".br"].contains($0.prefix(3))
      })
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/groff")))
  func groffHasNothingToComplainAbout() throws {
    let page = ".TH MYNAH 1\n" + FakeTable.table.catalogue.manPageSection()
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("mynah-\(UUID().uuidString).1")
    try Data(page.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/groff")
    process.arguments = ["-man", "-Tutf8", "-ww", "-z", file.path]
    let complaints = Pipe()
    process.standardError = complaints
    try process.run()
    let text = complaints.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(String(decoding: text, as: UTF8.self) == "")
    #expect(process.terminationStatus == 0)
  }
}
