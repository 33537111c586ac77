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
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return true }
    defer { close(file) }
    var head = [UInt8](repeating: 0, count: 4)
    guard read(file, &head, 4) == 4 else { return true }
    return head.starts(with: [0xFF, 0xD8]) || head.starts(with: [0, 0, 1]) || head == [0, 0, 0, 1]
  }

  /// Removes what was made, once it is open.
  func release() { if isTemporary { unlink(path) } }
}
