/// A drive that exists nowhere: what a PC reads of it is made up as it is asked for, and what it reads of a file is a range of
/// that file. It cannot be written to.
///
/// FAT32, which everything can read; exFAT as soon as there is something that FAT32 cannot have.
///
/// Pure: which bytes of the drive are which is all it knows. Every file, and every folder, is one run of clusters, so nothing
/// is kept for each cluster; memory goes by the number of files. A value; any thread.
public struct Drive: Sendable {
  public enum FileSystem: String, Sendable {
    case fat32 = "FAT32"
    case exFAT
  }

  public static let sectorBytes = 512

  public let fileSystem: FileSystem
  /// The whole drive, in bytes: as large as what is on it, at least 2 GiB with FAT32 and 2 MiB with exFAT.
  public let bytes: Int
  /// Files that found no room in their folder or on the drive, or are too long for it: by their numbers.
  public let leftOut: [Int]
  private let head: [UInt8]
  private let table: DriveTable
  /// Where the clusters begin.
  private let data: Int
  private let runs: DriveRuns

  /// - Parameters:
  ///   - label: the drive's name: at most 11 capital letters and digits.
  ///   - serial: another one for another content, so that no PC takes it for what it has seen.
  ///   - fileSystem: nil: the one that takes all of the files.
  public init(label: String, serial: UInt32, folders: [DriveFolder], fileSystem: FileSystem? = nil) {
    if fileSystem != .exFAT {
      let drive = FATDrive.drive(label: label, serial: serial, folders: folders)
      if fileSystem == .fat32 || drive.leftOut.isEmpty {
        self = drive
        return
      }
    }
    self = ExFATDrive.drive(label: label, serial: serial, folders: folders)
  }

  /// - Parameters:
  ///   - head: everything before the table.
  ///   - data: where the clusters begin, in bytes; zeros from the table to there.
  init(
    _ fileSystem: FileSystem, head: [UInt8], table: DriveTable, data: Int, clusters: Int, runs: DriveRuns,
    leftOut: [Int]
  ) {
    (self.fileSystem, self.head, self.table, self.data, self.runs) = (fileSystem, head, table, data, runs)
    bytes = data + clusters * runs.clusterBytes
    self.leftOut = leftOut
  }

  /// What `count` bytes from `offset` are, in order. What lies behind the end is zeros.
  public func pieces(at offset: Int, count: Int) -> [DrivePiece] {
    var found: [DrivePiece] = []
    var (place, left) = (offset, count)
    while left > 0 {
      let (piece, length) = piece(at: place, atMost: left)
      found.append(piece)
      place += length
      left -= length
    }
    return found
  }

  private func piece(at place: Int, atMost most: Int) -> (DrivePiece, Int) {
    let tables = head.count + table.copies * table.bytes
    switch place {
    case ..<head.count:
      let end = min(place + most, head.count)
      return (.bytes(Array(head[place..<end])), end - place)
    case ..<tables:
      let within = (place - head.count) % table.bytes
      let length = min(most, table.bytes - within)
      return (.bytes(runs.table(at: within, length, end: table.end)), length)
    case ..<data:
      let length = min(most, data - place)
      return (.zeros(length), length)
    default: return runs.piece(at: place - data, atMost: most)
    }
  }
}

/// The table of a drive, with four bytes for each cluster: which one comes next.
struct DriveTable: Sendable {
  /// How often it is there, one behind the other.
  let copies: Int
  /// Of one of them, whole sectors.
  let bytes: Int
  /// What stands for the last cluster of something.
  let end: UInt32

  init(copies: Int, clusters: Int, end: UInt32) {
    self.copies = copies
    bytes = ((clusters + 2) * 4 + Drive.sectorBytes - 1) / Drive.sectorBytes * Drive.sectorBytes
    self.end = end
  }
}
