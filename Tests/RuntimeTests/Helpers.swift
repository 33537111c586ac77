import Foundation
import Hardware

/// A seeded generator (xorshift64*): the same cases in every run.
struct TestGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = (seed &+ 1) &* 0x9E37_79B9_7F4A_7C15 | 1 }

  mutating func next() -> UInt64 {
    state ^= state >> 12
    state ^= state << 25
    state ^= state >> 27
    return state &* 0x2545_F491_4F6C_DD1D
  }
}

extension Instant {
  /// Seconds from the origin of the run.
  static func at(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64((seconds * 1e9).rounded())) }
}

/// Tells threads apart.
func currentThread() -> UInt { UInt(bitPattern: Int(pthread_self())) }
