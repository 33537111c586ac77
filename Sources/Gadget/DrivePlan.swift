/// The entries of a folder, as a file system has them.
protocol DriveDirectory {
  /// Bytes that a file's or a folder's entries take.
  static func size(of name: String) -> Int
  /// Bytes of entries that every folder but the top one begins with.
  static var beginning: Int { get }
  /// A folder can have no more.
  static var mostBytes: Int { get }

  var bytes: [UInt8] { get }

  /// A folder in the top one, with what it begins with.
  init(at cluster: Int, like top: Self, date: DriveFile.Date)
  mutating func add(folder name: String, cluster: Int, bytes: Int, date: DriveFile.Date)
  mutating func add(_ file: DriveFile, cluster: Int)
}

/// Where everything of a drive lies: first what its file system needs, then its folders, then its files, without a gap.
struct DrivePlan<Directory: DriveDirectory> {
  let clusterBytes: Int
  /// The drive has clusters before this one only.
  let end: Int
  let longestFile: Int
  /// The cluster behind all that lies somewhere.
  private(set) var next = 2
  private(set) var leftOut: [Int] = []

  init(clusterBytes: Int, end: Int, longestFile: Int) {
    (self.clusterBytes, self.end, self.longestFile) = (clusterBytes, end, longestFile)
  }

  /// Clusters for so many bytes.
  mutating func take(_ bytes: Int) -> Range<Int> {
    let first = next
    next += clusters(bytes)
    return first..<next
  }

  /// - Parameter top: the entries of the top folder, but for the folders.
  mutating func lay(_ folders: [DriveFolder], top: Directory) -> [DriveRuns.Run] {
    var top = top
    let topPlace = take(top.bytes.count + folders.reduce(0) { $0 + Directory.size(of: $1.name) })
    var number = 0
    var places: [(folder: DriveFolder, clusters: Range<Int>, files: [(file: DriveFile, number: Int)])] = []
    // Sizes first: whatever an entry says lies behind all of the folders.
    for folder in folders {
      let (files, size) = list(folder, from: number)
      number += folder.files.count
      places.append((folder, take(max(1, size)), files))
    }
    var folderRuns: [DriveRuns.Run] = []
    var fileRuns: [DriveRuns.Run] = []
    for (folder, place, files) in places {
      top.add(folder: folder.name, cluster: place.lowerBound, bytes: place.count * clusterBytes, date: folder.date)
      var directory = Directory(at: place.lowerBound, like: top, date: folder.date)
      for (file, number) in files {
        guard clusters(file.bytes) <= end - next else {
          leftOut.append(number)
          continue
        }
        let run = take(file.bytes)
        directory.add(file, cluster: run.lowerBound)
        if !run.isEmpty { fileRuns.append(DriveRuns.Run(run, .file(number), size: file.bytes)) }
      }
      folderRuns.append(DriveRuns.Run(place, directory.bytes))
    }
    return [DriveRuns.Run(topPlace, top.bytes)] + folderRuns + fileRuns
  }

  /// The files of a folder that the file system can have, and bytes of the folder.
  private mutating func list(_ folder: DriveFolder, from number: Int) -> ([(file: DriveFile, number: Int)], Int) {
    var bytes = Directory.beginning
    var listed: [(file: DriveFile, number: Int)] = []
    for (index, file) in folder.files.enumerated() {
      let size = Directory.size(of: file.name)
      guard (0...longestFile).contains(file.bytes), bytes + size <= Directory.mostBytes else {
        leftOut.append(number + index)
        continue
      }
      bytes += size
      listed.append((file, number + index))
    }
    return (listed, bytes)
  }

  private func clusters(_ bytes: Int) -> Int { (bytes + clusterBytes - 1) / clusterBytes }
}
