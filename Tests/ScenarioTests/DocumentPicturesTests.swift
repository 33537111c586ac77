import Foundation
import TestSupport
import Testing

/// The pictures of README and manual are what the simulated device's OLED shows. After a change that is meant: `make screens`.
@Suite struct DocumentPicturesTests {
  private static let root = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL
  private static let kept = root.appending(path: "docs/screens")

  /// Decoders and encoders of other versions draw a camera's picture a little otherwise.
  private static let mostDifferentShare = 0.02

  @Test func theScriptsOfTheDocumentsShowThePicturesThatAreKept() throws {
    let folder = TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.file("shown"), withIntermediateDirectories: true)
    try Tool.succeed(
      Self.root.appending(path: "Scripts/screens").path(), ["--program", Mynah.executable.path, folder.file("shown")])
    let shown = URL(fileURLWithPath: folder.file("shown"))
    let names = try Self.pictures(in: shown)
    let kept = try Self.pictures(in: Self.kept)
    #expect(names == kept, "make screens")
    for name in names {
      let (now, before) = (shown.appending(path: name), Self.kept.appending(path: name))
      guard FileManager.default.fileExists(atPath: before.path()), try Data(contentsOf: now) != Data(contentsOf: before)
      else { continue }
      let share = Self.differentShare(try Self.points(now), try Self.points(before))
      #expect(share <= Self.mostDifferentShare, "\(name) is out of date by \(share) of its points: make screens")
    }
  }

  @Test func everyPictureIsShownSomewhere() throws {
    let manual = Self.root.appending(path: "docs/manual")
    var text = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
    for page in try FileManager.default.contentsOfDirectory(atPath: manual.path()) where page.hasSuffix(".md") {
      text += try String(contentsOf: manual.appending(path: page), encoding: .utf8)
    }
    for name in try Self.pictures(in: Self.kept) { #expect(text.contains("screens/\(name)"), "nobody shows \(name)") }
  }

  private static func pictures(in folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path()).filter { $0.hasSuffix(".png") }.sorted()
  }

  /// The OLED's points, as ffmpeg reads them.
  private static func points(_ file: URL) throws -> Data {
    let folder = TemporaryFolder()
    try Tool.succeed(
      "ffmpeg",
      [
        "-v", "error", "-i", file.path(), "-vf", "scale=128:64:flags=neighbor", "-pix_fmt", "gray", "-f", "rawvideo",
        folder.file("points"),
      ])
    return try Data(contentsOf: URL(fileURLWithPath: folder.file("points")))
  }

  private static func differentShare(_ left: Data, _ right: Data) -> Double {
    guard left.count == right.count, !left.isEmpty else { return 1 }
    return Double(zip(left, right).count { $0 != $1 }) / Double(left.count)
  }
}
