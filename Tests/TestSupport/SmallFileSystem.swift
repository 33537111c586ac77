import Foundation

/// A file system of a test's own; gone with the object. Only root may mount.
public final class SmallFileSystem {
  public let path: String

  /// In memory.
  ///
  /// - Parameter options: of tmpfs, as `size=8m`.
  /// - Returns: nil if it could not be mounted.
  public init?(_ options: String, at path: String) throws {
    self.path = path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    guard try Tool.run("mount", ["-t", "tmpfs", "-o", options, "tmpfs", path]).status == 0 else { return nil }
  }

  /// An ext4 in a file, of whose blocks a third is kept for root.
  ///
  /// - Parameter image: where the file is made.
  /// - Returns: nil if it could not be mounted.
  public init?(ext4 megabytes: Int, image: String, at path: String) throws {
    self.path = path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    guard try Tool.run("truncate", ["-s", "\(megabytes)M", image]).status == 0,
      try Tool.run("mkfs.ext4", ["-q", "-m", "33", image]).status == 0,
      try Tool.run("mount", ["-o", "loop", image, path]).status == 0
    else { return nil }
  }

  deinit { _ = try? Tool.run("umount", ["--lazy", path]) }

  /// What Linux does with an ext4 in which it has found an error. False if it cannot be made to.
  public func failReadOnly() throws -> Bool {
    let device = try Tool.run("findmnt", ["-no", "SOURCE", path]).output.trimmingCharacters(in: .whitespacesAndNewlines)
    let trigger = "/sys/fs/ext4/\(device.split(separator: "/").last ?? "")/trigger_fs_error"
    return try Tool.run("mount", ["-o", "remount,errors=remount-ro", path]).status == 0
      && Tool.run("sh", ["-c", "echo test > \(trigger)"]).status == 0
  }

  /// Takes up all the space there is, as another process.
  public func fill() throws { _ = try Tool.run("dd", ["if=/dev/zero", "of=\(path)/filling", "bs=4k"]) }

  /// Gives back what `fill` took.
  public func empty() throws { try FileManager.default.removeItem(atPath: "\(path)/filling") }
}
