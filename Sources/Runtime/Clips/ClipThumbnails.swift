internal import Hardware
internal import Media
internal import Panel

/// The first picture of a clip, small and grey, for lists. Storage lane; some milliseconds a clip.
enum ClipThumbnails {
  /// Points of a thumbnail: enough for the OLED's 42 × 24.
  private static let size = (width: 84, height: 48)

  /// `nil` if the file has no picture that can be decoded.
  static func picture(of file: any StoredFile) -> GreyPicture? {
    guard let reader = try? ClipReader(file), let first = reader.pictures.first(where: \.isKeyframe),
      let track = reader.description.pictures, let sample = read(file, first)
    else { return nil }
    let stream = track.codec == .h264 ? byteStream(sample, track.configuration) : sample
    let decoded = stream.withUnsafeBytes { bytes -> Picture? in
      guard let found = try? VideoDecoder.picture(of: bytes, track.codec) else { return nil }
      return found
    }
    return decoded.flatMap { grey($0) }
  }

  /// A sample of any reasonable size; `nil` if the file ends before it does.
  private static func read(_ file: any StoredFile, _ place: ClipReader.Sample) -> [UInt8]? {
    guard (1...(16 << 20)).contains(place.bytes) else { return nil }
    var sample = [UInt8](repeating: 0, count: place.bytes)
    let count = sample.withUnsafeMutableBytes { buffer -> Int in
      var done = 0
      while done < buffer.count {
        let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
        guard let got = try? file.read(into: rest, at: place.offset + done), got > 0 else { break }
        done += got
      }
      return done
    }
    return count == sample.count ? sample : nil
  }

  /// A decoded picture, scaled down.
  static func grey(_ picture: Picture) -> GreyPicture? {
    guard let whole = GreyPicture(width: picture.width, height: picture.height, luma: picture.luma) else { return nil }
    return whole.reduced(width: min(size.width, picture.width), height: min(size.height, picture.height))
  }

  /// A keyframe as a byte stream: parameter sets out of the sample description (ISO/IEC 14496-15, 5.3.3.1), start codes
  /// in the place of lengths.
  private static func byteStream(_ sample: [UInt8], _ configuration: [UInt8]) -> [UInt8] {
    let startCode: [UInt8] = [0, 0, 0, 1]
    var stream: [UInt8] = []
    for unit in AnnexB.units(ofConfiguration: configuration) { stream += startCode + unit }
    var place = 0
    while place + 4 <= sample.count {
      let length = sample[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
      guard length > 0, place + 4 + length <= sample.count else { break }
      stream += startCode + sample[(place + 4)..<(place + 4 + length)]
      place += 4 + length
    }
    return stream
  }
}
