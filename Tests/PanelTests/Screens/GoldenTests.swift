import Foundation
import Hardware
import TestSupport
import Testing

@testable import Panel

/// Every sample screen against its picture in `Golden`.
///
/// After a change that is meant, look at the new pictures and keep them:
/// `MYNAH_RECORD_GOLDEN=1 swift test --filter GoldenTests`, then see the difference in git.
@Suite struct GoldenTests {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Golden")
  static let isRecording = ProcessInfo.processInfo.environment["MYNAH_RECORD_GOLDEN"] == "1"

  @Test("The screen looks as its golden picture", arguments: SampleScreens.all)
  func screen(sample: SampleScreen) throws {
    try check(sample.name, Screens.render(sample.state, sample.readings, at: sample.now))
  }

  @Test("The contact sheet looks as its golden picture")
  func sheet() throws {
    try check("contact-sheet", ContactSheet.frame(columns: 4))
  }

  @Test("So do all screens in the other language and in large text", arguments: Look.allCases)
  func sheet(of look: Look) throws {
    try check("contact-sheet-\(look.rawValue)", ContactSheet.frame(columns: 4, samples: look.samples))
  }

  @Test("There is no golden picture without a screen, and no two screens share a name")
  func leftovers() throws {
    let names = SampleScreens.all.map(\.name) + ["contact-sheet"] + Look.allCases.map { "contact-sheet-\($0.rawValue)" }
    #expect(Set(names).count == names.count)
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path())
    let pictures = files.filter { $0.hasSuffix(".png") }.map { String($0.dropLast(4)) }
    #expect(Set(pictures).subtracting(names).isEmpty)
  }

  private func check(_ name: String, _ frame: Frame) throws {
    let file = Self.folder.appending(path: "\(name).png")
    if Self.isRecording {
      try Data(PNG.encode(frame)).write(to: file)
      return
    }
    let golden = try PNGReader.decode([UInt8](Data(contentsOf: file)))
    let isSame = golden.width == frame.width && golden.height == frame.height && golden.pixels == frame.pixels
    #expect(isSame, "\(name) differs from its golden picture:\n\(frame.width > 128 ? "" : frame.art)")
  }
}
