/// The content of a WAV's `fmt ` chunk, as it stands there. Pure.
struct WaveFormat: Hashable {
  var tag: UInt16
  var channels: Int
  var sampleRate: Int
  /// Bytes of a frame.
  var block: Int
  var bits: Int

  /// - Parameter reader: at its first byte; behind what was read of it afterwards.
  init?(_ reader: inout ByteReader) {
    guard let tag = reader.little16(), let channels = reader.little16(), let rate = reader.little32(), reader.skip(4),
      let block = reader.little16(), let bits = reader.little16()
    else { return nil }
    self.tag = tag
    (self.channels, sampleRate, self.block, self.bits) = (Int(channels), Int(rate), Int(block), Int(bits))
    // WAVEFORMATEXTENSIBLE: the true one begins the sub-format.
    if tag == 0xFFFE, reader.skip(8), let inner = reader.little16() { self.tag = inner }
  }
}
