public import Hardware

/// The speaker as one has it who plays only while no player of the device does: it is lost to him as soon as one opens it,
/// and refused (`busy`) meanwhile. One worker thread.
public final class SpeakerGuest: Speaker {
  private let speaker: SpokenSpeaker
  private var isIn = false

  init(_ speaker: SpokenSpeaker) { self.speaker = speaker }

  deinit { speaker.close(ObjectIdentifier(self)) }

  public var name: String { speaker.name }
  public var isLost: Bool { isIn && !speaker.isHeld(by: ObjectIdentifier(self)) || speaker.isLost }
  public var counters: SoundCounters { speaker.counters }

  public func open(_ request: SoundRequest) throws(DeviceError) -> SoundGrant {
    isIn = false
    let grant = try speaker.open(request, as: ObjectIdentifier(self))
    isIn = true
    return grant
  }

  public func start(from ring: UnsafeMutablePointer<RenderRing>) throws(DeviceError) {
    try speaker.start(from: ring, as: ObjectIdentifier(self))
  }

  public func close() {
    isIn = false
    speaker.close(ObjectIdentifier(self))
  }
}
