internal import Glibc

/// A process that has a device.
struct Holder: Hashable {
  /// Its id, of the whole process and not of one of its threads.
  let process: Int
  /// Its name as `ps` shows it.
  let name: String

  /// - Parameter task: the id of a process or of one of its threads, which is what some drivers remember.
  init(task: Int) {
    let leader = Self.field("Tgid", of: task).flatMap { Int($0) } ?? task
    process = leader
    name = ProcText.read("/proc/\(leader)/comm").split(separator: "\n").first.map(String.init) ?? "a program"
  }

  init(process: Int, name: String) {
    self.process = process
    self.name = name
  }

  /// Whether it is an appliance, this program or another one.
  var isMynah: Bool { process == Int(getpid()) || name.hasPrefix("mynah") }

  /// For people: `mynah (process 812)`.
  var text: String { process == Int(getpid()) ? "this mynah (process \(process))" : "\(name) (process \(process))" }

  /// A process that has this device file open, ourselves first; as far as we may look: root sees all.
  static func find(device path: String) -> Holder? {
    var wanted = stat()
    guard stat(path, &wanted) == 0, wanted.st_mode & S_IFMT == S_IFCHR else { return nil }
    let others = ProcText.entries("/proc").compactMap { Int($0) }.filter { $0 != Int(getpid()) }
    for process in [Int(getpid())] + others {
      for file in ProcText.entries("/proc/\(process)/fd") {
        var found = stat()
        guard stat("/proc/\(process)/fd/\(file)", &found) == 0, found.st_mode & S_IFMT == S_IFCHR,
          found.st_rdev == wanted.st_rdev
        else { continue }
        return Holder(task: process)
      }
    }
    return nil
  }

  private static func field(_ name: String, of task: Int) -> Substring? {
    for line in ProcText.read("/proc/\(task)/status").split(separator: "\n") where line.hasPrefix("\(name):") {
      return line.split(whereSeparator: { $0 == ":" || $0 == "\t" || $0 == " " }).dropFirst().first
    }
    return nil
  }
}

/// Small files of /proc and /sys.
enum ProcText {
  /// The first 64 KiB, or nothing.
  static func read(_ path: String) -> String {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return "" }
    defer { close(file) }
    let bytes = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
      while count < buffer.count, let base = buffer.baseAddress {
        let got = Glibc.read(file, base + count, buffer.count - count)
        guard got > 0 else { break }
        count += got
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The first line, without blanks around it.
  static func line(_ path: String) -> String? {
    read(path).split(separator: "\n").first.map { line in
      String(line.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
  }

  /// Names in a directory, in order; none if it cannot be read.
  static func entries(_ path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }
}
