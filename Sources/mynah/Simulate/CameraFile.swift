import Glibc
import Hardware
import Media

/// A film as a camera: what the simulated one plays is its pictures alone, taken out into a file of their own.
struct CameraFile {
  private(set) var path: String
  private var isTemporary: Bool

  /// - Parameter film: whatever FFmpeg demuxes, or a stream of pictures already.
  init(_ film: String) throws(DeviceError) {
    path = film
    isTemporary = false
    guard !Self.isStream(film) else { return }
    var name = Array("/tmp/mynah-camera-XXXXXX".utf8CString)
    let file = mkstemp(&name)
    guard file >= 0 else {
      throw DeviceError(
        .failed, device: film, operation: "make room for its pictures in /tmp", code: errno, hint: "free some")
    }
    defer { close(file) }
    path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    isTemporary = true
    var failure: Int32 = 0
    do throws(MediaError) {
      try PictureExtractor.extract(path: film) { bytes in
        var done = 0
        while done < bytes.count, failure == 0 {
          let count = Glibc.write(file, bytes.baseAddress.map { $0 + done }, bytes.count - done)
          if count > 0 { done += count } else { failure = errno }
        }
      }
    } catch {
      release()
      throw DeviceError(
        error.kind == .notFound ? .missing : .unsupported, device: film, operation: "use it as a camera",
        hint: "\(error); name a film with H.264 or JPEG pictures")
    }
    guard failure == 0 else {
      release()
      throw DeviceError(
        .failed, device: film, operation: "put its pictures into /tmp", code: failure, hint: "free some room")
    }
  }

  /// Whether a file begins as the streams do that need no demuxer.
  private static func isStream(_ path: String) -> Bool {
    // A pipe that nobody writes to must not hold anybody up.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return true }
    defer { close(file) }
    var head = [UInt8](repeating: 0, count: 5)
    guard read(file, &head, 5) == 5 else { return true }
    if head.starts(with: [0xFF, 0xD8]) { return true }
    guard head.starts(with: [0, 0, 1]) || head.starts(with: [0, 0, 0, 1]) else { return false }
    // MPEG-2, MPEG-4 and HEVC, and program streams, begin with the same code; what comes first in H.264 does not.
    let header = head[2] == 1 ? head[3] : head[4]
    let isReferred = header & 0x60 != 0
    return switch header & 0x9F {
    case 1, 5, 7, 8: isReferred
    case 6, 9: !isReferred
    default: false
    }
  }

  /// Removes what was made, once it is open.
  func release() { if isTemporary { unlink(path) } }
}
