internal import Hardware

/// The head of a FLAC file of ours (RFC 9639, 8): 32 KiB in front of the frames, whatever is in it.
///
/// STREAMINFO, a block of our own that says how far the file is claimed, comments, marks as a cue sheet, padding. What
/// changes while the file grows lies in its first bytes, in one sector.
struct FLACHead {
  /// How much of the file is sound, and what STREAMINFO says of it.
  struct Claim: Hashable {
    var frames = 0
    /// Where the last frame ends in the file.
    var end = FLACHead.bytes
    /// MD5 of the samples; zeros: not known.
    var digest = [UInt8](repeating: 0, count: LosslessEncoder.digestBytes)
    /// Bytes of the smallest and the largest frame of the format.
    var smallest = 0
    var largest = 0

    mutating func add(frames: Int, digest: some Sequence<UInt8>, bytes: Int) {
      self.frames += frames
      self.digest = Array(digest)
      end += bytes
      smallest = smallest == 0 ? bytes : min(smallest, bytes)
      largest = max(largest, bytes)
    }
  }

  /// What the first bytes of a file say.
  struct Reading {
    var pcm: PCMFormat
    var claim: Claim
    /// Up to here everything is on the medium for sure; 0 of a file that is none of ours.
    var safeEnd = 0
    var isFinished = false
    var isOurs: Bool { safeEnd > 0 }
  }

  /// Where the frames begin.
  static let bytes = 32 << 10
  /// Bytes that are rewritten with every claim.
  static let frontBytes = 42 + 4 + 4 + 20
  /// What is written in one piece, whatever becomes of the power.
  static let sectorBytes = 512
  private static let application = "Mnah"

  var pcm: PCMFormat

  /// STREAMINFO and the claim.
  ///
  /// - Parameter safeEnd: see `Reading`.
  func front(_ claim: Claim, safeEnd: Int, isFinished: Bool) -> [UInt8] {
    var writer = ByteWriter()
    writer.text("fLaC")
    writer.big32(34)
    let block = UInt16(SoundCodec.flac.packetFrames)
    writer.big16(block)
    writer.big16(block)
    for size in [claim.smallest, claim.largest] {
      writer.big8(UInt8(truncatingIfNeeded: size >> 16))
      writer.big16(UInt16(truncatingIfNeeded: size))
    }
    let shape = UInt64(pcm.sampleRate) << 44 | UInt64(pcm.channels - 1) << 41 | UInt64(pcm.bits - 1) << 36
    writer.big64(shape | UInt64(claim.frames) & 0xF_FFFF_FFFF)
    writer.bytes.append(contentsOf: claim.digest)
    writer.big32(2 << 24 | 24)
    writer.text(Self.application)
    writer.big32(isFinished ? 1 : 0)
    writer.big64(UInt64(claim.end))
    writer.big64(UInt64(safeEnd))
    return writer.bytes
  }

  /// The whole head.
  func bytes(_ claim: Claim, safeEnd: Int, isFinished: Bool, _ description: FileDescription, _ summary: FileSummary)
    -> [UInt8]
  {
    front(claim, safeEnd: safeEnd, isFinished: isFinished)
      + FLACBlocks(sampleRate: pcm.sampleRate, frames: claim.frames).bytes(
        VorbisComments(description, comment: summary.comment, tags: summary.tags), summary.marks)
  }

  /// No file is longer: where one ends of which nobody knows it.
  private static let longest = 1 << 50

  /// How many bytes are other ones of those that are the same in all heads of ours.
  private static func wrongBytes(_ bytes: [UInt8]) -> Int {
    guard bytes.count >= frontBytes else { return .max }
    let own = Array("fLaC".utf8) + [0, 0, 0, 34, 2, 0, 0, 24] + Array(application.utf8)
    return zip(own, bytes[0..<8] + bytes[42..<50]).filter { $0.0 != $0.1 }.count
  }

  /// What the beginning of a file says, of whoever made it; `nil` if it is none that can be read. Of ours one byte may
  /// be wrong, and also what it says of sound and claim.
  static func read(_ bytes: [UInt8]) -> Reading? {
    let wrong = wrongBytes(bytes)
    let isLikeOurs = wrong <= 1
    var reader = ByteReader(bytes)
    let begin = reader.fourCC()
    guard let info = reader.big32(), isLikeOurs || begin == "fLaC" && info & 0x7FFF_FFFF == 34, reader.skip(4),
      let sizes = reader.take(6), let shape = reader.big64(), let digest = reader.take(LosslessEncoder.digestBytes)
    else { return nil }
    let number = { (bytes: ArraySlice<UInt8>) in bytes.reduce(0) { $0 << 8 | Int($1) } }
    let pcm = PCMFormat(
      sampleRate: Int(shape >> 44), channels: Int(shape >> 41 & 7) + 1, bits: Int(shape >> 36 & 31) + 1)
    guard pcm.sampleRate > 0 || isLikeOurs else { return nil }
    var found = Reading(pcm: pcm, claim: Claim())
    found.claim.frames = Int(shape & 0xF_FFFF_FFFF)
    found.claim.digest = Array(digest)
    found.claim.smallest = number(sizes.prefix(3))
    found.claim.largest = number(sizes.suffix(3))
    guard isLikeOurs, reader.skip(8), let state = reader.big32() else { return found }
    let end = ClaimedNumber(reader.big64()).within(Self.bytes...longest)
    guard let end, let safeEnd = ClaimedNumber(reader.big64()).within(Self.bytes...end) else {
      // One of the two is wrong: the frames say how far they go.
      found.claim.end = longest
      found.safeEnd = Self.bytes
      return found
    }
    found.claim.end = end
    found.safeEnd = safeEnd
    found.isFinished = wrong == 0 && state == 1
    return found
  }

  /// What is known where the head is lost, by the first bytes of the frames behind it; `nil` if they are none of ours.
  static func lost(before frames: [UInt8]) -> Reading? {
    guard let first = frames.withUnsafeBufferPointer({ FLACFrameHead($0, at: 0) }), first.number == 0,
      let pcm = first.format
    else { return nil }
    return Reading(pcm: pcm, claim: Claim(end: longest), safeEnd: bytes)
  }
}
