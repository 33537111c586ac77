internal import CESpeak
internal import Glibc

/// Where the voices' data lies: linked in, then unpacked at first use, or the system's.
public struct SpeechData: Sendable {
  /// The folder that holds `espeak-ng-data`, or `nil` for the library's own place.
  let folder: String?

  /// What the system has installed.
  public static let system = SpeechData(folder: nil)

  /// Data that is linked into the program is unpacked into `cache` if it is not there already; otherwise the system's
  /// is used. May block on the storage.
  public init(cache: String) throws(SpeechError) {
    var size = 0
    guard let start = mynah_speech_data(&size), size > 0 else {
      self.init(folder: nil)
      return
    }
    try self.init(packed: UnsafeRawBufferPointer(start: start, count: size), cache: cache)
  }

  private init(folder: String?) { self.folder = folder }

  /// Unpacks an archive, as gzip leaves it, beside what is there, and moves it to its place when it is whole.
  init(packed: UnsafeRawBufferPointer, cache: String) throws(SpeechError) {
    let name = "speech-\(String(Self.checksum(packed), radix: 16))"
    let target = cache + "/" + name
    if access(target + "/espeak-ng-data/phontab", R_OK) != 0 {
      let archive = SpeechArchive(packed: packed)
      guard archive.files.contains(where: { $0.path == "espeak-ng-data/phontab" }) else {
        throw SpeechError(.data, "the voices in this build are damaged: \(packed.count) bytes that hold no phontab")
      }
      let fresh = target + ".new"
      for file in archive.files {
        try Self.write(archive.bytes[file.range], to: fresh + "/" + file.path)
      }
      guard rename(fresh, target) == 0 || errno == EEXIST || errno == ENOTEMPTY else {
        throw Self.failure("move", target)
      }
    }
    self.init(folder: target)
  }

  private static func write(_ bytes: ArraySlice<UInt8>, to path: String) throws(SpeechError) {
    var place = ""
    for part in path.split(separator: "/").dropLast() {
      place += (place.isEmpty && !path.hasPrefix("/") ? "" : "/") + part
      guard mkdir(place, 0o755) == 0 || errno == EEXIST else { throw failure("make", place) }
    }
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw failure("write", path) }
    defer { close(file) }
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress.map { $0 + done }, $0.count - done) }
      guard count > 0 else { throw failure("write", path) }
      done += count
    }
  }

  private static func failure(_ operation: String, _ path: String) -> SpeechError {
    SpeechError(
      .data, "cannot \(operation) \(path): \(String(cString: strerror(errno))); the voices' data needs 4 MB there")
  }

  /// FNV-1a of 64 bits over a byte in every 61: tells builds apart, nothing more.
  private static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for index in stride(from: 0, to: bytes.count, by: 61) {
      hash = (hash ^ UInt64(bytes[index])) &* 0x0000_0100_0000_01b3
    }
    return hash ^ UInt64(bytes.count)
  }
}
