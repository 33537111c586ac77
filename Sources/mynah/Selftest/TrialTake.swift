import Board
import Console
import Glibc
import Hardware
import LinuxHardware
import Media
import Runtime
import SimulatedHardware

/// One second, recorded by the whole appliance in virtual time on the real storage, and read back.
struct TrialTake {
  enum Sound { case noise, tones }

  private let source: any SoundSource
  private let format: String
  private let data: String

  private static let rate = 48_000
  private static let channels = 2
  /// The take lasts from the first second of the run to the second one.
  private static let frames = rate

  /// - Parameters:
  ///   - format: as the setting `recording.format` has it.
  ///   - data: the data directory; the take gets a directory of its own in it, which is gone afterwards.
  init(_ sound: Sound, format: String, below data: String) {
    source = sound == .noise ? NoiseSource(seed: 20_261_121) : ToneSource(frequencies: [440, 660])
    self.format = format
    self.data = data
  }

  /// - Parameter complaint: given what was heard and what was said; `nil` if that is in order.
  func judge(_ complaint: (_ heard: [Float], _ said: [Float]) -> String?) throws -> String {
    guard DataDirectory.exists(data) else { throw Selftest.Failure("\(data): there is no such directory") }
    let folder = try DataDirectory.temporary(below: data)
    defer { DataDirectory.remove(folder) }
    try record(in: folder)
    let heard = try samples(in: folder)
    guard heard.count == Self.frames * Self.channels else {
      throw Selftest.Failure("\(heard.count / Self.channels) frames instead of \(Self.frames) came back")
    }
    if let text = complaint(heard, said) { throw Selftest.Failure(text) }
    return "\(format): \(Self.frames) frames recorded, read back and compared"
  }

  private func record(in folder: String) throws {
    let clock = VirtualClock()
    var simulation = SimulationOptions(clock: clock, storage: try FileStorage(root: folder, reserveBytes: 0))
    simulation.source = source
    let devices = try SimulatedHardware(simulation)
    var options = RuntimeOptions(board: try Boards.load(builtIn: "simulator"), version: Version.text)
    options.framesPerSecond = 4
    let script = """
      0.1 call settings.set {"recording.format":"\(format)","recording.preRecordSeconds":0}
      1.0 press REC
      2.0 press STOP
      3.0 expect mode dictaphone.idle
      3.0 expect takes 1
      3.0 quit
      """
    options.script = try Script(
      parsing: Array(script.utf8), name: "selftest", table: DeviceTable.catalogue)
    let runtime = try ApplianceRuntime(
      hardware: devices.hardwareSet, scheduler: VirtualScheduler { clock.advance(to: $0) }, options: options)
    if let failure = runtime.run() { throw Selftest.Failure("\(failure)") }
  }

  private func samples(in folder: String) throws -> [Float] {
    let storage = try FileStorage(root: folder, reserveBytes: 0)
    guard
      let name = try storage.list("recordings").map(\.name).first(where: { !$0.split(separator: ".").contains("json") })
    else {
      throw Selftest.Failure("there is no take")
    }
    let file = try SoundFile(path: "\(folder)/recordings/\(name)")
    var heard: [Float] = []
    var chunk = [Float](repeating: 0, count: 4096 * Self.channels)
    while heard.count <= 2 * Self.frames * Self.channels {
      let count = try chunk.withUnsafeMutableBufferPointer { buffer in
        try buffer.baseAddress.map { try file.read(into: $0, frames: 4096) } ?? 0
      }
      guard count > 0 else { break }
      heard += chunk[..<(count * Self.channels)]
    }
    return heard
  }

  /// What the microphone was given, rounded as a converter of 16 bits does.
  private var said: [Float] {
    let format = PCMFormat(sampleRate: Self.rate, channels: Self.channels)
    var samples = [Float](repeating: 0, count: Self.frames * Self.channels)
    samples.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      source.fill(base, frames: Self.frames, from: Self.rate, format: format)
    }
    return samples.map { ($0 * 32_768).rounded(.toNearestOrEven) / 32_768 }
  }
}

/// Directories in the data directory.
enum DataDirectory {
  private static let prefix = ".selftest-"

  static func exists(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Makes an empty directory, and removes those that earlier runs were kept from removing.
  static func temporary(below data: String) throws -> String {
    for name in names(in: data) where name.hasPrefix(prefix) {
      guard let process = Int32(name.dropFirst(prefix.count)), process != getpid(), kill(process, 0) != 0 else {
        continue
      }
      remove("\(data)/\(name)")
    }
    let path = "\(data)/\(prefix)\(getpid())"
    remove(path)
    guard mkdir(path, 0o700) == 0 else {
      throw Selftest.Failure("\(path): cannot be made: \(String(cString: strerror(errno)))")
    }
    return path
  }

  /// Removes a directory with everything in it; follows no link.
  static func remove(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    if status.st_mode & S_IFMT == S_IFDIR {
      for name in names(in: path) { remove("\(path)/\(name)") }
      rmdir(path)
    } else {
      unlink(path)
    }
  }

  private static func names(in path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }
}
