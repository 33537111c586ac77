import ArgumentParser
import Gadget
import Glibc
import Hardware
import JSON
import Library
import LinuxHardware
import Runtime

/// `mynah drive --data DIR DEVICE`: what a PC reads that the device is plugged into.
struct DriveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "drive", abstract: "Serve finished takes and clips as a drive that can only be read, for a PC.",
    discussion:
      "The drive is made up as it is read: FAT32, or exFAT if a file has 4 GiB or more, under the names that people gave. "
      + "It has what was finished when this began; mynah-drive.service of the card's image begins it anew when the PC lets "
      + "go. Ends when the device is taken from it, or what --until names has changed.")

  @Option(help: "Data directory.") var data: String
  @Option(help: "A file of the kernel's that tells of its changes: state of a USB device controller.")
  var until: String?
  @Argument(help: "Block device of the kernel's module nbd: /dev/nbd0.") var device: String

  func run() throws {
    let change: WatchedAttribute?
    // Before anything is looked at: what changes meanwhile counts.
    do throws(DeviceError) {
      change = if let until { try WatchedAttribute(until) } else { nil }
    } catch {
      throw Host.failure(Exit.unavailable, "\(error)")
    }
    let view = try DriveView(data)
    for file in view.leftOut {
      Host.complain("\(file): more than a drive holds; take it by a stick")
    }
    let server: BlockServer
    do throws(DeviceError) { server = try BlockServer(device: device, size: view.drive.bytes) } catch {
      throw Host.failure(Exit.unavailable, "\(error)")
    }
    Host.say("\(view.count) files, \(view.drive.fileSystem.rawValue)")
    server.run(until: change, view.read)
  }
}

/// The drive's bytes, out of the files of a data directory that another process works in.
private final class DriveView {
  let drive: Drive
  private let storage: ReadOnlyStorage
  private let sources: [String]
  /// The files that were read last: a PC reads one from its beginning to its end, or few by turns.
  private var open: [(number: Int, file: any StoredFile)] = []

  private static let mostOpen = 8

  init(_ data: String) throws {
    guard Host.isDirectory(data) else { throw Host.failure(Exit.noInput, "\(data): there is no such directory") }
    storage = ReadOnlyStorage(try Host.storage(data, reserveMB: 0))
    let library = ApplianceRuntime.library(
      on: storage, clock: SystemClock(), examination: Host.examination(of: data), say: Host.complain)
    do throws(LibraryError) {
      try library.open()
      try library.listUnchecked()
    } catch { throw Host.failure(Exit.inputOutput, "\(error)".shown) }
    let words = ExportWords(date: { Self.text(of: Self.local($0)) })
    var files: [ShownFile] = []
    var kinds: [[DriveFile]] = [[], []]
    let shown: [ShownFile]
    do throws(LibraryError) { shown = try library.exports.shown(words: words) } catch {
      throw Host.failure(Exit.inputOutput, "\(error)".shown)
    }
    for file in shown {
      guard let entry = try? storage.entry(file.source), entry.isRegular else { continue }
      kinds[file.isClip ? 1 : 0].append(
        DriveFile(name: file.name, bytes: entry.size, date: Self.local(file.createdAt)))
      files.append(file)
    }
    sources = files.map(\.source)
    drive = Drive(
      label: "MYNAH", serial: UInt32(truncatingIfNeeded: SystemClock().wallNow.nanosecondsSince1970 / 1_000_000),
      folders: zip(["Takes", "Clips"], kinds).map { DriveFolder(name: $0, files: $1) })
  }

  var count: Int { sources.count - drive.leftOut.count }
  var leftOut: [String] { drive.leftOut.map { sources[$0] } }

  func read(at offset: Int, _ count: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    for piece in drive.pieces(at: offset, count: count) {
      switch piece {
      case .bytes(let part): bytes += part
      case .zeros(let count): bytes += repeatElement(0, count: count)
      case .file(let number, let offset, let count):
        guard append(&bytes, number, offset, count) else { return nil }
      }
    }
    return bytes
  }

  private func append(_ bytes: inout [UInt8], _ number: Int, _ offset: Int, _ count: Int) -> Bool {
    guard let file = file(number) else { return false }
    let start = bytes.count
    bytes += repeatElement(0, count: count)
    let got = bytes.withUnsafeMutableBytes { all in
      try? file.read(into: UnsafeMutableRawBufferPointer(rebasing: all[start...]), at: offset)
    }
    return got == count
  }

  private func file(_ number: Int) -> (any StoredFile)? {
    if let place = open.firstIndex(where: { $0.number == number }) { return open[place].file }
    guard let file = try? storage.open(sources[number], writable: false) else { return nil }
    if open.count == Self.mostOpen { open.removeFirst().file.close() }
    open.append((number, file))
    return file
  }

  /// In the zone of the machine.
  private static func local(_ time: WallTime) -> DriveFile.Date {
    let (whole, rest) = time.nanosecondsSince1970.quotientAndRemainder(dividingBy: 1_000_000_000)
    var seconds = time_t(whole)
    var parts = tm()
    localtime_r(&seconds, &parts)
    return DriveFile.Date(
      year: Int(parts.tm_year) + 1900, month: Int(parts.tm_mon) + 1, day: Int(parts.tm_mday), hour: Int(parts.tm_hour),
      minute: Int(parts.tm_min), second: Int(parts.tm_sec), hundredths: Int(rest / 10_000_000),
      minutesAhead: parts.tm_gmtoff / 60)
  }

  private static func text(of date: DriveFile.Date) -> String {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(date.year)-\(two(date.month))-\(two(date.day)) \(two(date.hour))-\(two(date.minute))-\(two(date.second))"
  }
}
