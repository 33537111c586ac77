/// Puts right what a picture lasts, where one wrong bit says that it is much longer.
enum PictureLengths {
  /// A camera that comes back ends a picture of any length, and the sound is about as long then.
  private static let longest = PictureTrack.timescale / 2
  /// Ticks of a picture of which nothing else is known.
  static let ordinary = PictureTrack.timescale / 30

  /// Has a run of pictures end where the next one says that it begins.
  ///
  /// - Parameters:
  ///   - next: it begins where the lengths say.
  ///   - time: when it says that it begins itself.
  ///   - isBehindDamage: something is lost between the two.
  static func mend(
    _ last: inout MovieFragment.Run, before next: inout MovieFragment.Run, at time: Int, isBehindDamage: Bool
  ) {
    let excess = next.time - time
    guard excess > 0, time > last.time else { return }
    let usual = usual(last.samples + next.samples)
    var best: (index: Int, rest: Int)?
    for (index, sample) in last.samples.enumerated() {
      let rest = isBehindDamage ? usual : Int(sample.duration) - excess
      // It is the time that is wrong where no picture becomes more like the others.
      guard rest > 0, abs(rest - usual) < excess / 4, Int(sample.duration) - rest >= excess else { continue }
      if abs(rest - usual) < best.map({ abs($0.rest - usual) }) ?? .max { best = (index, rest) }
    }
    guard let best else { return }
    last.samples[best.index].duration = UInt32(clamping: best.rest)
    next.time = time
  }

  /// Has the last run of a file end about where its sound does.
  static func end(_ last: inout MovieFragment.Run, at heard: Int) {
    guard last.time + last.duration > heard + longest,
      let index = last.samples.indices.max(by: { last.samples[$0].duration < last.samples[$1].duration }),
      last.samples[index].duration > longest
    else { return }
    last.samples[index].duration = UInt32(clamping: last.samples.count > 1 ? usual(last.samples) : ordinary)
  }

  private static func usual(_ samples: [MovieSample]) -> Int {
    let lengths = samples.map(\.duration).sorted()
    return lengths.isEmpty ? ordinary : Int(lengths[lengths.count / 2])
  }
}
