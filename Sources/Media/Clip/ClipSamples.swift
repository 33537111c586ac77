/// Where every picture and every piece of sound of a clip lies: what the sample tables of its `moov` are made from.
///
/// In memory: 12 bytes a picture and 4 bytes a piece of sound, some 2 MB for an hour. A plain value.
struct ClipSamples {
  /// Consecutive samples of one track.
  struct Chunk: Equatable {
    /// Place in the file of the first sample.
    var offset: Int
    /// Number of the first sample, from 0.
    var first: Int
    var count: Int
    /// Media time of the first sample, in the track's units.
    var time: Int
  }

  /// One track.
  struct Track {
    var sizes: [UInt32] = []
    /// From each sample to the next; in sound all the same, and not kept.
    var deltas: [UInt32] = []
    /// Numbers of the keyframes, from 0; of pictures only.
    var keyframes: [UInt32] = []
    var chunks: [Chunk] = []

    var count: Int { sizes.count }
    var bytes: Int { sizes.reduce(0) { $0 + Int($1) } }
  }

  static let soundFrames = 1024

  var pictures = Track()
  var sound = Track()
  /// Media time at which the last picture ends, and the last piece of sound.
  private(set) var pictureEnd = 0
  private(set) var soundEnd = 0

  /// Media time at which the first picture begins, and the first piece of sound: 0 but where the beginning is lost.
  var pictureStart: Int { pictures.chunks.first?.time ?? 0 }
  var soundStart: Int { sound.chunks.first?.time ?? 0 }

  /// Notes pictures that lie one after the other.
  mutating func addPictures(at offset: Int, time: Int, _ listed: [ClipPicture]) {
    guard !listed.isEmpty else { return }
    // A hole in front (repair only) is shown as a longer last picture.
    if pictures.count > 0, time > pictureEnd {
      pictures.deltas[pictures.count - 1] += UInt32(clamping: time - pictureEnd)
    }
    pictures.chunks.append(Chunk(offset: offset, first: pictures.count, count: listed.count, time: time))
    pictureEnd = time
    for picture in listed {
      if picture.isKeyframe { pictures.keyframes.append(UInt32(clamping: pictures.count)) }
      pictures.sizes.append(picture.bytes)
      pictures.deltas.append(picture.duration)
      pictureEnd += Int(picture.duration)
    }
  }

  /// Notes pieces of sound that lie one after the other.
  mutating func addSound(at offset: Int, time: Int, sizes: [UInt32]) {
    guard !sizes.isEmpty else { return }
    sound.chunks.append(Chunk(offset: offset, first: sound.count, count: sizes.count, time: time))
    sound.sizes += sizes
    soundEnd = time + sizes.count * Self.soundFrames
  }

  /// Makes the last picture end at `time`; pictures that would begin there or later go.
  mutating func cutPictures(at time: Int) {
    while let last = pictures.deltas.last, pictures.count > 1, pictureEnd - Int(last) >= time {
      pictureEnd -= Int(last)
      pictures.deltas.removeLast()
      pictures.sizes.removeLast()
      if pictures.keyframes.last == UInt32(clamping: pictures.count) { pictures.keyframes.removeLast() }
      if let chunk = pictures.chunks.last {
        if chunk.count == 1 {
          pictures.chunks.removeLast()
        } else {
          pictures.chunks[pictures.chunks.count - 1].count -= 1
        }
      }
    }
    guard let last = pictures.deltas.last else { return }
    let start = pictureEnd - Int(last)
    pictures.deltas[pictures.count - 1] = UInt32(clamping: max(1, time - start))
    pictureEnd = start + max(1, time - start)
  }

  /// Leaves out the pieces of sound that begin at `time` or later.
  mutating func cutSound(at time: Int) {
    while var chunk = sound.chunks.last, soundEnd - Self.soundFrames >= time {
      soundEnd -= Self.soundFrames
      sound.sizes.removeLast()
      chunk.count -= 1
      if chunk.count == 0 {
        sound.chunks.removeLast()
        soundEnd = sound.chunks.last.map { $0.time + $0.count * Self.soundFrames } ?? 0
      } else {
        sound.chunks[sound.chunks.count - 1] = chunk
      }
    }
  }
}

/// A picture of a fragment.
struct ClipPicture: Hashable {
  var bytes: UInt32
  /// Ticks to the next one.
  var duration: UInt32
  var isKeyframe: Bool
}
