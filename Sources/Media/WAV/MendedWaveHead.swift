internal import Hardware

/// The head of a WAV take of ours as it was before a few of its bytes went wrong. Sizes, texts and loudness apart, all of it
/// follows from the format of the sound, which it says several times.
struct MendedWaveHead {
  private(set) var bytes: [UInt8]
  let sound: SoundTrack
  /// All of it is as it was.
  private(set) var isIntact = true
  /// Bytes that are not, and bits of them. Those that are written anew with the sizes do not count: a head is no other one
  /// behind that.
  private var wrong = 0
  private var wrongBits = 0

  /// No head is longer.
  static let mostBytes = 1024
  /// Where more is wrong it may be another program's.
  private static let mostWrong = 8
  private static let forms: [(codec: SoundCodec, bits: Int)] = [
    (.pcm, 16), (.pcm, 24), (.pcm, 32), (.alaw, 8), (.mulaw, 8),
  ]
  /// That the device records at: those of settings, and of microphones that have no other. Where one were not among these, the
  /// head of a take would be mended into that of another.
  private static let rates = [
    8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 64_000, 88_200, 96_000, 176_400, 192_000,
  ]
  /// Texts of a `bext` chunk, in which the originator stands; what behind them tells of the format.
  private static let texts = WaveHeader.broadcastOffset + 8
  private static let originator = texts + 256
  private static let historyOffset = texts + 602

  /// The likeliest head; `nil` where it is another program's, or cannot be told.
  ///
  /// - Parameter found: the beginning of a file.
  init?(_ found: [UInt8]) {
    guard found.dropFirst(Self.originator).starts(with: "Mynah".utf8) else { return nil }
    var best: MendedWaveHead?
    var isTold = false
    for (codec, bits) in Self.forms {
      for rate in Self.rates {
        for channels in 1...2 {
          let pcm = PCMFormat(sampleRate: rate, channels: channels, bits: bits)
          guard let head = MendedWaveHead(found, as: SoundTrack(codec, pcm: pcm)) else { continue }
          guard let other = best else {
            (best, isTold) = (head, true)
            continue
          }
          if head.wrong == other.wrong {
            // A-law and µ-law differ in one byte: one bit of it tells them apart.
            isTold = min(head.wrongBits, other.wrongBits) == 1 && head.wrongBits != other.wrongBits
            if head.wrongBits < other.wrongBits { best = head }
          } else if head.wrong < other.wrong {
            (best, isTold) = (head, true)
          }
        }
      }
    }
    guard let best, isTold, best.wrong <= Self.mostWrong else { return nil }
    self = best
  }

  /// The head as it would be of this sound; `nil` if there is less in the file.
  init?(_ found: [UInt8], as sound: SoundTrack) {
    let description = FileDescription(sound: sound, createdAt: WallTime(nanosecondsSince1970: 0))
    let header = WaveHeader(description: description, summary: FileSummary())
    bytes = header.bytes(dataBytes: 0, tailBytes: 0)
    self.sound = sound
    guard found.count >= bytes.count else { return nil }
    let texts = Self.texts..<Self.historyOffset
    for range in header.changing + [texts] { bytes.replaceSubrange(range, with: found[range]) }
    let isLong = bytes.suffix(4).allSatisfy { $0 == 0xFF }
    bytes.replaceSubrange(0..<4, with: (isLong ? "RF64" : "RIFF").utf8)
    let reserve = WaveHeader.reserveOffset
    bytes.replaceSubrange(reserve..<reserve + 4, with: (isLong ? "ds64" : "JUNK").utf8)
    bytes.replaceSubrange(reserve + 4..<reserve + 8, with: [UInt8(WaveHeader.reserveBytes), 0, 0, 0])
    for range in [0..<texts.lowerBound, texts.upperBound..<bytes.count] {
      for place in range where bytes[place] != found[place] {
        isIntact = false
        if place < 4 || (reserve..<reserve + 8).contains(place) { continue }
        wrong += 1
        wrongBits += (bytes[place] ^ found[place]).nonzeroBitCount
      }
    }
  }

  /// Bytes that the file and its sound have, as it says.
  var claims: (file: ClaimedNumber, sound: ClaimedNumber) {
    var long = ByteReader(bytes[(WaveHeader.reserveOffset + 8)...])
    var short = ByteReader(bytes[4...])
    var data = ByteReader(bytes.suffix(4))
    let (longFile, longSound) = (ClaimedNumber(long.little64()), ClaimedNumber(long.little64()))
    let (file, sound) = (ClaimedNumber(short.little32()), ClaimedNumber(data.little32()))
    let isLong = sound == ClaimedNumber(WaveHeader.limit)
    return ((isLong ? longFile : file) + 8, isLong ? longSound : sound)
  }
}
