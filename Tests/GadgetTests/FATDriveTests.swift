import Foundation
import Gadget
import TestSupport
import Testing

/// The drive that is made up for a PC, judged by the tools that people mend and read drives with.
@Suite struct FATDriveTests {
  @discardableResult
  private static func mtools(_ words: [String]) throws -> String {
    try Tool.succeed("env", ["MTOOLS_SKIP_CHECK=1", "LC_ALL=C.UTF-8", "TZ=UTC"] + words)
  }

  @Test func `fsck finds nothing, and mtools reads every file by its name, byte by byte`() throws {
    let folder = TemporaryFolder()
    let takes = DriveContent.takes
    let content = DriveContent([("Takes", takes), ("Clips", [("Clip 7.mp4", 300_000)]), ("Nothing", [])])
    let drive = content.drive()
    let path = folder.file("drive")
    try content.write(drive, to: path)
    #expect(drive.leftOut.isEmpty && drive.fileSystem == .fat32)
    let check = try Tool.run("/usr/sbin/fsck.vfat", ["-n", "-v", path])
    #expect(check.status == 0, "\(check.output)\(check.errors)")
    #expect(try Self.mtools(["mlabel", "-s", "-i", path]).contains("MYNAH"))
    for (name, number) in zip(takes.map(\.0), 0...) {
      try Self.mtools(["mcopy", "-n", "-i", path, "::/Takes/\(name)", folder.file("copy\(number)")])
      #expect(folder.bytes("copy\(number)") == content.files[number], "\(name)")
    }
    try Self.mtools(["mcopy", "-n", "-i", path, "::/Clips/Clip 7.mp4", folder.file("clip")])
    #expect(folder.bytes("clip") == content.files.last)
    let listing = try Self.mtools(["mdir", "-i", path, "::/Takes"])
    #expect(listing.contains("2026-11-25") && listing.contains("14:03"), "\(listing)")
    // mtools writes the short date, whoever reads it; that nothing can be written is the drive's affair.
    #expect(try Self.mtools(["mattrib", "-i", path, "::/Takes/Take 1.wav"]).contains("R"))
  }

  @Test(arguments: [Drive.FileSystem.fat32, .exFAT])
  func `Any range is what it is in the whole`(_ fileSystem: Drive.FileSystem) throws {
    let content = DriveContent([("Takes", DriveContent.takes), ("Clips", [("Clip 7.mp4", 300_000)])])
    let drive = content.drive(fileSystem)
    // All but the free clusters and the end of the table.
    let most = min(4_000_000, drive.bytes)
    let whole = content.read(drive, at: 0, most)
    var random = SeededGenerator(seed: 7)
    for _ in 0..<500 {
      let offset = random.below(most - 1)
      let count = 1 + random.below(min(70_000, most - offset))
      #expect(content.read(drive, at: offset, count) == Array(whole[offset..<(offset + count)]), "\(offset) \(count)")
    }
    #expect(content.read(drive, at: drive.bytes - 10, 30) == [UInt8](repeating: 0, count: 30))
  }

  @Test func `Thousands of takes, some of gigabytes, cost their names, and nobody's bytes`() throws {
    let folder = TemporaryFolder()
    var content = DriveContent([("Takes", (0..<3_000).map { ("Take \($0).wav", 0) })])
    for index in 0..<2_000 {
      content.folders[0].files[index].bytes = index.isMultiple(of: 500) ? 4_294_934_528 : 1_000_000
    }
    content.folders[0].files[2_999].bytes = 4_294_934_529
    #expect(content.drive().fileSystem == .exFAT)
    let drive = content.drive(.fat32)
    #expect(drive.leftOut == [2_999])
    #expect(drive.bytes > 4 * 4_294_934_528 + 1_996 * 1_000_000)
    // What the files hold does not matter to fsck.
    let path = folder.file("drive")
    try content.write(drive, to: path, withFiles: false)
    let check = try Tool.run("/usr/sbin/fsck.vfat", ["-n", path])
    #expect(check.status == 0, "\(check.output)\(check.errors)")
  }

  @Test func `A folder is as old as its newest file, and an empty one as the drive`() throws {
    let folder = TemporaryFolder()
    var content = DriveContent([("Takes", [("a.wav", 3), ("b.wav", 3), ("c.wav", 3)]), ("Clips", [])])
    content.folders[0].files[1].date.day = 26
    content.folders[0].files[2].date.hour = 23
    let path = folder.file("drive")
    try content.write(content.drive(), to: path)
    let listing = try Self.mtools(["mdir", "-i", path, "::/"]).split(separator: "\n")
    #expect(listing.contains { $0.contains("Takes") && $0.contains("2026-11-26  14:03") }, "\(listing)")
    #expect(listing.contains { $0.contains("Clips") && $0.contains("1980-01-01") }, "\(listing)")
  }

  @Test func `Dates that FAT cannot have are the nearest that it can`() {
    let early = DriveFile.Date(year: 1970, month: 1, day: 1, hour: 0, minute: 0, second: 0)
    var content = DriveContent([("Takes", [("a.wav", 3)])])
    content.folders[0].files[0].date = early
    #expect(content.read(content.drive(), at: 0, 512).count == 512)
  }
}
