internal import Hardware

/// A pointer that is used under a lock, while who gave it waits.
struct RingReference: @unchecked Sendable {
  let pointer: UnsafeMutablePointer<RenderRing>
  init(_ pointer: UnsafeMutablePointer<RenderRing>) { self.pointer = pointer }
}
