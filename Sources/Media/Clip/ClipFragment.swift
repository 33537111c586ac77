/// One fragment of a clip: a `moof` with a run of pictures, a run of sound or both, and their `mdat`, pictures first.
struct ClipFragment {
  /// The most of each in one fragment, so that its `moof` fits a page of 4096 bytes.
  static let mostPictures = 120
  static let mostSound = 400

  /// Sample flags (ISO 14496-12, 8.8.3.1): depends on no other; depends on others and is no sync sample.
  static let keyframeFlags: UInt32 = 0x0200_0000
  static let otherFlags: UInt32 = 0x0101_0000

  var pictureTime = 0
  var pictures: [ClipPicture] = []
  var soundTime = 0
  var sound: [UInt32] = []

  /// Bytes of a `traf` without its samples.
  private static let runBytes = 8 + 16 + 20 + 20

  /// Bytes of the `moof`.
  var headBytes: Int {
    24 + (pictures.isEmpty ? 0 : Self.runBytes + 12 * pictures.count)
      + (sound.isEmpty ? 0 : Self.runBytes + 4 * sound.count)
  }

  var pictureBytes: Int { pictures.reduce(0) { $0 + Int($1.bytes) } }
  var soundBytes: Int { sound.reduce(0) { $0 + Int($1) } }

  /// Bytes of padding (a `free` box) before a `moof` at `end`, so that it never tears: see `OldTakeBoxes.padding`.
  func padding(at end: Int) -> Int {
    let unit = headBytes <= 504 ? 512 : 4096
    return end % unit + headBytes <= unit ? 0 : max(8, unit - end % unit)
  }

  /// The `moof`, and the header of the `mdat` that follows it.
  func writeHead(sequence: Int, into writer: inout ByteWriter) {
    let head = headBytes
    writer.big32(UInt32(head))
    writer.text("moof")
    writer.fullBox("mfhd") { $0.big32(UInt32(truncatingIfNeeded: sequence)) }
    if !pictures.isEmpty {
      run(ClipBoxes.pictureTrack, pictureTime, &writer) { run in
        run.big32(0x000701)  // data offset; durations, sizes and flags of the samples
        run.big32(UInt32(pictures.count))
        run.big32(UInt32(head + 8))
        for picture in pictures {
          run.big32(picture.duration)
          run.big32(picture.bytes)
          run.big32(picture.isKeyframe ? Self.keyframeFlags : Self.otherFlags)
        }
      }
    }
    if !sound.isEmpty {
      run(ClipBoxes.soundTrack, soundTime, &writer) { run in
        run.big32(0x000201)  // data offset; sizes of the samples
        run.big32(UInt32(sound.count))
        run.big32(UInt32(head + 8 + pictureBytes))
        for size in sound { run.big32(size) }
      }
    }
    writer.big32(UInt32(8 + pictureBytes + soundBytes))
    writer.text("mdat")
  }

  private func run(_ track: UInt32, _ time: Int, _ writer: inout ByteWriter, _ content: (inout ByteWriter) -> Void) {
    writer.box("traf") { traf in
      traf.fullBox("tfhd", flags: 0x020000) { $0.big32(track) }  // default-base-is-moof
      traf.fullBox("tfdt", version: 1) { $0.big64(UInt64(max(0, time))) }
      traf.box("trun", content)
    }
  }
}
