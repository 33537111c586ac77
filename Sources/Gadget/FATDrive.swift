/// A drive with a FAT32 file system that exists nowhere: what a PC reads of it is made up as it is asked for, and what it
/// reads of a file is a range of that file. It cannot be written to.
///
/// Pure: which bytes of the drive are which is all it knows. Every file, and every folder, is one run of clusters, so nothing
/// is kept for each cluster; memory goes by the number of files. A value; any thread.
public struct FATDrive: Sendable {
  /// Something that begins at a cluster and ends before another one.
  private struct Run: Sendable {
    enum Content: Sendable {
      case bytes([UInt8])
      case file(Int)
    }
    var first: Int
    var end: Int
    var content: Content
    /// Bytes; the rest of the last cluster is zeros.
    var size: Int
  }

  public static let sectorBytes = 512
  private static let clusterSectors = 64
  private static let clusterBytes = clusterSectors * sectorBytes
  /// FAT has 32 bits for the length of a file; whole clusters have to fit as well, for fsck counts by them.
  public static let longestFile = Int(UInt32.max) / clusterBytes * clusterBytes
  private static let reservedSectors = 32
  /// With fewer clusters it would be FAT16.
  private static let fewestClusters = 65_600
  /// Sectors are counted with 32 bits.
  private static let mostClusters = (Int(UInt32.max) - 2 * 600_000 - reservedSectors) / clusterSectors
  private static let mostDirectoryBytes = 65_536 * 32

  /// The whole drive, in bytes: as large as what is on it, at least 2 GiB.
  public let bytes: Int
  /// Files that found no room in their folder or on the drive, or are too long for FAT: by their numbers.
  public let leftOut: [Int]
  private let runs: [Run]
  private let head: [UInt8]
  private let tableSectors: Int
  private let clusters: Int
  private let used: Int

  /// - Parameters:
  ///   - label: the drive's name: at most 11 capital letters and digits.
  ///   - serial: another one for another content, so that no PC takes it for what it has seen.
  public init(label: String, serial: UInt32, folders: [DriveFolder]) {
    var plan = Plan(folders)
    let runs = plan.lay(label)
    leftOut = plan.leftOut
    used = plan.next - 2
    clusters = max(Self.fewestClusters, used)
    self.runs = runs
    tableSectors = ((clusters + 2) * 4 + Self.sectorBytes - 1) / Self.sectorBytes
    bytes = (Self.reservedSectors + 2 * tableSectors) * Self.sectorBytes + clusters * Self.clusterBytes
    head = Self.head(
      label: label, serial: serial, sectors: bytes / Self.sectorBytes, tableSectors: tableSectors,
      free: clusters - used, next: plan.next)
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
    let table = Self.reservedSectors * Self.sectorBytes
    let data = table + 2 * tableSectors * Self.sectorBytes
    switch place {
    case ..<table:
      let end = min(place + most, table)
      return (.bytes(Array(head[place..<end])), end - place)
    case ..<data:
      let within = (place - table) % (tableSectors * Self.sectorBytes)
      let length = min(most, tableSectors * Self.sectorBytes - within)
      return (.bytes(tablePart(within, length)), length)
    default: return content(place - data, most)
    }
  }

  /// Bytes of the table, of which each entry is four.
  private func tablePart(_ place: Int, _ count: Int) -> [UInt8] {
    let first = place / 4
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 8)
    var index = runIndex(of: first)
    for cluster in first...((place + count - 1) / 4) {
      while index < runs.count, runs[index].end <= cluster { index += 1 }
      bytes.append(little: entry(cluster, index))
    }
    return Array(bytes[(place - first * 4)..<(place - first * 4 + count)])
  }

  private func entry(_ cluster: Int, _ index: Int) -> UInt32 {
    switch cluster {
    case 0: return 0x0FFF_FFF8
    case 1: return 0x0FFF_FFFF
    default:
      guard index < runs.count, runs[index].first <= cluster else { return 0 }
      return cluster + 1 < runs[index].end ? UInt32(cluster + 1) : 0x0FFF_FFFF
    }
  }

  private func content(_ place: Int, _ most: Int) -> (DrivePiece, Int) {
    let cluster = place / Self.clusterBytes + 2
    let index = runIndex(of: cluster)
    guard index < runs.count else { return (.zeros(most), most) }
    let run = runs[index]
    guard run.first <= cluster else {
      let length = min(most, (run.first - 2) * Self.clusterBytes - place)
      return (.zeros(length), length)
    }
    let within = place - (run.first - 2) * Self.clusterBytes
    guard within < run.size else {
      let length = min(most, (run.end - run.first) * Self.clusterBytes - within)
      return (.zeros(length), length)
    }
    let length = min(most, run.size - within)
    switch run.content {
    case .bytes(let bytes): return (.bytes(Array(bytes[within..<within + length])), length)
    case .file(let number): return (.file(number, offset: within, count: length), length)
    }
  }

  /// The first run that ends behind a cluster.
  private func runIndex(of cluster: Int) -> Int {
    var (low, high) = (0, runs.count)
    while low < high {
      let middle = (low + high) / 2
      if runs[middle].end <= cluster { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Where everything lies: folders first, then files, without a gap.
  private struct Plan {
    let folders: [DriveFolder]
    var leftOut: [Int] = []
    var next = 2

    init(_ folders: [DriveFolder]) { self.folders = folders }

    mutating func lay(_ label: String) -> [Run] {
      let top = take(32 + folders.reduce(0) { $0 + FATDirectory.size(of: $1.name) })
      var root = FATDirectory()
      root.add(label: label)
      // Sizes first: whatever an entry says lies behind all of the folders.
      let listed = folders.enumerated().map { list($1, from: folders[..<$0].reduce(0) { $0 + $1.files.count }) }
      let places = zip(folders, listed).map { folder, files in
        take(64 + files.reduce(0) { $0 + FATDirectory.size(of: folder.files[$1.index].name) })
      }
      var runs: [Run] = []
      var fileRuns: [Run] = []
      for (folder, (files, place)) in zip(folders, zip(listed, places)) {
        root.add(folder: folder.name, cluster: place.lowerBound)
        var directory = FATDirectory()
        directory.addDots(own: place.lowerBound, above: 0)
        for (index, number) in files {
          let file = folder.files[index]
          guard next + clusters(file.bytes) <= FATDrive.mostClusters else {
            leftOut.append(number)
            continue
          }
          let run = take(file.bytes, orNothing: true)
          directory.add(file, cluster: run.lowerBound)
          guard !run.isEmpty else { continue }
          fileRuns.append(Run(first: run.lowerBound, end: run.upperBound, content: .file(number), size: file.bytes))
        }
        runs.append(Self.run(of: directory, place))
      }
      return [Self.run(of: root, top)] + runs + fileRuns
    }

    private static func run(of directory: FATDirectory, _ place: Range<Int>) -> Run {
      Run(
        first: place.lowerBound, end: place.upperBound, content: .bytes(directory.bytes), size: directory.bytes.count)
    }

    /// The files of a folder that FAT can have.
    private mutating func list(_ folder: DriveFolder, from number: Int) -> [(index: Int, number: Int)] {
      var bytes = 64
      var listed: [(index: Int, number: Int)] = []
      for (index, file) in folder.files.enumerated() {
        let size = FATDirectory.size(of: file.name)
        guard file.bytes <= FATDrive.longestFile, bytes + size <= FATDrive.mostDirectoryBytes else {
          leftOut.append(number + index)
          continue
        }
        bytes += size
        listed.append((index, number + index))
      }
      return listed
    }

    private func clusters(_ bytes: Int) -> Int { (bytes + FATDrive.clusterBytes - 1) / FATDrive.clusterBytes }

    private mutating func take(_ bytes: Int, orNothing: Bool = false) -> Range<Int> {
      let first = next
      next += max(orNothing ? 0 : 1, clusters(bytes))
      return first..<next
    }
  }

  /// The sectors before the table: what the drive is, twice, and how much of it is free.
  private static func head(
    label: String, serial: UInt32, sectors: Int, tableSectors: Int, free: Int, next: Int
  ) -> [UInt8] {
    var boot = [UInt8](repeating: 0, count: sectorBytes)
    boot.put(UInt32(0x90_58EB), at: 0)
    boot.put("MYNAH1.0", at: 3)
    boot.put(UInt16(sectorBytes), at: 11)
    boot[13] = UInt8(clusterSectors)
    boot.put(UInt16(reservedSectors), at: 14)
    boot[16] = 2
    boot[21] = 0xF8
    boot.put(UInt16(63), at: 24)
    boot.put(UInt16(255), at: 26)
    boot.put(UInt32(sectors), at: 32)
    boot.put(UInt32(tableSectors), at: 36)
    boot.put(UInt32(2), at: 44)
    boot.put(UInt16(1), at: 48)
    boot.put(UInt16(6), at: 50)
    boot[64] = 0x80
    boot[66] = 0x29
    boot.put(serial, at: 67)
    boot.put("           ", at: 71)
    boot.put(String(label.prefix(11)), at: 71)
    boot.put("FAT32   ", at: 82)
    boot.put(UInt16(0xAA55), at: 510)
    var facts = [UInt8](repeating: 0, count: sectorBytes)
    facts.put(UInt32(0x4161_5252), at: 0)
    facts.put(UInt32(0x6141_7272), at: 484)
    facts.put(UInt32(free), at: 488)
    facts.put(UInt32(free > 0 ? next : 0xFFFF_FFFF), at: 492)
    facts.put(UInt32(0xAA55_0000), at: 508)
    var end = [UInt8](repeating: 0, count: sectorBytes)
    end.put(UInt16(0xAA55), at: 510)
    let copy = boot + facts + end
    let gap = [UInt8](repeating: 0, count: (6 - 3) * sectorBytes)
    let rest = [UInt8](repeating: 0, count: (reservedSectors - 9) * sectorBytes)
    return copy + gap + copy + rest
  }
}
