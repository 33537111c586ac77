/// What one step may do: a bounded piece of encoding and copying, so that the microphone's ring is emptied in time however
/// much past an open clip has to catch up with. Media lane only.
final class WorkSlice {
  private var frames = 0
  private var bytes = 0
  /// Whether something had to be left for the next step.
  private(set) var isUsedUp = false

  /// Most sound that is encoded: four access units, some 10 ms of the slowest board's processor.
  private static let mostFrames = 4096
  /// Most of pictures that is copied: as long as that.
  private static let mostBytes = 1 << 20

  func begin() {
    frames = 0
    bytes = 0
    isUsedUp = false
  }

  /// Whether more sound may be encoded now.
  var mayEncode: Bool {
    if frames >= Self.mostFrames { isUsedUp = true }
    return frames < Self.mostFrames
  }

  /// Whether more pictures may be copied now.
  var mayCopy: Bool {
    if bytes >= Self.mostBytes { isUsedUp = true }
    return bytes < Self.mostBytes
  }

  func encoded(frames count: Int) { frames += count }
  func copied(bytes count: Int) { bytes += count }
}
