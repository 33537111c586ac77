/// The little that a camera's thread has to know of JPEG images (ITU-T T.81, annex B). Any thread.
public enum JPEGScan {
  /// Length in bytes of the image at the start of `bytes`, from SOI to EOI; 0 if it is cut off or no image. Padding
  /// behind it, which many cameras send, does not count.
  @_noLocks @_noAllocation
  public static func length(in bytes: UnsafeRawBufferPointer) -> Int {
    guard let base = bytes.baseAddress, bytes.count >= 4, word(base, 0) == 0xFFD8 else { return 0 }
    var place = 2
    var hasFrame = false
    var hasScan = false
    while place + 1 < bytes.count {
      let marker = word(base, place)
      switch marker {
      case 0xFFFF:
        // Any marker may be filled up with FF in front.
        place += 1
      case 0xFFD9:
        return hasFrame && hasScan ? place + 2 : 0
      case 0xFF01, 0xFFD0...0xFFD7:
        place += 2
      case 0xFFC0...0xFFFE:
        guard place + 3 < bytes.count else { return 0 }
        let length = Int(word(base, place + 2))
        guard length >= 2, place + 2 + length <= bytes.count else { return 0 }
        // SOF 0…15, without DHT (C4), JPG (C8) and DAC (CC).
        if marker <= 0xFFCF, marker != 0xFFC4, marker != 0xFFC8, marker != 0xFFCC { hasFrame = true }
        place += 2 + length
        if marker == 0xFFDA {
          guard hasFrame else { return 0 }
          hasScan = true
          place = endOfScan(base, from: place, count: bytes.count)
        }
      default:
        return 0
      }
    }
    return 0
  }

  /// Pixels across and down, as the frame header says (T.81, B.2.2); `nil` if there is none.
  public static func size(in bytes: UnsafeRawBufferPointer) -> (width: Int, height: Int)? {
    guard let base = bytes.baseAddress, bytes.count >= 4, word(base, 0) == 0xFFD8 else { return nil }
    var place = 2
    while place + 9 < bytes.count {
      let marker = word(base, place)
      guard marker != 0xFFFF else {
        place += 1
        continue
      }
      guard marker >= 0xFFC0, marker != 0xFFDA, marker != 0xFFD9 else { return nil }
      if marker <= 0xFFCF, marker != 0xFFC4, marker != 0xFFC8, marker != 0xFFCC {
        let (height, width) = (Int(word(base, place + 5)), Int(word(base, place + 7)))
        return width > 0 && height > 0 ? (width, height) : nil
      }
      place += 2 + Int(word(base, place + 2))
    }
    return nil
  }

  /// Where the first marker behind entropy-coded data is: neither a stuffed FF nor a restart.
  @_noLocks @_noAllocation
  private static func endOfScan(_ base: UnsafeRawPointer, from start: Int, count: Int) -> Int {
    var place = start
    while place + 1 < count {
      guard base.load(fromByteOffset: place, as: UInt8.self) == 0xFF else {
        place += 1
        continue
      }
      let second = base.load(fromByteOffset: place + 1, as: UInt8.self)
      guard second == 0 || (0xD0...0xD7).contains(second) else { return place }
      place += 2
    }
    return count
  }

  @_noLocks @_noAllocation
  private static func word(_ base: UnsafeRawPointer, _ place: Int) -> UInt16 {
    UInt16(base.load(fromByteOffset: place, as: UInt8.self)) << 8
      | UInt16(base.load(fromByteOffset: place + 1, as: UInt8.self))
  }
}
