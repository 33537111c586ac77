internal import Hardware

/// Follows an H.264 stream from access unit to access unit: which parameter sets are in force, where decoding can begin, in
/// which order pictures are seen. Pure; one thread at a time.
///
/// Each picture with which decoding can begin gets the sets in front that its stream has said once only, at the start or
/// in a buffer of their own.
public struct H264Stream {
  /// What is known of a picture.
  public struct Place: Hashable, Sendable {
    /// Decoding can begin with it.
    public var isKeyframe: Bool
    /// Of a keyframe: pictures after it, as they are seen, until all is right; 0 but for intra refresh.
    public var recovery = 0
    /// Nothing after it, in the stream or on the screen, has to do with anything before it.
    public var isInstant = false
    /// It is one field of a frame, whose other one is a picture of its own (PAFF).
    public var isField = false
    /// Pictures that others refer to are missing before it: what refers to them does not decode.
    public var isBehindHole = false
    /// So many pictures in a row can be missing and the numbers still seem to go on: they have come round, or begun anew.
    public var mostUntold = Int.max
    /// Its place among the pictures since the last instant one, as they are seen.
    public var order = 0
    /// Bits of it that the stream says: what is farther off than half of their range is taken for something else. 0: it
    /// follows from the numbers.
    public var orderBits = 0
    /// Others refer to it; so many can be referred to at a time.
    public var isReferred = false
    public var mostReferred = 0
    /// Pictures that may be ahead of another one in the stream and behind it on the screen; `nil`: nobody says.
    public var reorderDepth: Int?
    /// Of a keyframe: the sets in force from it on.
    public var parameters: H264Parameters?
  }

  /// The sets in force; `nil` until there are some.
  public private(set) var parameters: H264Parameters?
  private var whole: [UInt8] = []
  /// Of the last picture that others refer to (H.264, 8.2.1.1).
  private var (lastHigh, lastLow) = (0, 0)
  private var count = 0
  /// Of the last picture (H.264, 8.2.1.2).
  private var (numberOffset, lastNumber) = (0, 0)
  /// Number of the last picture that others refer to; `nil`: nobody knows.
  private var lastReferred: Int?
  /// Pictures from the last instant one but one to the last.
  private var group = Int.max

  public init() {}

  /// Takes in an access unit and hands it on. What holds no picture is only looked at.
  public mutating func add(
    _ accessUnit: UnsafeRawBufferPointer, emit: (_ bytes: UnsafeRawBufferPointer, Place) -> Void
  ) {
    let head = AccessUnitHead(accessUnit)
    let saysSets = !head.sequences.isEmpty || !head.pictures.isEmpty
    if saysSets, let found = H264Parameters(head, after: parameters) { parameters = found }
    guard let slice = head.slice else { return }
    var place = Place(isKeyframe: head.isInstant || head.recovery != nil)
    place.isInstant = head.isInstant
    place.recovery = head.isInstant ? 0 : head.recovery ?? 0
    order(of: slice, &place)
    place.reorderDepth = parameters?.sequence.reorderDepth
    place.parameters = place.isKeyframe ? parameters : nil
    guard place.isKeyframe, let parameters, head.sequences + head.pictures != parameters.units else {
      return emit(accessUnit, place)
    }
    whole.removeAll(keepingCapacity: true)
    whole += parameters.byteStream
    if saysSets {
      AnnexB.forEachUnit(in: accessUnit) { kind, unit in
        if !AnnexB.isParameterSet(kind) { whole += [0, 0, 0, 1] + unit }
      }
    } else {
      whole.append(contentsOf: accessUnit)
    }
    whole.withUnsafeBytes { emit($0, place) }
  }

  /// Finds the picture order count of a slice (H.264, 8.2.1); pictures of type 2 are seen as they come.
  private mutating func order(of slice: UnsafeRawBufferPointer, _ place: inout Place) {
    let isInstant = place.isInstant
    if isInstant {
      if count > 0 { group = count }
      (lastHigh, lastLow, count, numberOffset, lastNumber) = (0, 0, 0, 0, 0)
    }
    place.order = count
    defer { count += 1 }
    var bits = BitReader(AnnexB.unescaped(slice).dropFirst(1))
    for _ in 0..<2 { _ = bits.exponential() }
    guard let sequence = parameters?.sequence(ofPicture: bits.exponential()) else {
      lastReferred = nil
      return
    }
    if sequence.hasSeparatePlanes { bits.skip(2) }
    let number = bits.number(sequence.frameNumberBits)
    let isReferred = slice[0] & 0x60 != 0
    (place.isReferred, place.mostReferred) = (isReferred, sequence.mostReferred)
    place.mostUntold = min(group, 1 << sequence.frameNumberBits)
    place.isBehindHole = !isInstant && skips(to: number, isReferred: isReferred, sequence)
    if isInstant { lastReferred = number }
    place.isField = !sequence.isOfFrames && bits.flag()
    if place.isField { bits.skip(1) }
    guard sequence.orderKind < 2 else { return }
    if isInstant { _ = bits.exponential() }
    guard sequence.orderKind == 0 else {
      if number < lastNumber { numberOffset &+= 1 << sequence.frameNumberBits }
      lastNumber = number
      let expected = sequence.cycle.expected(numberOffset &+ number, isReferred: isReferred)
      place.order = sequence.cycle.isExact ? expected : expected &+ bits.signedExponential()
      return
    }
    let (low, range) = (bits.number(sequence.orderBits), 1 << sequence.orderBits)
    var high = lastHigh
    if low < lastLow, lastLow - low >= range / 2 { high += range }
    if low > lastLow, low - lastLow > range / 2 { high -= range }
    if isReferred { (lastHigh, lastLow) = (high, low) }
    (place.order, place.orderBits) = (high + low, sequence.orderBits)
  }

  /// Whether numbers are missing before a picture's (H.264, 7.4.3): each has the number behind that of the last one that
  /// others refer to; fields of a frame have the same.
  private mutating func skips(to number: Int, isReferred: Bool, _ sequence: SequenceParameters) -> Bool {
    let last = 1 << sequence.frameNumberBits - 1
    let isNext = lastReferred.map { number == $0 || number == ($0 + 1) & last } ?? true
    if isReferred { lastReferred = number } else if !isNext { lastReferred = (number - 1) & last }
    return !isNext && !sequence.mayLackNumbers
  }
}
