import Foundation
import TestSupport
import Testing

/// The manual page, which is made of the command line's own description and the console's table.
@Suite struct ManualTests {
  @Test func thePageTellsOfEveryCommandTheHelpShows() throws {
    let page = try Tool.succeed(Mynah.executable.path, ["manual"])
    let help = try Tool.succeed(Mynah.executable.path, ["--help"])
    let table = help.components(separatedBy: "SUBCOMMANDS:\n").last ?? ""
    let commands = table.split(separator: "\n").filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
      .compactMap { $0.split(separator: " ").first.map(String.init) }.filter { $0 != "See" }
    #expect(commands.contains("simulate"))
    for command in commands { #expect(page.contains(".SS mynah \(command)"), "no section on \(command)") }
    #expect(page.contains(".SH CONSOLE METHODS"))
    #expect(page.contains(".B panel.press"))
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/groff")))
  func groffHasNothingToComplainAboutInThePage() throws {
    let folder = TemporaryFolder()
    let page = try Tool.succeed(Mynah.executable.path, ["manual"])
    try page.write(toFile: folder.file("mynah.1"), atomically: true, encoding: .utf8)
    let result = try Tool.run("groff", ["-k", "-man", "-Tutf8", "-ww", "-z", folder.file("mynah.1")])
    #expect(result.status == 0)
    #expect(result.errors == "")
  }
}
