internal import CFFmpeg
internal import Glibc
internal import Hardware

/// A file on disk, read only, through libavformat's buffered I/O: sequential reads cost a system call every 32 KiB.
final class AVIOFile: StoredFile, @unchecked Sendable {
  let path: String
  let size: Int
  // Only touched by the one thread that owns the file.
  private let context: UnsafeMutablePointer<AVIOContext>

  /// - Parameter isBuffered: false for a few small reads far apart.
  init?(path: String, isBuffered: Bool = true) {
    guard Self.canBeOpened(path) else { return nil }
    var opened: UnsafeMutablePointer<AVIOContext>?
    let flags = isBuffered ? AVIO_FLAG_READ : AVIO_FLAG_READ | AVIO_FLAG_DIRECT
    guard avio_open(&opened, KernelName.path("file:" + path), flags) >= 0, let context = opened else { return nil }
    let bytes = avio_size(context)
    guard bytes >= 0 else {
      avio_closep(&opened)
      return nil
    }
    self.path = path
    self.context = context
    size = Int(bytes)
  }

  /// False for what would hold up whoever opens it, like a pipe that nobody writes to.
  static func canBeOpened(_ path: String) -> Bool {
    var status = stat()
    return stat(KernelName.path(path), &status) != 0 || status.st_mode & S_IFMT == S_IFREG
  }

  deinit {
    var context: UnsafeMutablePointer<AVIOContext>? = context
    avio_closep(&context)
  }

  func read(into target: UnsafeMutableRawBufferPointer, at offset: Int) throws(StorageError) -> Int {
    guard let start = target.baseAddress, offset < size else { return 0 }
    let count = Int32(clamping: target.count)
    var status = Int32(clamping: avio_seek(context, Int64(offset), SEEK_SET))
    if status >= 0 { status = avio_read(context, start.assumingMemoryBound(to: UInt8.self), count) }
    guard status >= 0 || status == ffmpeg_error_eof() else {
      throw StorageError(.failed, operation: "read", path: path, code: -status)
    }
    return Int(max(0, status))
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(StorageError) { throw readOnly }
  func truncate(to size: Int) throws(StorageError) { throw readOnly }
  func sync() throws(StorageError) {}
  func close() {}

  private var readOnly: StorageError {
    StorageError(.denied, operation: "write to a file open for reading", path: path)
  }
}
