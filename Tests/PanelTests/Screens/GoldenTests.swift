import Appliance
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

  /// What every screen looks like beside English and text of the usual size.
  static let looks: [(name: String, settings: [(key: String, value: SettingValue)])] = [
    ("contact-sheet", []), ("contact-sheet-russian", [("ui.language", .text("ru"))]),
    ("contact-sheet-large", [("ui.largeText", .flag(true))]),
    ("contact-sheet-large-russian", [("ui.language", .text("ru")), ("ui.largeText", .flag(true))]),
  ]

  @Test("All screens look as their golden pictures, in both languages and both sizes of text", arguments: looks)
  func sheet(name: String, settings: [(key: String, value: SettingValue)]) throws {
    let samples = try SampleScreens.all.map { sample in
      var state = sample.state
      for (key, value) in settings { try state.settings.set(key, to: value) }
      return SampleScreen(sample.name, state, sample.readings, now: sample.now)
    }
    try check(name, ContactSheet.frame(columns: 4, samples: samples))
  }

  @Test("There is no golden picture without a screen, and no two screens share a name")
  func leftovers() throws {
    let names = SampleScreens.all.map(\.name) + Self.looks.map(\.name)
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
