/// The little that a camera's thread has to know of H.264 byte streams (ITU-T H.264, 7.4.1 and annex B). Any thread.
public enum NALScan {
  /// Where the next start code `00 00 01` with a NAL unit's header behind it lies, at or after `start`; −1 if there is
  /// none.
  @_noLocks @_noAllocation
  public static func startCode(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    guard let base = bytes.baseAddress else { return -1 }
    var index = max(0, start)
    // The third byte decides how far the pattern can be moved.
    while index + 3 < bytes.count {
      let third = base.load(fromByteOffset: index + 2, as: UInt8.self)
      if third > 1 {
        index += 3
      } else if third == 0 {
        index += 1
      } else if base.load(fromByteOffset: index, as: UInt8.self) == 0,
        base.load(fromByteOffset: index + 1, as: UInt8.self) == 0
      {
        return index
      } else {
        index += 3
      }
    }
    return -1
  }

  /// Whether an access unit can be decoded without any before it: its first slice is of an IDR picture.
  @_noLocks @_noAllocation
  public static func isKeyframe(_ accessUnit: UnsafeRawBufferPointer) -> Bool {
    firstSlice(in: accessUnit) == 5
  }

  /// Type of an access unit's first slice: 1 (any), 2 (partitioned) or 5 (IDR); 0 if it has none, and is no picture.
  @_noLocks @_noAllocation
  public static func firstSlice(in accessUnit: UnsafeRawBufferPointer) -> UInt8 {
    guard let base = accessUnit.baseAddress else { return 0 }
    var place = startCode(in: accessUnit, from: 0)
    while place >= 0 {
      let header = base.load(fromByteOffset: place + 3, as: UInt8.self)
      let type = header & 31
      // The first bit of a header is always zero.
      if header & 0x80 == 0, type == 1 || type == 2 || type == 5 { return type }
      place = startCode(in: accessUnit, from: place + 3)
    }
    return 0
  }
}
