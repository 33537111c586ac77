internal import CLinux
internal import Glibc

/// A disk on USB, or a partition of one, as the kernel knows it.
struct USBBlockDevice: Hashable {
  /// `sda1`.
  var name: String
  /// Size in bytes.
  var bytes: Int
}

/// Finds what is plugged in at USB that could have a file system (sysfs, `/sys/class/block`). What the system itself runs
/// from is no stick.
struct USBBlockDevices {
  /// `/sys`, or what stands for it in a test.
  let system: String
  /// The list of what is mounted (proc_pid_mountinfo(5)).
  let mounts: String
  /// Mounts below this folder are those of sticks.
  let folder: String

  private static let sector = 512
  /// More than any board has sockets for.
  private static let most = 64

  /// Partitions, and disks that have none, in the order of their names.
  func find() -> [USBBlockDevice] {
    let names = Self.names(in: "\(system)/class/block").prefix(Self.most * 4)
    var places: [String: String] = [:]
    for name in names {
      guard let place = Self.place(of: "\(system)/class/block/\(name)") else { continue }
      guard place.split(separator: "/").contains(where: { $0.hasPrefix("usb") }) else { continue }
      places[name] = place
    }
    let busy = busyDisks(places)
    return places.keys.sorted().prefix(Self.most).compactMap { name in
      let place = places[name] ?? ""
      let hasPartitions = places.values.contains { $0.hasPrefix(place + "/") }
      let sectors = number("\(system)/class/block/\(name)/size")
      guard !hasPartitions, sectors > 0, !busy.contains(where: { place == $0 || place.hasPrefix($0 + "/") }) else {
        return nil
      }
      let (bytes, isTooMuch) = sectors.multipliedReportingOverflow(by: Self.sector)
      return isTooMuch ? nil : USBBlockDevice(name: name, bytes: bytes)
    }
  }

  /// Disks of which something is mounted elsewhere than sticks are.
  private func busyDisks(_ places: [String: String]) -> Set<String> {
    var numbers: Set<Substring> = []
    for line in ProcText.read(mounts).split(separator: "\n") {
      let fields = line.split(separator: " ", maxSplits: 5)
      guard fields.count > 4, !fields[4].hasPrefix(folder + "/") else { continue }
      numbers.insert(fields[2])
    }
    var busy: Set<String> = []
    for (name, place) in places {
      let number = ProcText.read("\(system)/class/block/\(name)/dev").prefix { $0 != "\n" }
      guard numbers.contains(number) else { continue }
      let disk = places.values.first { place.hasPrefix($0 + "/") } ?? place
      busy.insert(disk)
    }
    return busy
  }

  private func number(_ path: String) -> Int { Int(ProcText.read(path).prefix { $0 != "\n" }) ?? 0 }

  private static func names(in directory: String) -> [String] {
    guard let stream = opendir(directory) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }

  /// Where in the tree of devices a link of sysfs leads.
  private static func place(of link: String) -> String? {
    guard let path = realpath(link, nil) else { return nil }
    defer { free(path) }
    return String(cString: path)
  }
}
