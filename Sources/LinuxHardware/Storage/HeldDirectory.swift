public import Hardware

/// The data directory of an appliance: made if it is not there, and taken for this process as long as this value lives.
public struct HeldDirectory {
  public let storage: any Storage
  private let lock: DirectoryLock

  /// - Parameter reserveBytes: what ordinary writes leave free.
  /// - Throws: `busy`, with the other's process id, if another process works in it; `denied`, `missing` or `failed` if
  ///   it cannot be made.
  public init(_ path: String, reserveBytes: Int) throws(DeviceError) {
    do throws(StorageError) {
      storage = try FileStorage(root: path, reserveBytes: reserveBytes, share: FileStorage.usualShare)
    } catch {
      throw DirectoryLock.unusable(path, "make the data directory", error.code)
    }
    lock = try DirectoryLock(directory: path)
  }
}
