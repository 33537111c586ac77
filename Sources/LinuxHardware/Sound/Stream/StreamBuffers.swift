internal import CALSA

/// Everything that a sound thread touches of its driver's, allocated and touched before it starts.
struct StreamBuffers {
  let port: UnsafeMutablePointer<mynah_pcm_port>
  let raw: UnsafeMutableRawPointer
  let floats: UnsafeMutablePointer<Float>

  init(port value: mynah_pcm_port, shape: StreamShape) {
    port = .allocate(capacity: 1)
    port.initialize(to: value)
    raw = .allocate(byteCount: shape.periodFrames * shape.frameBytes, alignment: 64)
    raw.initializeMemory(as: UInt8.self, repeating: 0, count: shape.periodFrames * shape.frameBytes)
    floats = .allocate(capacity: shape.periodFrames * shape.channels)
    floats.initialize(repeating: 0, count: shape.periodFrames * shape.channels)
  }

  func deallocate() {
    port.deallocate()
    raw.deallocate()
    floats.deallocate()
  }
}
