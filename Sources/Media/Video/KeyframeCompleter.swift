internal import Hardware

/// Sees to it that each keyframe of an H.264 stream has its parameter sets in front, also from encoders and cameras that
/// only say them once, at the start or in a buffer of their own. Pure; one thread at a time.
public struct KeyframeCompleter {
  /// What the stream said last.
  public private(set) var parameters: H264Parameters?
  private var whole: [UInt8] = []

  public init() {}

  /// Hands an access unit on, with parameter sets if it needs them. What holds no picture is only looked at.
  public mutating func complete(
    _ accessUnit: UnsafeRawBufferPointer, emit: (_ bytes: UnsafeRawBufferPointer, _ isKeyframe: Bool) -> Void
  ) {
    let slice = NALScan.firstSlice(in: accessUnit)
    // Sets only come with keyframes or alone: everything else is passed on unread.
    guard slice == 0 || slice == AnnexB.Kind.keyframeSlice else { return emit(accessUnit, false) }
    let found = H264Parameters(in: accessUnit)
    if let found { parameters = found }
    guard slice != 0 else { return }
    guard found == nil, let parameters else { return emit(accessUnit, true) }
    whole.removeAll(keepingCapacity: true)
    whole += parameters.byteStream
    whole.append(contentsOf: accessUnit)
    whole.withUnsafeBytes { emit($0, true) }
  }
}
