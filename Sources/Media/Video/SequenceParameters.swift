internal import Hardware

/// What a sequence parameter set says, as far as it matters here (H.264, 7.3.2.1.1 and E.1.1).
struct SequenceParameters: Hashable, Sendable {
  let id: Int
  let profile: Int
  /// `chroma_format_idc`: 0 is grey, 1 is 4:2:0, 2 is 4:2:2, 3 is 4:4:4.
  private(set) var chroma = 1
  private(set) var hasSeparatePlanes = false
  private(set) var lumaDepth = 8
  private(set) var chromaDepth = 8
  let frameNumberBits: Int
  /// Pictures that others may refer to at a time (`max_num_ref_frames`).
  let mostReferred: Int
  /// Numbers of pictures that others refer to may be left out on purpose (`gaps_in_frame_num_value_allowed_flag`).
  let mayLackNumbers: Bool
  /// `pic_order_cnt_type`; the bits of what a slice says of type 0; what it follows of type 1.
  let orderKind: Int
  private(set) var orderBits = 0
  private(set) var cycle = Cycle()
  let isOfFrames: Bool
  /// Pixels across and down that are to be shown.
  let width: Int
  let height: Int
  /// Pictures that may come before another one in the stream and behind it on the screen; `nil`: it does not say.
  let reorderDepth: Int?

  /// The rhythm of order counts of type 1: what is expected of a picture by its number (H.264, 8.2.1.2).
  struct Cycle: Hashable, Sendable {
    /// Slices do not say how far they are off.
    var isExact = false
    /// Of a picture that no other refers to.
    var unreferred = 0
    /// From each picture that others refer to, to the next.
    var steps: [Int] = []

    /// - Parameter number: of the picture since the last instant one.
    func expected(_ number: Int, isReferred: Bool) -> Int {
      let place = steps.isEmpty ? 0 : number - (isReferred || number == 0 ? 0 : 1)
      let (whole, rest) = steps.isEmpty ? (0, 0) : place.quotientAndRemainder(dividingBy: steps.count)
      let sum = whole &* steps.reduce(0, &+) &+ steps.prefix(rest).reduce(0, &+)
      return isReferred ? sum : sum &+ unreferred
    }
  }

  private static let highProfiles = [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135]

  /// - Parameter unit: the NAL unit, its header included.
  /// - Returns: `nil` if it is damaged, or of a size that no camera has.
  init?(_ unit: [UInt8]) {
    guard unit.count >= 4, unit.count < 65_536 else { return nil }
    var bits = BitReader(unit.withUnsafeBytes { AnnexB.unescaped($0) }.dropFirst(4))
    profile = Int(unit[1])
    id = bits.exponential()
    if Self.highProfiles.contains(profile) {
      chroma = bits.exponential()
      if chroma == 3 { hasSeparatePlanes = bits.flag() }
      lumaDepth = 8 + bits.exponential()
      chromaDepth = 8 + bits.exponential()
      bits.skip(1)
      if bits.flag() { for list in 0..<(chroma == 3 ? 12 : 8) where bits.flag() { Self.skipList(&bits, list) } }
    }
    frameNumberBits = 4 + bits.exponential()
    orderKind = bits.exponential()
    if orderKind == 0 {
      orderBits = 4 + bits.exponential()
    } else if orderKind == 1 {
      cycle.isExact = bits.flag()
      cycle.unreferred = bits.signedExponential()
      _ = bits.exponential()
      cycle.steps = (0..<min(255, bits.exponential())).map { _ in bits.signedExponential() }
    }
    mostReferred = min(16, bits.exponential())
    mayLackNumbers = bits.flag()
    // bounded: to 1024 below
    let (columns, mapRows) = (bits.exponential() + 1, bits.exponential() + 1)
    isOfFrames = bits.flag()
    if !isOfFrames { bits.skip(1) }
    bits.skip(1)
    var crop = [0, 0, 0, 0]
    if bits.flag() { crop = crop.map { _ in min(16_384, bits.exponential()) } }
    guard !bits.isOver, id < 32, chroma <= 3, lumaDepth <= 14, chromaDepth <= 14, frameNumberBits <= 16,
      orderBits <= 16, columns <= 1024, mapRows <= 1024
    else { return nil }
    let fields = isOfFrames ? 1 : 2
    width = columns * 16 - (chroma == 1 || chroma == 2 ? 2 : 1) * (crop[0] + crop[1])
    height = fields * mapRows * 16 - (chroma == 1 ? 2 : 1) * fields * (crop[2] + crop[3])
    guard (1...16_384).contains(width), (1...16_384).contains(height) else { return nil }
    let told = bits.flag() ? Self.reorderDepth(&bits) : nil
    reorderDepth = profile == 66 || orderKind == 2 ? 0 : told
  }

  /// Size and kind of the pictures: what cannot change within one track of a file.
  var shape: [Int] { [profile, chroma, lumaDepth, chromaDepth, width, height] }

  /// Steps over a scaling list (H.264, 7.3.2.1.1.1).
  private static func skipList(_ bits: inout BitReader, _ list: Int) {
    var last = 8
    var next = 8
    for _ in 0..<(list < 6 ? 16 : 64) {
      if next != 0 { next = (last + bits.signedExponential()) & 255 }
      last = next == 0 ? last : next
    }
  }

  /// `max_num_reorder_frames` of the usability information (H.264, E.1.1).
  private static func reorderDepth(_ bits: inout BitReader) -> Int? {
    if bits.flag(), bits.number(8) == 255 { bits.skip(32) }
    if bits.flag() { bits.skip(1) }
    if bits.flag() {
      bits.skip(4)
      if bits.flag() { bits.skip(24) }
    }
    if bits.flag() { for _ in 0..<2 { _ = bits.exponential() } }
    if bits.flag() { bits.skip(65) }
    let hasFirst = skipBuffer(&bits)
    let hasSecond = skipBuffer(&bits)
    if hasFirst || hasSecond { bits.skip(1) }
    bits.skip(1)
    guard bits.flag() else { return nil }
    bits.skip(1)
    for _ in 0..<4 { _ = bits.exponential() }
    let depth = bits.exponential()
    return bits.isOver || depth > 16 ? nil : depth
  }

  /// Steps over the parameters of the hypothetical decoder, if they are there (H.264, E.1.2).
  private static func skipBuffer(_ bits: inout BitReader) -> Bool {
    guard bits.flag() else { return false }
    let count = min(32, bits.exponential() + 1)
    bits.skip(8)
    for _ in 0..<count {
      for _ in 0..<2 { _ = bits.exponential() }
      bits.skip(1)
    }
    bits.skip(20)
    return true
  }
}
