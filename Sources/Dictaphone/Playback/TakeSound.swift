internal import Hardware
internal import Media

/// The sound of a take, in one file or, where it was split, in several that are heard as one: to the sample, without a
/// seam. One of them is open at a time. Media worker only.
final class TakeSound: PlayedSound {
  let files: [PlayerFile]
  let format: PCMFormat
  let outputFormat: PCMFormat
  let codecName: String
  private let name: String?
  private var file: SoundFile
  /// The file that is open, and where each begins, in frames of the output.
  private var open = 0
  private var starts = [0]

  /// - Parameters:
  ///   - output: rate and channels wanted; `nil` for those of the file.
  ///   - name: of the file, where its path is none.
  init(_ files: [PlayerFile], output: PCMFormat? = nil, name: String? = nil) throws(MediaError) {
    guard let first = files.first else {
      throw MediaError(.unsupported, subject: "the take", operation: "play", reason: "it has no file")
    }
    self.files = files
    self.name = name
    file = try SoundFile(path: first.path, name: name, output: output)
    format = file.format
    outputFormat = file.outputFormat
    codecName = file.codecName
    for file in files.dropLast() { starts.append((starts.last ?? 0) + scaled(file.frames)) }
  }

  var totalFrames: Int? {
    guard files.count > 1, let last = files.last, let start = starts.last else { return file.totalFrames }
    return start + scaled(last.frames)
  }

  var cut: MediaError? { file.cut }

  private func scaled(_ frames: Int) -> Int {
    guard format.sampleRate != outputFormat.sampleRate else { return frames }
    return (ClaimedNumber(frames) * ClaimedNumber(outputFormat.sampleRate)).within(0...1 << 56).map {
      $0 / format.sampleRate
    } ?? 0
  }

  func read(into target: UnsafeMutablePointer<Float>, frames: Int) throws(MediaError) -> Int? {
    while true {
      let got = try file.read(into: target, frames: frames)
      guard got == 0, frames > 0, open + 1 < files.count else { return got }
      try take(open + 1)
    }
  }

  func seek(toFrame frame: Int) throws(MediaError) {
    let wanted = starts.lastIndex { $0 <= frame } ?? 0
    if wanted != open { try take(wanted) }
    try file.seek(toFrame: frame - starts[wanted])
  }

  private func take(_ number: Int) throws(MediaError) {
    file = try SoundFile(path: files[number].path, name: name, output: outputFormat)
    open = number
  }

  func has(_ frames: Range<Int>) -> Bool { true }
  func keep(from frame: Int?) {}

  func converted(to output: PCMFormat) throws(MediaError) -> any PlayedSound {
    output == outputFormat ? self : try TakeSound(files, output: output, name: name)
  }

  /// It is made from a decoder of its own.
  func peaks() -> PeakSource? {
    guard let beside = try? TakeSound(files), let frames = beside.totalFrames, frames > 0 else { return nil }
    return PeakSource(frames: frames) { range throws(MediaError) in try beside.peak(of: range) }
  }

  /// The highest sample of some frames, 0…1.
  func peak(of range: Range<Int>) throws(MediaError) -> Float {
    try seek(toFrame: range.lowerBound)
    return min(1, try samples(range.count).reduce(0) { max($0, abs($1)) })
  }

  /// As many frames as there are, from the present place on.
  func samples(_ frames: Int) throws(MediaError) -> [Float] {
    var samples = [Float](repeating: 0, count: frames * outputFormat.channels)
    var done = 0
    while done < frames {
      let got = try samples.withUnsafeMutableBufferPointer { buffer throws(MediaError) in
        try buffer.baseAddress.map { base throws(MediaError) in
          try read(into: base + done * outputFormat.channels, frames: frames - done)
        } ?? 0
      }
      guard let got, got > 0 else { break }
      done += got
    }
    samples.removeLast((frames - done) * outputFormat.channels)
    return samples
  }
}

/// A file that is played: a take or clip, or a part of one.
public struct PlayerFile: Hashable, Sendable {
  public var id: String
  public var path: String
  /// By what is known of it; needed where another follows, or the file does not say it.
  public var frames: Int
  /// The device has not made it, and does not decode it in its own process.
  public var isForeign: Bool
  /// With the first file of a take, its shape, if it is known: 128 peaks, 0…1.
  public var overview: [Float] = []

  public init(id: String, path: String, frames: Int = 0, isForeign: Bool = false) {
    (self.id, self.path, self.frames, self.isForeign) = (id, path, frames, isForeign)
  }
}
