/// A drive with an exFAT file system, after "exFAT file system specification", revision 1.00, which Microsoft has published.
enum ExFATDrive {
  private static let smallestCluster = 128 << 10
  private static let largestCluster = 32 << 20
  /// More are not recommended: clusters are larger then.
  private static let mostClusters = (1 << 24) - 2
  private static let mostBitmapClusters = (1 << 24) / 8 / smallestCluster
  /// A drive has at least 1 MiB.
  private static let fewestClusters = 16
  private static let bootSectors = 12
  private static let tableSector = 128

  private struct Layout {
    let plan: DrivePlan<ExFATDirectory>
    let runs: [DriveRuns.Run]
    let top: Int
  }

  static func drive(label: String, serial: UInt32, folders: [DriveFolder]) -> Drive {
    let letters = ExFATLetters()
    let clusterBytes = clusterBytes(for: folders)
    func laidOut(bits: Int) -> Layout {
      layOut(label, folders, letters, clusterBytes: clusterBytes, bits: bits)
    }
    // The bitmap comes first, and has a bit for each cluster of everything else, and of itself.
    let others = laidOut(bits: 0).plan.next - 2
    var bitmap = 1
    while bitmap * clusterBytes * 8 < others + bitmap { bitmap += 1 }
    let used = others + bitmap
    let clusters = max(fewestClusters, used)
    let layout = laidOut(bits: clusters)
    let table = DriveTable(copies: 1, clusters: clusters, end: 0xFFFF_FFFF)
    let tableEnd = tableSector * Drive.sectorBytes + table.bytes
    let data = (tableEnd + smallestCluster - 1) / smallestCluster * smallestCluster
    var boot = boot(clusters: clusters, clusterBytes: clusterBytes, table: table, data: data)
    boot.put(UInt32(truncatingIfNeeded: layout.top), at: 96)
    boot.put(serial, at: 100)
    boot[112] = UInt8(used * 100 / clusters)
    return Drive(
      .exFAT, head: head(boot), table: table, data: data, clusters: clusters,
      runs: DriveRuns(layout.runs, clusterBytes: clusterBytes), leftOut: layout.plan.leftOut)
  }

  private static func clusterBytes(for folders: [DriveFolder]) -> Int {
    var total = 0
    for file in folders.lazy.flatMap(\.files) {
      let (sum, isTooMuch) = total.addingReportingOverflow(max(0, file.bytes))
      total = isTooMuch ? Int.max : sum
    }
    var size = smallestCluster
    while size < largestCluster, total / size > mostClusters / 2 { size *= 2 }
    return size
  }

  /// - Parameter bits: of the bitmap.
  private static func layOut(
    _ label: String, _ folders: [DriveFolder], _ letters: ExFATLetters, clusterBytes: Int, bits: Int
  ) -> Layout {
    let bitmapBytes = (bits + 7) / 8
    let bitmapClusters = (bitmapBytes + clusterBytes - 1) / clusterBytes
    // What has room does not depend on the bitmap.
    var plan = DrivePlan<ExFATDirectory>(
      clusterBytes: clusterBytes, end: 2 + mostClusters - mostBitmapClusters + bitmapClusters,
      longestFile: mostClusters * clusterBytes)
    let (bitmap, table) = (plan.take(bitmapBytes), plan.take(letters.table.count))
    let top = ExFATDirectory(
      label: label, bitmap: (bitmap.lowerBound, bitmapBytes), table: table.lowerBound, of: letters)
    let others = plan.lay(folders, top: top)
    let runs = [
      DriveRuns.Run(bitmap, .bits(plan.next - 2), size: bitmapBytes), DriveRuns.Run(table, letters.table),
    ]
    return Layout(plan: plan, runs: runs + others, top: table.upperBound)
  }

  /// The first sector, without what is another for each content.
  private static func boot(clusters: Int, clusterBytes: Int, table: DriveTable, data: Int) -> [UInt8] {
    var boot = [UInt8](repeating: 0, count: Drive.sectorBytes)
    boot.put(UInt32(0x90_76EB), at: 0)
    boot.put("EXFAT   ", at: 3)
    boot.put(UInt64((data + clusters * clusterBytes) / Drive.sectorBytes), at: 72)
    boot.put(UInt32(tableSector), at: 80)
    boot.put(UInt32(truncatingIfNeeded: table.bytes / Drive.sectorBytes), at: 84)
    boot.put(UInt32(truncatingIfNeeded: data / Drive.sectorBytes), at: 88)
    boot.put(UInt32(truncatingIfNeeded: clusters), at: 92)
    boot.put(UInt16(0x0100), at: 104)
    boot[108] = UInt8(Drive.sectorBytes.trailingZeroBitCount)
    boot[109] = UInt8((clusterBytes / Drive.sectorBytes).trailingZeroBitCount)
    boot[110] = UInt8(table.copies)
    boot[111] = 0x80
    boot.put(UInt16(0xAA55), at: 510)
    return boot
  }

  /// Everything before the table: the first sector, others for code that nobody has, and their sum; all of it twice.
  private static func head(_ boot: [UInt8]) -> [UInt8] {
    var sectors = boot + [UInt8](repeating: 0, count: (bootSectors - 2) * Drive.sectorBytes)
    for sector in 1...8 { sectors.put(UInt32(0xAA55_0000), at: (sector + 1) * Drive.sectorBytes - 4) }
    // Flags, and how much is taken, may change without the sum.
    let summed = sectors.enumerated().lazy.filter { ![106, 107, 112].contains($0.offset) }.map(\.element)
    let sum = summed.turnedSum(UInt32.self)
    for _ in 0..<Drive.sectorBytes / 4 { sectors.append(little: sum) }
    return sectors + sectors + [UInt8](repeating: 0, count: (tableSector - 2 * bootSectors) * Drive.sectorBytes)
  }
}
