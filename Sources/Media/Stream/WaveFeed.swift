internal import CFFmpeg

/// The samples of a WAV file that comes in pieces: its format, then whole frames, to the end that it names or without one.
/// Pure.
struct WaveFeed {
  /// What a decoder has to know.
  struct Format: Hashable {
    var codec: AVCodecID
    var sampleRate: Int
    var channels: Int
    /// Bytes of a frame.
    var block: Int

    /// The content of a `fmt ` chunk; `nil` for what is no PCM.
    init?(_ chunk: ArraySlice<UInt8>) {
      var reader = ByteReader(chunk)
      guard let format = WaveFormat(&reader) else { return nil }
      let known: [UInt32: AVCodecID] = [
        0x1_0008: AV_CODEC_ID_PCM_U8, 0x1_0010: AV_CODEC_ID_PCM_S16LE, 0x1_0018: AV_CODEC_ID_PCM_S24LE,
        0x1_0020: AV_CODEC_ID_PCM_S32LE, 0x3_0020: AV_CODEC_ID_PCM_F32LE, 0x3_0040: AV_CODEC_ID_PCM_F64LE,
        0x6_0008: AV_CODEC_ID_PCM_ALAW, 0x7_0008: AV_CODEC_ID_PCM_MULAW,
      ]
      guard let codec = known[UInt32(format.tag) << 16 | UInt32(format.bits)], (1...8).contains(format.channels),
        (1000...768_000).contains(format.sampleRate), format.block == format.channels * format.bits / 8
      else { return nil }
      self.codec = codec
      (sampleRate, channels, block) = (format.sampleRate, format.channels, format.block)
    }
  }

  private var input: [UInt8] = []
  private var place = 0
  /// Bytes of chunks that are passed over.
  private var skipped = 12
  /// Bytes of sound that are to come; `nil` before it begins.
  private var left: Int?
  /// Where in the file the next byte is, where the sound begins, and its length, if the head says it.
  private var offset = 0
  private var start = 0
  private var length: Int?
  private(set) var format: Format?
  private static let frames = 2048
  private static let largestFormat = 4096

  mutating func feed(_ bytes: [UInt8]) {
    input.removeFirst(place)
    offset += place
    place = 0
    input += bytes
  }

  var isPassingOver: Bool { skipped > 0 && offset + place > 0 }

  /// How long it is, if its head says so.
  var seconds: Double? {
    guard let format, let length else { return nil }
    return Double(length / format.block) / Double(format.sampleRate)
  }

  /// The next frame is the one of this time, and the next byte fed is that of the answer.
  mutating func seek(to seconds: Double) -> (place: Int, seconds: Double)? {
    guard let format, let length, left != nil else { return nil }
    let frame = min(length / format.block, Int(max(0, min(seconds, 1e9)) * Double(format.sampleRate)))
    (input, place, offset) = ([], 0, start + frame * format.block)
    left = length - frame * format.block
    return (offset, Double(frame) / Double(format.sampleRate))
  }

  /// Whole frames; `nil` if more bytes are needed, or at the end.
  ///
  /// - Throws: if it is no PCM.
  mutating func next(name: String) throws(MediaError) -> [UInt8]? {
    while true {
      let count = min(skipped, input.count - place)
      skipped -= count
      place += count
      guard skipped == 0 else { return nil }
      if let left, let format {
        let count = min(left, min(Self.frames * format.block, input.count - place)) / format.block * format.block
        guard count > 0 else { return nil }
        self.left = left - count
        place += count
        return Array(input[(place - count)..<place])
      }
      var reader = ByteReader(input[place...])
      // bounded: 32 bits
      guard let kind = reader.fourCC(), let size = reader.little32().map({ Int($0) }) else { return nil }
      if kind == "data", format != nil {
        // Recorders and pipes that do not know it yet write nothing, or the most there is.
        length = size == 0 || size >= 0x7FFF_FFFF ? nil : size
        left = length ?? .max
        place += 8
        start = offset + place
      } else if kind == "fmt ", size <= Self.largestFormat {
        guard let chunk = reader.take(size) else { return nil }
        guard let found = Format(chunk) else {
          throw MediaError(.unsupported, subject: name, operation: "decode", reason: "a WAV of something else than PCM")
        }
        format = found
        skipped = 8 + size + size % 2
      } else {
        skipped = 8 + size + size % 2
      }
    }
  }
}
