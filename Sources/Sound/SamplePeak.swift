/// The highest magnitude among samples, eight at a time.
enum SamplePeak {
  /// The higher magnitudes of samples, as their bit patterns: without the sign these are ordered as the numbers are.
  /// Whole-vector arithmetic only; comparing lanes costs some thirty times as much in Swift 6.2.
  @_noLocks @_noAllocation @inline(__always)
  static func higher(_ highest: SIMD8<Int32>, _ samples: SIMD8<Int32>) -> SIMD8<Int32> {
    let more = (samples & 0x7fff_ffff) &- highest
    return highest &+ (more & ~(more &>> 31))
  }

  /// Of `count` samples; 0 if one of them is infinite, which no device delivers.
  @_noLocks @_noAllocation
  static func of(_ samples: UnsafePointer<Float>, count: Int) -> Float {
    let raw = UnsafeRawPointer(samples)
    let whole = count / 8
    var high = SIMD8<Int32>.zero
    for index in 0..<whole {
      high = higher(high, raw.loadUnaligned(fromByteOffset: index &* 32, as: SIMD8<Int32>.self))
    }
    var top: Float = 0
    for lane in 0..<8 {
      let peak = Float(bitPattern: UInt32(bitPattern: high[lane]))
      top = peak > top ? peak : top
    }
    for index in (whole &* 8)..<count {
      let peak = samples[index] < 0 ? -samples[index] : samples[index]
      top = peak > top ? peak : top
    }
    return top.isFinite ? top : 0
  }
}
