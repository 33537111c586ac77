import Foundation
import Gadget
import TestSupport
import Testing

/// Folders of a drive, and what lies in their files.
struct DriveContent {
  static let date = DriveFile.Date(
    year: 2026, month: 11, day: 25, hour: 14, minute: 3, second: 21, hundredths: 37, minutesAhead: 180)
  static let takes: [(String, Int)] = [
    ("Interview with the ferryman.m4a", 100_000), ("Take 1.wav", 1), ("empty.txt", 0),
    ("Запись 42 – у реки.m4a", 65_536),
    ("exactly a cluster.bin", 32_768), ("x", 5), ("\(String(repeating: "long ", count: 49))name.flac", 33_000),
    ("13 letters ab", 7), ("ñ and é.opus", 4_097),
  ]

  /// SEEK_DATA, a macro that Swift is not shown.
  private static let seekData: Int32 = 3

  var folders: [DriveFolder]
  /// By their numbers; those that are too long to be held are in `paths`.
  var files: [[UInt8]]
  var paths: [Int: String] = [:]

  /// - Parameter folders: names, and names and lengths of their files.
  init(_ folders: [(String, [(String, Int)])], seed: UInt64 = 1) {
    var random = SeededGenerator(seed: seed)
    files = folders.flatMap { $0.1.map { random.bytes($0.1) } }
    self.folders = folders.map { name, files in
      DriveFolder(name: name, files: files.map { DriveFile(name: $0.0, bytes: $0.1, date: Self.date) })
    }
  }

  func drive(_ fileSystem: Drive.FileSystem? = nil) -> Drive {
    Drive(label: "MYNAH", serial: 0x1234_5678, folders: folders, fileSystem: fileSystem)
  }

  /// Bytes of the drive, as a PC reads them.
  func read(_ drive: Drive, at offset: Int, _ count: Int) -> [UInt8] {
    drive.pieces(at: offset, count: count).flatMap { piece -> [UInt8] in
      switch piece {
      case .bytes(let bytes): bytes
      case .zeros(let count): [UInt8](repeating: 0, count: count)
      case .file(let number, let offset, let count): Array(files[number][offset..<(offset + count)])
      }
    }
  }

  /// All of the drive as a file, with holes where it is zeros.
  ///
  /// - Parameter withFiles: without them the files on it are holes.
  func write(_ drive: Drive, to path: String, withFiles: Bool = true) throws {
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    let file = try #require(FileHandle(forWritingAtPath: path))
    try file.truncate(atOffset: UInt64(drive.bytes))
    var place = 0
    func put(_ part: Data) throws {
      try file.seek(toOffset: UInt64(place))
      try file.write(contentsOf: part)
      place += part.count
    }
    for piece in drive.pieces(at: 0, count: drive.bytes) {
      switch piece {
      case .zeros(let count): place += count
      case .bytes(let bytes): try put(Data(bytes))
      case .file(_, _, let count) where !withFiles: place += count
      case .file(let number, let offset, let count):
        if let path = paths[number] {
          let source = try #require(FileHandle(forReadingAtPath: path))
          let (start, end) = (place, offset + count)
          while true {
            // A hole there is one here.
            let data = lseek(source.fileDescriptor, off_t(offset + place - start), Self.seekData)
            guard data >= 0, data < end else { break }
            place = start + Int(data) - offset
            try put(try #require(try source.read(upToCount: min(65_536, end - Int(data)))))
          }
          try source.close()
          place = start + count
        } else {
          try put(Data(files[number][offset..<(offset + count)]))
        }
      }
    }
    try file.close()
    #expect(place == drive.bytes)
  }

  /// A file of random bytes here and there, with holes between them.
  static func sparseFile(_ name: String, in folder: TemporaryFolder, bytes: Int, islands: [Int]) throws -> String {
    var random = SeededGenerator(seed: 5)
    let path = folder.put("", name)
    let file = try #require(FileHandle(forWritingAtPath: path))
    try file.truncate(atOffset: UInt64(bytes))
    for island in islands {
      try file.seek(toOffset: UInt64(island))
      try file.write(contentsOf: Data(random.bytes(min(5_000, bytes - island))))
    }
    try file.close()
    return path
  }
}
