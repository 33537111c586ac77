import Glibc
import Hardware
import Panel

/// Where the front panel's pictures of the display go.
struct PictureFolder {
  let path: String
  let clock: any DeviceClock

  /// Pixels of the file for one of the display, as in scripts.
  private static let scale = 8

  /// Writes a picture under a name of its own and says where, or what went wrong.
  func save(_ frame: Frame) -> String {
    let time = clock.wallNow.fileNameStamp
    var file = "\(path)/screen-\(time).png"
    var number = 1
    while access(file, F_OK) == 0 {
      number += 1
      file = "\(path)/screen-\(time)-\(number).png"
    }
    return Host.write(file, PNG.encode(frame, scale: Self.scale)) ?? "picture: \(file)"
  }
}
