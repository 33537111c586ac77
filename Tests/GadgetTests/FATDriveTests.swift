import Foundation
import Gadget
import TestSupport
import Testing

/// The drive that is made up for a PC, judged by the tools that people mend and read drives with.
@Suite struct FATDriveTests {
  private static let date = DriveFile.Date(year: 2026, month: 11, day: 25, hour: 14, minute: 3, second: 21)

  /// Folders, and the bytes of their files in order.
  private struct Content {
    var folders: [DriveFolder]
    var files: [[UInt8]]
    var drive: FATDrive { FATDrive(label: "MYNAH", serial: 0x1234_5678, folders: folders) }

    init(_ folders: [(String, [(String, Int)])], seed: UInt64 = 1) {
      var random = SeededGenerator(seed: seed)
      files = folders.flatMap { $0.1.map { random.bytes($0.1) } }
      self.folders = folders.map { name, files in
        DriveFolder(
          name: name, files: files.map { DriveFile(name: $0.0, bytes: $0.1, date: FATDriveTests.date) })
      }
    }

    /// Bytes of the drive, as a PC reads them.
    func read(_ drive: FATDrive, at offset: Int, _ count: Int) -> [UInt8] {
      drive.pieces(at: offset, count: count).flatMap { piece -> [UInt8] in
        switch piece {
        case .bytes(let bytes): bytes
        case .zeros(let count): [UInt8](repeating: 0, count: count)
        case .file(let number, let offset, let count): Array(files[number][offset..<(offset + count)])
        }
      }
    }

    /// All of the drive as a file; where it is zeros, the file has holes.
    func write(_ drive: FATDrive, to path: String) throws {
      _ = FileManager.default.createFile(atPath: path, contents: nil)
      let file = try #require(FileHandle(forWritingAtPath: path))
      try file.truncate(atOffset: UInt64(drive.bytes))
      var place = 0
      for piece in drive.pieces(at: 0, count: drive.bytes) {
        switch piece {
        case .zeros(let count): place += count
        case .bytes(let bytes):
          try file.seek(toOffset: UInt64(place))
          try file.write(contentsOf: Data(bytes))
          place += bytes.count
        case .file(let number, let offset, let count):
          try file.seek(toOffset: UInt64(place))
          try file.write(contentsOf: Data(files[number][offset..<(offset + count)]))
          place += count
        }
      }
      try file.close()
      #expect(place == drive.bytes)
    }
  }

  @discardableResult
  private static func mtools(_ words: [String]) throws -> String {
    try Tool.succeed("env", ["MTOOLS_SKIP_CHECK=1", "LC_ALL=C.UTF-8", "TZ=UTC"] + words)
  }

  private static let takes: [(String, Int)] = [
    ("Interview with the ferryman.m4a", 100_000), ("Take 1.wav", 1), ("empty.txt", 0),
    ("Запись 42 – у реки.m4a", 65_536),
    ("exactly a cluster.bin", 32_768), ("x", 5), ("\(String(repeating: "long ", count: 49))name.flac", 33_000),
    ("13 letters ab", 7), ("ñ and é.opus", 4_097),
  ]

  @Test func `fsck finds nothing, and mtools reads every file by its name, byte by byte`() throws {
    let folder = TemporaryFolder()
    let content = Content([("Takes", Self.takes), ("Clips", [("Clip 7.mp4", 300_000)]), ("Nothing", [])])
    let drive = content.drive
    let path = folder.file("drive")
    try content.write(drive, to: path)
    #expect(drive.leftOut.isEmpty)
    let check = try Tool.run("/usr/sbin/fsck.vfat", ["-n", "-v", path])
    #expect(check.status == 0, "\(check.output)\(check.errors)")
    #expect(try Self.mtools(["mlabel", "-s", "-i", path]).contains("MYNAH"))
    for (name, number) in zip(Self.takes.map(\.0), 0...) {
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

  @Test func `Any range is what it is in the whole`() throws {
    let content = Content([("Takes", Self.takes), ("Clips", [("Clip 7.mp4", 300_000)])])
    let drive = content.drive
    // All but the free clusters and the end of the table.
    let most = 4_000_000
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
    let names = (0..<3_000).map { ("Take \($0).wav", 0) }
    var content = Content([("Takes", names)])
    for index in 0..<2_000 {
      content.folders[0].files[index].bytes = index.isMultiple(of: 500) ? 4_294_934_528 : 1_000_000
    }
    content.folders[0].files[2_999].bytes = 4_294_934_529
    let drive = content.drive
    #expect(drive.leftOut == [2_999])
    #expect(drive.bytes > 4 * 4_294_934_528 + 1_996 * 1_000_000)
    // What the files hold does not matter to fsck.
    content.files = []
    let path = folder.file("drive")
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    let file = try #require(FileHandle(forWritingAtPath: path))
    try file.truncate(atOffset: UInt64(drive.bytes))
    var place = 0
    for piece in drive.pieces(at: 0, count: drive.bytes) {
      switch piece {
      case .bytes(let bytes):
        try file.seek(toOffset: UInt64(place))
        try file.write(contentsOf: Data(bytes))
        place += bytes.count
      case .zeros(let count), .file(_, _, let count): place += count
      }
    }
    try file.close()
    let check = try Tool.run("/usr/sbin/fsck.vfat", ["-n", path])
    #expect(check.status == 0, "\(check.output)\(check.errors)")
  }

  @Test func `Dates that FAT cannot have are the nearest that it can`() {
    let early = DriveFile.Date(year: 1970, month: 1, day: 1, hour: 0, minute: 0, second: 0)
    var content = Content([("Takes", [("a.wav", 3)])])
    content.folders[0].files[0].date = early
    #expect(content.read(content.drive, at: 0, 512).count == 512)
  }
}
