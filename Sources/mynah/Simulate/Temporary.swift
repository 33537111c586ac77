import Hardware
final class DirectoryLock {}
extension Host {
  static func lock(_ p: String) throws -> DirectoryLock { DirectoryLock() }
}
