/// A drive with a FAT32 file system.
enum FATDrive {
  private static let clusterSectors = 64
  private static let clusterBytes = clusterSectors * Drive.sectorBytes
  /// FAT has 32 bits for the length of a file; whole clusters have to fit as well, for fsck counts by them.
  private static let longestFile = Int(UInt32.max) / clusterBytes * clusterBytes
  private static let reservedSectors = 32
  /// With fewer clusters it would be FAT16.
  private static let fewestClusters = 65_600
  /// Sectors are counted with 32 bits.
  private static let mostClusters = (Int(UInt32.max) - 2 * 600_000 - reservedSectors) / clusterSectors

  static func drive(label: String, serial: UInt32, folders: [DriveFolder]) -> Drive {
    var plan = DrivePlan<FATDirectory>(clusterBytes: clusterBytes, end: mostClusters, longestFile: longestFile)
    let runs = plan.lay(folders, top: FATDirectory(label: label))
    let used = plan.next - 2
    let clusters = max(fewestClusters, used)
    let table = DriveTable(copies: 2, clusters: clusters, end: 0x0FFF_FFFF)
    let data = reservedSectors * Drive.sectorBytes + table.copies * table.bytes
    let head = head(
      label: label, serial: serial, sectors: data / Drive.sectorBytes + clusters * clusterSectors,
      tableSectors: table.bytes / Drive.sectorBytes, free: clusters - used, next: plan.next)
    return Drive(
      .fat32, head: head, table: table, data: data, clusters: clusters,
      runs: DriveRuns(runs, clusterBytes: clusterBytes), leftOut: plan.leftOut)
  }

  /// The sectors before the table: what the drive is, twice, and how much of it is free.
  private static func head(
    label: String, serial: UInt32, sectors: Int, tableSectors: Int, free: Int, next: Int
  ) -> [UInt8] {
    var boot = [UInt8](repeating: 0, count: Drive.sectorBytes)
    boot.put(UInt32(0x90_58EB), at: 0)
    boot.put("MYNAH1.0", at: 3)
    boot.put(UInt16(Drive.sectorBytes), at: 11)
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
    var facts = [UInt8](repeating: 0, count: Drive.sectorBytes)
    facts.put(UInt32(0x4161_5252), at: 0)
    facts.put(UInt32(0x6141_7272), at: 484)
    facts.put(UInt32(free), at: 488)
    facts.put(UInt32(free > 0 ? next : 0xFFFF_FFFF), at: 492)
    facts.put(UInt32(0xAA55_0000), at: 508)
    var end = [UInt8](repeating: 0, count: Drive.sectorBytes)
    end.put(UInt16(0xAA55), at: 510)
    let copy = boot + facts + end
    let gap = [UInt8](repeating: 0, count: (6 - 3) * Drive.sectorBytes)
    let rest = [UInt8](repeating: 0, count: (reservedSectors - 9) * Drive.sectorBytes)
    return copy + gap + copy + rest
  }
}
