/// Addresses as people write them into settings and board files.
public enum AddressSyntax {
  /// Bytes that an address has at most: those that are signed have thousands.
  public static let mostBytes = 4096

  /// Whether a text is an absolute address with a host (RFC 3986, section 4.3), not too long, and with nothing in it that
  /// would end a line of a request.
  ///
  /// - Parameter schemes: those that are taken, without `://`: `ws`.
  public static func isAbsolute(_ text: String, schemes: [String]) -> Bool {
    guard text.utf8.count <= mostBytes, !text.utf8.contains(where: { $0 <= 32 || $0 == 127 }) else { return false }
    let lower = text.lowercased()
    guard let scheme = schemes.first(where: { lower.hasPrefix($0 + "://") }) else { return false }
    let authority = text.dropFirst(scheme.count + 3).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
    return !host.isEmpty && !host.hasPrefix(":")
  }
}
