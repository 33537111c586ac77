internal import CFFmpeg
internal import Hardware

/// Turns packets of H.264 into Annex B, whatever container they come from.
struct AccessUnits {
  /// 0: they are Annex B already; else bytes of the length before each NAL unit (ISO/IEC 14496-15, 5.3.3.1).
  private let lengthBytes: Int
  /// Parameter sets as a byte stream, for in front of keyframes.
  let sets: [UInt8]
  /// They come again with every keyframe.
  private static let mostSetBytes = 32 << 10
  /// Nobody shows a larger picture; short units make several times as much of what is in it.
  private static let mostBytes = 8 << 20

  /// - Parameter extradata: an AVCDecoderConfigurationRecord, or whatever else.
  init(extradata: UnsafeBufferPointer<UInt8>) {
    guard extradata.count >= 7, extradata[0] == 1 else {
      lengthBytes = 0
      // NUT and ASF have them as a byte stream.
      let isStream = extradata.starts(with: [0, 0, 1]) || extradata.starts(with: [0, 0, 0, 1])
      sets = isStream && extradata.count <= Self.mostSetBytes ? Array(extradata) : []
      return
    }
    lengthBytes = Int(extradata[4] & 3) + 1
    let found = AnnexB.byteStream(AnnexB.units(ofConfiguration: extradata))
    sets = found.count <= Self.mostSetBytes ? found : []
  }

  /// The access unit in `packet`; `nil` if its lengths make no sense, or if it is larger than any.
  func bytes(_ packet: AVPacket) -> [UInt8]? {
    guard let data = packet.data, packet.size > 0 else { return nil }
    return bytes(
      UnsafeBufferPointer(start: data, count: Int(packet.size)), isKeyframe: packet.flags & AV_PKT_FLAG_KEY != 0)
  }

  private static func saysSets(_ content: UnsafeBufferPointer<UInt8>) -> Bool {
    var found = false
    AnnexB.forEachUnit(in: UnsafeRawBufferPointer(content)) { kind, _ in found = found || AnnexB.isParameterSet(kind) }
    return found
  }

  func bytes(_ content: UnsafeBufferPointer<UInt8>, isKeyframe: Bool) -> [UInt8]? {
    guard content.count <= Self.mostBytes else { return nil }
    guard lengthBytes > 0 else { return isKeyframe && !Self.saysSets(content) ? sets + content : Array(content) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(content.count + sets.count + 16)
    if isKeyframe { bytes += sets }
    var place = 0
    while place + lengthBytes <= content.count {
      let size = content[place..<(place + lengthBytes)].reduce(0) { $0 << 8 | Int($1) }
      place += lengthBytes
      guard size <= content.count - place else { return nil }
      if size == 0 { continue }
      bytes += [0, 0, 0, 1]
      bytes += content[place..<(place + size)]
      place += size
    }
    return bytes
  }
}
