internal import Glibc

/// Another process need not stand where this one does.
enum WholePath {
  static func of(_ path: String) -> String {
    guard path.utf8.first != UInt8(ascii: "/"), let place = getcwd(nil, 0) else { return path }
    defer { free(place) }
    return "\(String(cString: place))/\(path)"
  }
}
