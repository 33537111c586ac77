/// What of a clip is taken: samples, and the ranges of their times that are to be seen and heard.
struct ClipSelection {
  var pictures: Range<Int>
  var sound: Range<Int>
  /// Ranges of media time, and how long each is in units of the movie.
  var shown: [(range: Range<Int>, length: Int)] = []
  var heard: [(range: Range<Int>, length: Int)] = []

  init(all reader: ClipReader) {
    pictures = reader.pictures.indices
    sound = reader.sound.indices
    heard = reader.heard.map { ($0, $0.count) }
    shown =
      reader.shown.count == reader.heard.count
      ? zip(reader.shown, reader.heard).map { shown, heard in
        let seen = Self.movie(shown.count, reader)
        return (shown, heard.count * 2 < seen ? seen : heard.count)
      }
      : reader.shown.map { ($0, Self.movie($0.count, reader)) }
    leaveOutBeforeHole(reader)
  }

  init?(_ reader: ClipReader, _ seconds: Range<Double>) {
    let scale = Double(PictureTrack.timescale)
    let length = reader.duration
    var start = max(0, min(seconds.lowerBound, length))
    let end = max(0, min(seconds.upperBound, length))
    guard start < end else { return nil }
    // The picture that is to be seen at the start decides where it is. In a hole there is none: at its very end it is
    // the next.
    if start > 0,
      let first = Self.cut(reader.shown, Int((start * scale).rounded())..<Int((end * scale).rounded())).first,
      let edit = reader.shown.first(where: { $0.contains(first.lowerBound) })?.lowerBound
    {
      let seen = reader.pictures.lazy.map(\.seen).filter { $0 >= edit }
      let picture = seen.filter { $0 <= first.lowerBound }.max() ?? seen.min() ?? first.lowerBound
      let late = picture - first.lowerBound
      // It may last as long as the one before it, and somewhat longer.
      let rhythm = (seen.filter { $0 < picture }.max()).map { picture - $0 } ?? 0
      let early = max(MovieCloser.leastHole, min(rhythm * 5 / 2, PictureTrack.timescale))
      if -early...MovieCloser.leastHole ~= late, start + Double(late) / scale < end { start += Double(late) / scale }
    }
    let ticks = Int((start * scale).rounded())..<Int((end * scale).rounded())
    let ranges = Self.cut(reader.shown, ticks)
    guard let first = ranges.first, let last = ranges.last,
      // In a hole at the clip's start there is none before.
      let begin = reader.pictures.lastIndex(where: { $0.seen <= first.lowerBound && $0.isKeyframe })
        ?? reader.pictures.firstIndex(where: \.isKeyframe),
      let stop = reader.pictures.lastIndex(where: { $0.time < last.upperBound }), begin <= stop
    else { return nil }
    pictures = begin..<(stop + 1)
    sound = 0..<0
    let rate = Double(reader.description.timescale)
    heard = Self.cut(reader.heard, Int((start * rate).rounded())..<Int((end * rate).rounded())).map { ($0, $0.count) }
    shown =
      heard.count == ranges.count
      ? zip(ranges, heard).map { ($0, $1.length) } : ranges.map { ($0, Self.movie($0.count, reader)) }
    leaveOutBeforeHole(reader)
    guard let from = heard.first?.range.lowerBound, let to = heard.last?.range.upperBound else { return }
    // A piece of sound is only right after the one before it was decoded.
    let one = (reader.sound.firstIndex { $0.time + $0.duration > from } ?? 0) - 1
    let after = reader.sound.firstIndex { $0.time >= to } ?? reader.sound.count
    sound = max(0, one)..<max(after, max(0, one))
  }

  /// What came before a hole at the start is of no use where decoding begins anew behind it.
  private mutating func leaveOutBeforeHole(_ reader: ClipReader) {
    guard let first = shown.first?.range.lowerBound,
      let seen = reader.pictures[pictures].lazy.map(\.seen).filter({ $0 >= first }).min(),
      seen - first > MovieCloser.leastHole,
      let begin = reader.pictures[pictures].firstIndex(where: { $0.seen == seen && $0.isKeyframe })
    else { return }
    pictures = begin..<pictures.upperBound
  }

  private static func movie(_ ticks: Int, _ reader: ClipReader) -> Int {
    ticks.scaled(by: reader.description.timescale, over: PictureTrack.timescale)
  }

  /// The parts of media ranges that lie within a range of the time in which they are played one after the other.
  private static func cut(_ ranges: [Range<Int>], _ played: Range<Int>) -> [Range<Int>] {
    var before = 0
    var parts: [Range<Int>] = []
    for range in ranges {
      let part = played.clamped(to: before..<(before + range.count))
      if !part.isEmpty {
        parts.append((range.lowerBound + part.lowerBound - before)..<(range.lowerBound + part.upperBound - before))
      }
      before += range.count
    }
    return parts
  }
}
