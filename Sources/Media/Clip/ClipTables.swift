/// The sample tables of a clip's final `moov` (ISO 14496-12, 8.6.1.2, 8.6.2, 8.7.3 to 8.7.5).
extension ClipSamples {
  /// `stts`, `stss`, `stsc`, `stsz` and `stco` or `co64` of the pictures.
  ///
  /// - Parameter allKeyframes: every picture can be decoded by itself; then `stss` is left out.
  func writePictureTables(_ writer: inout ByteWriter, allKeyframes: Bool) {
    writer.fullBox("stts") { box in
      let runs = Self.runs(pictures.deltas)
      box.big32(UInt32(runs.count))
      for run in runs {
        box.big32(UInt32(run.count))
        box.big32(run.value)
      }
    }
    if !allKeyframes {
      writer.fullBox("stss") { box in
        box.big32(UInt32(pictures.keyframes.count))
        for number in pictures.keyframes { box.big32(number + 1) }
      }
    }
    places(pictures, &writer)
  }

  /// The same of the sound.
  ///
  /// - Parameter end: media time at which it ends, within the last piece.
  func writeSoundTables(_ writer: inout ByteWriter, end: Int) {
    var runs: [(count: Int, value: UInt32)] = []
    func add(_ count: Int, _ delta: Int) {
      guard count > 0 else { return }
      let value = UInt32(clamping: max(1, delta))
      if let last = runs.last, last.value == value {
        runs[runs.count - 1].count += count
      } else {
        runs.append((count, value))
      }
    }
    for (index, chunk) in sound.chunks.enumerated() {
      add(chunk.count - 1, Self.soundFrames)
      let last = chunk.time + (chunk.count - 1) * Self.soundFrames
      add(1, (index + 1 < sound.chunks.count ? sound.chunks[index + 1].time : end) - last)
    }
    writer.fullBox("stts") { box in
      box.big32(UInt32(runs.count))
      for run in runs {
        box.big32(UInt32(run.count))
        box.big32(run.value)
      }
    }
    places(sound, &writer)
  }

  private func places(_ track: Track, _ writer: inout ByteWriter) {
    writer.fullBox("stsc") { box in
      let runs = Self.runs(track.chunks.map { UInt32($0.count) })
      box.big32(UInt32(runs.count))
      var number = 1
      for run in runs {
        box.big32(UInt32(number))
        box.big32(run.value)
        box.big32(1)
        number += run.count
      }
    }
    writer.fullBox("stsz") { box in
      box.big32(0)
      box.big32(UInt32(track.count))
      for size in track.sizes { box.big32(size) }
    }
    let isWide = track.chunks.contains { $0.offset > Int(UInt32.max) }
    writer.fullBox(isWide ? "co64" : "stco") { box in
      box.big32(UInt32(track.chunks.count))
      for chunk in track.chunks {
        if isWide { box.big32(UInt32(truncatingIfNeeded: chunk.offset >> 32)) }
        box.big32(UInt32(truncatingIfNeeded: chunk.offset))
      }
    }
  }

  private static func runs(_ values: [UInt32]) -> [(count: Int, value: UInt32)] {
    var runs: [(count: Int, value: UInt32)] = []
    for value in values {
      if let last = runs.last, last.value == value { runs[runs.count - 1].count += 1 } else { runs.append((1, value)) }
    }
    return runs
  }
}
