internal import Streaming

/// Divides the timeline into slots: by subtitles where there are any, else by pieces of sound.
///
/// Pure; bounded. A cue that is repeated (live WebVTT segments do that) makes no second slot, cues that overlap make one
/// slot, and what is no speech (`[music]`, `♪`) makes none.
struct SlotMaker: Sendable {
  /// A piece of sound without subtitles: 4 s.
  static let pieceFrames = 4 * 48_000
  /// An utterance is at least this long, whatever its subtitle says.
  private static let shortest = 48_000 / 2
  private static let longest = 28 * 48_000
  private static let memory = 64
  private static let rows = 16
  /// Between captions that belong together there is hardly a pause.
  private static let rollPause = 48_000 / 10
  /// A caption that is the beginning of the next one, and is there for less than this, is painted on within a word.
  private static let paintTime = 48_000

  private var nextID = 0
  private(set) var slots: [UtteranceSlot] = []
  /// What has been turned into slots lately, to know repetitions.
  private var seen: [(epoch: Int, start: Int, text: String)] = []
  /// The subtitles that were there last, for captions that roll up: some write a cue for each line.
  private var recent: [SubtitleCue] = []
  /// Up to here the timeline has been divided.
  private var covered = 0

  /// Takes in a cue.
  mutating func add(_ cue: SubtitleCue) {
    guard cue.end > cue.start else { return }
    let text = Self.spoken(newPart(of: cue))
    recent.removeAll { $0.epoch != cue.epoch || cue.start - $0.end > Self.rollPause }
    recent.append(cue)
    if recent.count > Self.rows { recent.removeFirst() }
    guard !text.isEmpty else { return }
    if seen.contains(where: { $0.epoch == cue.epoch && abs($0.start - cue.start) < 4800 && $0.text == text }) { return }
    seen.append((cue.epoch, cue.start, text))
    if seen.count > Self.memory { seen.removeFirst() }
    if completesWord(cue) { return }
    let end = min(max(cue.end, cue.start + Self.shortest), cue.start + Self.longest)
    let index =
      slots.firstIndex { $0.epoch > cue.epoch || ($0.epoch == cue.epoch && $0.start > cue.start) } ?? slots.count
    if index > 0, slots[index - 1].epoch == cue.epoch, !slots[index - 1].text.isEmpty,
      cue.start < slots[index - 1].start + Self.shortest
    {
      slots[index - 1].text += " " + text
      slots[index - 1].end = max(slots[index - 1].end, end)
      return
    }
    let slot = UtteranceSlot(
      id: nextID, epoch: cue.epoch, start: cue.start, end: end, limit: nil, text: text, language: cue.language)
    nextID += 1
    slots.insert(slot, at: index)
    covered = max(covered, slot.end)
    relimit()
    if slots.count > Self.memory { slots.removeLast() }
  }

  /// A caption that is painted on letter by letter: the word that the one before broke off is said whole, in its slot.
  ///
  /// - Returns: false if it is none, or it has been decided about that slot already.
  private mutating func completesWord(_ cue: SubtitleCue) -> Bool {
    let before = recent.last {
      $0.epoch == cue.epoch && $0.language == cue.language && (1..<Self.paintTime).contains(cue.start - $0.start)
        && cue.start - $0.end <= Self.rollPause
    }
    guard let before, cue.text.hasPrefix(before.text),
      cue.text.dropFirst(before.text.count).first?.isWhitespace == false,
      let word = before.text.split(whereSeparator: \.isWhitespace).last,
      let index = slots.lastIndex(where: {
        $0.epoch == cue.epoch && $0.start <= cue.start && $0.text.hasSuffix(word)
      })
    else { return false }
    let whole = Self.spoken(String(cue.text.dropFirst(before.text.count - word.count)))
    slots[index].text = String(slots[index].text.dropLast(word.count)) + whole
    slots[index].end = min(max(slots[index].end, cue.end), slots[index].start + Self.longest)
    covered = max(covered, slots[index].end)
    return true
  }

  /// Divides what no subtitle covers.
  ///
  /// - Parameters:
  ///   - known: the timeline is known up to here: sound is decoded, and subtitles of it would be there.
  ///   - epoch: of a frame: a piece is of the epoch in which it begins, which may not be heard yet.
  ///   - quietest: finds the quietest place within a range, where a cut does least harm.
  mutating func cover(
    upTo known: Int, from position: Int, epoch: (Int) -> Int, quietest: (Range<Int>) -> Int
  ) {
    covered = max(covered, position)
    while known - covered >= Self.pieceFrames, slots.count < Self.memory {
      let cut = quietest((covered + Self.pieceFrames / 2)..<(covered + Self.pieceFrames))
      let piece = UtteranceSlot(
        id: nextID, epoch: epoch(covered), start: covered, end: max(covered + 1, cut), limit: nil, text: "",
        language: "")
      nextID += 1
      covered = piece.end
      slots.append(piece)
      slots.sort { ($0.epoch, $0.start) < ($1.epoch, $1.start) }
      relimit()
    }
  }

  /// Takes the slots that begin before `frame`.
  mutating func take(before frame: Int) -> [UtteranceSlot] {
    let due = slots.prefix { $0.start < frame }
    slots.removeFirst(due.count)
    return Array(due)
  }

  /// Forgets everything, for another place; numbers go on.
  mutating func reset(at frame: Int) {
    slots = []
    seen = []
    recent = []
    covered = frame
  }

  /// Forgets what subtitles of another region say from a cue on: all that these say comes again.
  mutating func giveWay(to cue: SubtitleCue) {
    slots.removeAll { !$0.text.isEmpty && ($0.epoch > cue.epoch || ($0.epoch == cue.epoch && $0.end > cue.start)) }
    seen = []
    recent = []
  }

  /// The timeline goes on at `frame`, which may lie before what was expected.
  mutating func uncover(from frame: Int) { covered = min(covered, frame) }

  private mutating func relimit() {
    for index in slots.indices where index + 1 < slots.count && slots[index + 1].epoch == slots[index].epoch {
      slots[index].limit = slots[index + 1].start
    }
  }

  /// What a caption adds to those before: captions that roll up say their upper lines again, those that are painted on
  /// the beginning of the line. What comes again after a pause is said again.
  private func newPart(of cue: SubtitleCue) -> String {
    recent.filter {
      $0.epoch == cue.epoch && cue.language == $0.language && cue.start > $0.start
        && cue.start - $0.end <= Self.rollPause
    }.map { Self.newPart(of: cue.text, after: $0.text) }.min { $0.utf8.count < $1.utf8.count } ?? cue.text
  }

  private static func newPart(of text: String, after before: String) -> String {
    let said = before.split(whereSeparator: \.isNewline)
    var lines = text.split(whereSeparator: \.isNewline)
    for count in (1...max(1, min(said.count, lines.count))).reversed() where count <= min(said.count, lines.count) {
      guard zip(said.suffix(count), lines).allSatisfy({ $1 == $0 || $1.hasPrefix($0 + " ") }),
        zip(said.suffix(count).dropLast(), lines).allSatisfy({ $0 == $1 })
      else { continue }
      let grown = lines[count - 1].dropFirst(said[said.count - 1].count)
      lines.removeFirst(count)
      return ([grown] + lines).joined(separator: "\n")
    }
    return text
  }

  /// What of a subtitle is spoken: no sounds in brackets, no notes, no dashes of dialogue, no speakers' names in capitals.
  static func spoken(_ text: String) -> String {
    // Where all is in capitals, nobody can tell.
    let text =
      text.contains(where: \.isLowercase)
      ? text.split(whereSeparator: \.isNewline).map(withoutName).joined(separator: "\n") : text
    var depth = 0
    var kept = ""
    // What is never closed is no note: `:(`.
    var closing = text.count { ")]}）】］".contains($0) }
    for character in text {
      switch character {
      case "[", "(", "{", "（", "【", "［": if closing > depth { depth += 1 }
      case "]", ")", "}", "）", "】", "］": (depth, closing) = (max(0, depth - 1), closing - 1)
      case "♩", "♪", "♫", "♬", "🎵", "🎶", "*", "_": break
      default: if depth == 0 { kept.append(character.isNewline ? " " : character) }
      }
    }
    // A song stands between hash signs; in `C#` and `#1` they are said.
    let words = kept.split(separator: " ").filter { !["-", "–", "—", "#", "##", ">>", ">>>"].contains($0) }
    // `-5` is a number.
    let joined = words.map { $0.first == "-" && $0.dropFirst().first?.isNumber == false ? $0.dropFirst() : $0 }
      .joined(separator: " ")
    return joined.contains { $0.isLetter || $0.isNumber } ? joined : ""
  }

  /// A line without the name of who speaks it: a word or two in capitals before its colon, and how it is spoken.
  private static func withoutName(_ line: Substring) -> Substring {
    guard let colon = line.firstIndex(of: ":") else { return line }
    let said = line[line.index(after: colon)...]
    var speaker = line[..<colon]
    if let last = speaker.last, "])".contains(last) { speaker = speaker.prefix { !"[(".contains($0) } }
    let name = speaker.drop { $0.isWhitespace || "-–—>".contains($0) }.split(separator: " ")
    let isName =
      (1...2).contains(name.count) && said.first?.isWhitespace != false
      && name.allSatisfy { word in
        word.contains(where: \.isLetter) && word.allSatisfy { !$0.isLetter || $0.isUppercase }
      }
    return isName ? said : line
  }
}
