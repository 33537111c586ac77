/// How much memory a board has for the pictures of what is played.
public struct PictureRoom: Sendable {
  /// Bytes of compressed pictures that may wait on their way to who decodes them, and as many there: those of a second.
  public var waiting: Int
  /// Bytes of decoded pictures at most, and of those that they are decoded from. Asked for when a decoder is made; any
  /// thread, and it must not block.
  public var decoded: @Sendable () -> Int

  public init(waiting: Int, decoded: @escaping @Sendable () -> Int) {
    self.waiting = waiting
    self.decoded = decoded
  }

  /// Bytes of a decoded picture of 4:2:0, with what decoders keep around it.
  static func bytes(pixels: Int) -> Int { pixels / 2 * 3 + pixels / 8 }
}
