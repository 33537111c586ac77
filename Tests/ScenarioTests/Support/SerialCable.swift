import Foundation
import Glibc
import TestSupport

/// A serial line that can be pulled out: a pseudo-terminal behind a link, whose far end is the technician's.
final class SerialCable {
  /// What the device opens.
  let link: String
  private var master: Int32 = -1
  private var slave: Int32 = -1
  private(set) var received = ""

  init(_ link: String) { self.link = link }

  deinit { pull() }

  func plug() {
    var name = [CChar](repeating: 0, count: 64)
    guard openpty(&master, &slave, &name, nil, nil) == 0 else { return }
    _ = fcntl(master, F_SETFL, O_NONBLOCK)
    var modes = termios()
    tcgetattr(slave, &modes)
    cfmakeraw(&modes)
    tcsetattr(slave, TCSANOW, &modes)
    received = ""
    symlink(String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self), link)
  }

  /// As a USB adapter goes: the name first, then the line.
  func pull() {
    guard master >= 0 else { return }
    unlink(link)
    close(slave)
    close(master)
    (master, slave) = (-1, -1)
  }

  func type(_ text: String) {
    let bytes = Array(text.utf8)
    _ = write(master, bytes, bytes.count)
  }

  /// Reads until the words have come since the last wait.
  func wait(for words: String, seconds: Double = 60) throws {
    let end = Monotonic.now + seconds
    while !received.contains(words) {
      guard Monotonic.now < end else {
        throw Tool.Failure(description: "\(link): never came \"\(words)\", but: \(received.suffix(2000))")
      }
      var polled = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
      _ = poll(&polled, 1, 100)
      var bytes = [UInt8](repeating: 0, count: 4096)
      let count = read(master, &bytes, bytes.count)
      if count > 0 { received += String(decoding: bytes[..<count], as: UTF8.self) }
    }
    received = received.components(separatedBy: words).dropFirst().joined(separator: words)
  }
}
