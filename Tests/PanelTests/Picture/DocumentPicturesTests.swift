import Foundation
import Testing

@testable import Panel

/// The pictures of the README show what the program draws. After a change that is meant: `make screens`.
@Suite struct DocumentPicturesTests {
  private static let documents = URL(filePath: #filePath).appending(path: "../../../../docs").standardizedFileURL

  @Test("Every single screen in docs is as the program draws it")
  func singles() throws {
    let folder = Self.documents.appending(path: "screens")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path()).filter { $0.hasSuffix(".png") }
    #expect(!files.isEmpty)
    for file in files {
      let name = file.dropLast(4)
      let sample = try #require(SampleScreens.all.first { $0.name == name }, "\(file) shows no screen")
      let frame = Screens.render(sample.state, sample.readings, at: sample.now)
      try expect(folder.appending(path: file), shows: PNG.encode(frame, scale: 4))
    }
  }

  @Test("The sheet of all screens in docs is as the program draws it")
  func sheet() throws {
    try expect(Self.documents.appending(path: "screens.png"), shows: ContactSheet.png())
  }

  /// Compares pixels, not bytes: versions of zlib may pack the same picture differently.
  private func expect(_ file: URL, shows drawn: [UInt8]) throws {
    let kept = try PNGReader.decode([UInt8](Data(contentsOf: file)))
    let now = try PNGReader.decode(drawn)
    let isSame = kept.width == now.width && kept.height == now.height && kept.pixels == now.pixels
    #expect(isSame, "\(file.lastPathComponent) is out of date: make screens")
  }
}
