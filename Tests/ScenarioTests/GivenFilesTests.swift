import Foundation
import TestSupport
import Testing

/// Files that are named on the command line, and are not what they should be.
@Suite("Given files")
struct GivenFilesTests {
  @Test("a folder is no script, and not an empty one either")
  func folderAsScript() throws {
    let folder = TemporaryFolder()
    let run = try Mynah.execute(["simulate", "--data", folder.file("data"), "--script", folder.path])
    #expect(run.status == 74)
    #expect(run.errors.contains("\(folder.path): cannot be read: Is a directory"))
  }

  @Test("verify tells of all files, also if one of them is a folder or is not there")
  func verifyGoesOn() throws {
    let folder = TemporaryFolder()
    try Data("sound".utf8).write(to: URL(filePath: folder.file("a.wav")))
    try FileManager.default.createDirectory(atPath: folder.file("b"), withIntermediateDirectories: false)
    let run = try Mynah.execute(["verify", folder.file("b"), folder.file("c.wav"), folder.file("a.wav")])
    #expect(run.status == 74)
    #expect(run.output.hasPrefix("\(folder.file("a.wav")): unsigned"))
    #expect(run.errors.contains("\(folder.file("b")): cannot open (not an ordinary file)\n"))
    #expect(run.errors.contains("\(folder.file("c.wav")): there is no such file\n"))
  }
}
