import Foundation
import Gadget
import TestSupport
import Testing

/// The drive where a file is too long for FAT32, judged by fsck.exfat and by a reader that was written from exFAT's
/// specification (Tests/Tools/read_exfat.py).
@Suite struct ExFATDriveTests {
  /// What the reader says of a drive.
  private struct Reading: Decodable {
    struct File: Decodable {
      let folder: String
      let name: String
      let size: Int
      let attributes: Int
      let created: [Int?]
      let changed: [Int?]
      let read: [Int?]
    }
    let label: String
    let serial: Int
    let sector: Int
    let cluster: Int
    let clusters: Int
    let folders: [String]
    let files: [File]
  }

  /// - Parameter sources: a folder in which each file's bytes are under its number.
  private static func judge(_ path: String, sources: String? = nil) throws -> Reading {
    let check = try Tool.run("/usr/sbin/fsck.exfat", ["-n", path])
    guard check.status == 0, check.output.contains("clean") else {
      throw Tool.Failure(description: "\(check.output)\(check.errors)")
    }
    let reader = URL(fileURLWithPath: #filePath).appendingPathComponent("../../Tools/read_exfat.py")
    let said = try Tool.succeed("python3", [reader.standardizedFileURL.path, path] + (sources.map { [$0] } ?? []))
    return try JSONDecoder().decode(Reading.self, from: Data(said.utf8))
  }

  @Test func `A take of more than 4 GiB makes it exFAT, in which every file is there byte by byte`() throws {
    let folder = TemporaryFolder()
    let sources = TemporaryFolder()
    var content = DriveContent([
      ("Takes", DriveContent.takes + [("Long day.wav", 0)]), ("Clips", [("Clip 7.mp4", 300_000)]), ("Nothing", []),
    ])
    #expect(content.drive().fileSystem == .fat32)
    let long = DriveContent.takes.count
    let bytes = 4_800_000_001
    content.folders[0].files[long].bytes = bytes
    content.paths[long] = try DriveContent.sparseFile(
      "\(long)", in: sources, bytes: bytes, islands: [0, 70_000, 4_294_967_290, 4_700_000_000, bytes - 20])
    for (number, bytes) in content.files.enumerated() where number != long { sources.put(bytes, "\(number)") }
    let drive = content.drive()
    #expect(drive.fileSystem == .exFAT && drive.leftOut.isEmpty)
    try content.write(drive, to: folder.file("drive"))
    let reading = try Self.judge(folder.file("drive"), sources: sources.path)
    #expect(reading.label == "MYNAH" && reading.serial == 0x1234_5678)
    #expect(reading.folders == ["Takes", "Clips", "Nothing"])
    let expected = content.folders.flatMap { folder in folder.files.map { "\(folder.name)/\($0.name) \($0.bytes)" } }
    #expect(reading.files.map { "\($0.folder)/\($0.name) \($0.size)" } == expected)
    #expect(reading.files.allSatisfy { $0.attributes == 0x21 })
  }

  @Test func `Dates have their odd seconds, hundredths and zone`() throws {
    let folder = TemporaryFolder()
    var content = DriveContent([("Takes", (0..<5).map { ("\($0).wav", 1_000) })])
    for (index, minutes) in [180, -570, 345, nil, 17].enumerated() {
      content.folders[0].files[index].date.minutesAhead = minutes
      content.folders[0].files[index].date.second += index
      content.folders[0].files[index].date.year += index * 20 - 50
    }
    let drive = content.drive(.exFAT)
    try content.write(drive, to: folder.file("drive"))
    let files = try Self.judge(folder.file("drive")).files
    let day: [Int?] = [11, 25, 14, 3]
    #expect(
      files.map(\.created) == [
        [1980] + day + [21, 37, 180], [1996] + day + [22, 37, -570], [2016] + day + [23, 37, 345],
        [2036] + day + [24, 37, nil],
        // Not a quarter of an hour: what exFAT cannot say, it does not say.
        [2056] + day + [25, 37, nil],
      ])
    #expect(files.allSatisfy { $0.changed == $0.created })
    // This one has no odd seconds.
    for file in files {
      let even = (file.created[5] ?? 0) / 2 * 2
      #expect(file.read == [file.created[0]] + day + [even, 0, file.created[7]])
    }
  }

  @Test func `Thousands of files, and none at all, are a drive without a fault`() throws {
    let folder = TemporaryFolder()
    var content = DriveContent([("Takes", (0..<4_000).map { ("Запись \($0) – у реки.wav", 0) }), ("Clips", [])])
    for index in 0..<3_000 {
      content.folders[0].files[index].bytes = index.isMultiple(of: 1_000) ? 6_000_000_000 : index * 100
    }
    let drive = content.drive()
    #expect(drive.fileSystem == .exFAT && drive.leftOut.isEmpty)
    try content.write(drive, to: folder.file("drive"), withFiles: false)
    let reading = try Self.judge(folder.file("drive"))
    #expect(reading.files.map(\.size) == content.folders[0].files.map(\.bytes))
    #expect(reading.files.map(\.name) == content.folders[0].files.map(\.name))
    for folders in [[], [("Takes", []), ("Clips", [])]] as [[(String, [(String, Int)])]] {
      let content = DriveContent(folders)
      try content.write(content.drive(.exFAT), to: folder.file("nothing"))
      #expect(try Self.judge(folder.file("nothing")).files.isEmpty)
      #expect(content.drive().fileSystem == .fat32)
    }
  }

  @Test func `Where the bitmap takes several clusters of its own it has a bit for each`() throws {
    let folder = TemporaryFolder()
    // A cluster has 1,048,576 bits. Five clusters lie beside the file, of which one is the bitmap's: the first drive has as
    // many as fit, the second needs a cluster for a single one.
    for clusters in [1_048_571, 1_048_572] {
      var content = DriveContent([("Takes", [("a.wav", 0), ("b.wav", 0)])])
      content.folders[0].files[0].bytes = clusters << 17
      content.folders[0].files[1].bytes = 5
      let drive = content.drive()
      try content.write(drive, to: folder.file("drive"), withFiles: false)
      #expect(try Self.judge(folder.file("drive")).files.map(\.size) == [clusters << 17, 5])
    }
  }

  @Test func `Lengths that no drive has are left out, and clusters grow with what there is`() throws {
    var content = DriveContent([("Takes", (0..<6).map { ("\($0).wav", 0) })])
    let lengths = [Int.max, -1, Int.min, 5_000_000_000, 4 << 40, Int.max - 1]
    for (index, bytes) in lengths.enumerated() { content.folders[0].files[index].bytes = bytes }
    #expect(content.drive().leftOut == [0, 1, 2, 5])
    content.folders[0].files = [3, 4].map { content.folders[0].files[$0] }
    let drive = content.drive()
    #expect(drive.leftOut.isEmpty && drive.fileSystem == .exFAT && drive.bytes > 4 << 40)
    // Sectors of a cluster: 1 MiB, so that there are no more clusters than recommended.
    #expect(content.read(drive, at: 109, 1) == [11])
    // The second file's end, at an odd place.
    #expect(drive.pieces(at: drive.bytes - 12_345, count: 7) == [.file(1, offset: (4 << 40) - 12_345, count: 7)])
    content.folders[0].files = (0..<1_000).map { DriveFile(name: "\($0)", bytes: 4 << 40, date: DriveContent.date) }
    #expect(content.drive().leftOut.count == 1_000 - 127)
  }
}
