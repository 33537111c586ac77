/// Paths as the kernel sees them, byte by byte: to Swift a slash and a combining accent behind it are one character, and no
/// slash.
extension String {
  /// Folder and name of a path, parted at its last slash; no folder where there is no slash, an empty one of what lies in
  /// the root.
  public var pathParts: (folder: String?, name: String) {
    guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return (nil, self) }
    return (String(self[..<slash]), String(self[utf8.index(after: slash)...]))
  }

  /// What stands behind a beginning; nil if it begins otherwise.
  public func behind(_ beginning: String) -> String? {
    guard utf8.starts(with: beginning.utf8) else { return nil }
    return String(self[utf8.index(startIndex, offsetBy: beginning.utf8.count)...])
  }
}
