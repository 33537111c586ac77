internal import Hardware
internal import Media
internal import Streaming

/// From compressed pictures to the one that is due: decodes no more than a few ahead, and what cannot be in time any more
/// is passed by. One thread.
final class PictureLine {
  private let room: PictureRoom
  private var waiting: PictureQueue
  private var decoder: ProgrammePictureDecoder?
  private var decoded: [DecodedPicture] = []
  /// Times of those that the decoder holds back until it knows the order.
  private var inDecoder: [Int] = []
  private var needsKeyframe = true
  private var hasFinished = false
  /// The last two times, from which the rate is told.
  private var lastStart: Int?
  private var shortestStep = 1600
  private(set) var dropped = 0
  private(set) var damaged = 0

  /// Where sound began after a jump: pictures before it are only decoded for those behind.
  private(set) var floor: Double?

  /// Only what a small display can show is decoded.
  var isForPreview = false {
    didSet { decoder?.economy = isForPreview ? .small : .none }
  }

  /// Decoded and not shown yet, at most: beside them are one on the screen, one that is next, and those that the decoder
  /// refers to.
  private var mostDecoded: Int {
    guard let decoder, decoder.pixels > 0 else { return 1 }
    return isTight || decoder.room < Self.comfortable * PictureRoom.bytes(pixels: decoder.pixels) ? 1 : 3
  }
  private static let comfortable = 12
  /// Pictures further behind than this are not worth decoding if there is a keyframe to go on from.
  private static let hopeless = 12_000.0
  /// Pixels a second that are decoded for a preview; of larger streams, only keyframes: 640 × 360 at 30 a second takes a
  /// tenth of a Cortex-A53.
  static let previewPixels = 640 * 360 * 30

  init(_ room: PictureRoom) {
    self.room = room
    waiting = PictureQueue(mostBytes: room.waiting)
  }

  /// Forgets everything; the next picture must be a keyframe.
  func restart() {
    waiting.removeAll()
    decoded = []
    inDecoder = []
    decoder?.flush()
    needsKeyframe = true
    hasFinished = false
    floor = nil
    lastStart = nil
    shortestStep = 1600
  }

  /// Gives all memory back.
  func close() {
    restart()
    decoder = nil
  }

  func add(_ pictures: [ProgrammePicture]) { pictures.forEach { waiting.append($0) } }

  /// Whether a picture after `time` that is due at `frame` waits to be decoded: the one of `time` is behind then.
  func isBehind(_ time: Int, at frame: Double) -> Bool {
    let isDue = { (start: Int) in start > time && Double(start) <= frame }
    return !waiting.isEmpty && (waiting.contains { isDue($0.start) } || inDecoder.contains(where: isDue))
  }

  /// Whether pictures find no room while others are held.
  var isTight: Bool { decoder?.lacksRoom == true }
  var hasWork: Bool { !waiting.isEmpty && decoded.count < mostDecoded }
  /// When the next picture is due, on the timeline.
  var next: Int? { decoded.first?.time }

  /// Decodes what is worth it.
  ///
  /// - Parameters:
  ///   - heard: the frame that is heard.
  ///   - isEnding: no more pictures come.
  ///   - most: pictures to decode at most.
  func work(heard: Double, isEnding: Bool, most: Int) {
    if floor == nil { floor = heard }
    passBy(heard)
    for _ in 0..<most {
      guard decoded.count < mostDecoded, let picture = waiting.next() else { break }
      learn(picture)
      if picture.lostBefore > 0 {
        dropped += picture.lostBefore
        // What the decoder holds back comes out; nothing behind the gap refers to it.
        finish()
      }
      let isAlone = isKeyframesOnly
      if needsKeyframe || isAlone, !picture.isKeyframe {
        if isTight { dropped += 1 }
        continue
      }
      needsKeyframe = false
      hasFinished = false
      decode(picture)
      // Without those between, the next one would come before the decoder gives this one out.
      if isAlone { finish() }
      leaveOut(before: heard)
    }
    if isEnding, waiting.isEmpty, !hasFinished, decoded.count < mostDecoded {
      // What the decoder holds back is the end of it.
      hasFinished = true
      finish()
    }
  }

  /// The next picture in the order in which they are shown.
  func take() -> DecodedPicture? { decoded.isEmpty ? nil : decoded.removeFirst() }

  private func decode(_ picture: ProgrammePicture) {
    do throws(MediaError) {
      inDecoder.append(picture.start)
      let decoder = try usableDecoder()
      let refused = decoder.refused
      try decoder.decode(picture.bytes, time: picture.start) { came($0) }
      damaged = decoder.damaged
      if decoder.refused > refused { goOnAlone(decoder) }
    } catch {
      damaged += 1
    }
  }

  /// From here on only keyframes are decoded, which refer to nothing, as they find room.
  private func goOnAlone(_ decoder: ProgrammePictureDecoder) {
    decoder.flush()
    dropInDecoder()
    needsKeyframe = true
  }

  private func finish() {
    needsKeyframe = true
    do throws(MediaError) {
      try decoder?.finish { came($0) }
      damaged = decoder?.damaged ?? damaged
    } catch {
      damaged += 1
    }
    inDecoder = []
  }

  private func came(_ picture: DecodedPicture) {
    decoded.append(picture)
    // Those before it that never come were not worth decoding.
    inDecoder.removeAll { $0 <= picture.time }
  }

  private func usableDecoder() throws(MediaError) -> ProgrammePictureDecoder {
    if let decoder { return decoder }
    let new = try ProgrammePictureDecoder(room: room.decoded())
    new.economy = isForPreview ? .small : .none
    decoder = new
    return new
  }

  /// A decoder that has fallen far behind goes on at the last keyframe that is due.
  private func passBy(_ heard: Double) {
    guard let first = waiting.first, Double(first.start) < heard - Self.hopeless else { return }
    let passed = waiting.pass { $0.isKeyframe && Double($0.start) <= heard }
    guard !passed.isEmpty else { return }
    dropped += passed.count { Double($0.start) >= floor ?? 0 } + passed.reduce(0) { $0 + $1.lostBefore }
    decoded.forEach(drop)
    decoded = []
    dropInDecoder()
    decoder?.flush()
    needsKeyframe = true
  }

  /// Pictures that another one has taken the place of need no memory: those up to a place that was gone to.
  private func leaveOut(before heard: Double) {
    while decoded.count > 1, Double(decoded[1].time) <= heard {
      drop(decoded.removeFirst())
    }
  }

  /// Counts a picture that is not shown, unless it is one from before a jump.
  func drop(_ picture: DecodedPicture) {
    if Double(picture.time) >= floor ?? 0 { dropped += 1 }
  }

  private func dropInDecoder() {
    dropped += inDecoder.count { Double($0) >= floor ?? 0 }
    inDecoder = []
  }

  private func learn(_ picture: ProgrammePicture) {
    if let lastStart, picture.start != lastStart { shortestStep = min(shortestStep, abs(picture.start - lastStart)) }
    lastStart = picture.start
  }

  private var isKeyframesOnly: Bool {
    if isTight { return true }
    guard isForPreview, let pixels = decoder?.pixels, pixels > 0 else { return false }
    return pixels * 48_000 / max(400, shortestStep) > Self.previewPixels
  }
}
