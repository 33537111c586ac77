internal import Hardware
internal import Media
internal import Panel

/// The first picture of a clip, small and grey, for lists, a picture a step: where they refresh bit by bit (H.264,
/// D.2.8), the first that is whole comes after some that are not. Storage lane; some milliseconds a step.
final class ClipThumbnails {
  /// Points of a thumbnail: enough for the OLED's 42 × 24.
  private static let size = (width: 84, height: 48)
  /// A refresh that takes longer than this is not waited for.
  private static let mostPictures = 300

  private let file: any StoredFile
  private let room: Int
  private var isOpen = false
  /// Those still to be decoded.
  private var samples: ArraySlice<ClipReader.Sample> = []
  private var isFirst = true
  private var track: PictureTrack?
  private var decoder: VideoDecoder?
  private var picture: GreyPicture?

  /// - Parameters:
  ///   - file: closed with it.
  ///   - room: bytes of decoded pictures at a time.
  init(_ file: any StoredFile, room: Int) { (self.file, self.room) = (file, room) }

  deinit { file.close() }

  /// - Returns: nil while there is more to do; then the picture, if there is one that can be decoded.
  func step() -> GreyPicture?? {
    guard isOpen else {
      isOpen = true
      open()
      return nil
    }
    guard let decoder, let track, let place = samples.popFirst(), let sample = Self.read(file, place) else {
      return .some(finish())
    }
    let stream = track.codec == .h264 ? Self.byteStream(sample, isFirst ? track.configuration : []) : sample
    isFirst = false
    stream.withUnsafeBytes { bytes in
      do throws(MediaError) { try decoder.decode(bytes) { picture = picture ?? Self.grey($0) } } catch { samples = [] }
    }
    if picture != nil { return .some(picture) }
    return nil
  }

  private func open() {
    guard let reader = try? ClipReader(file), let first = reader.pictures.firstIndex(where: \.isKeyframe) else {
      return
    }
    track = reader.description.pictures
    decoder = track.flatMap { try? VideoDecoder($0.codec, room: room) }
    // A copy: the tables of a long film are not kept for it.
    samples = Array(reader.pictures[first...].prefix(Self.mostPictures))[...]
  }

  private func finish() -> GreyPicture? {
    do throws(MediaError) { try decoder?.finish { picture = picture ?? Self.grey($0) } } catch { return nil }
    return picture
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
    let (width, height) = (min(size.width, picture.width), min(size.height, picture.height))
    // Of another shape than the screen's place for it, it keeps its own.
    let isWide = picture.width * height >= picture.height * width
    return whole.reduced(
      width: isWide ? width : max(1, height * picture.width / picture.height),
      height: isWide ? max(1, width * picture.height / picture.width) : height)
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
