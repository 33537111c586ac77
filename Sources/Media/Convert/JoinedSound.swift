public import Hardware

/// The sound of files one after the other, from the beginning to the end, to the sample and without a seam. One of them
/// is open at a time. Owned by one thread at a time; every call blocks on the medium and allocates.
public final class JoinedSound {
  /// What is in the first file.
  public let source: PCMFormat
  public let format: PCMFormat
  public let codecName: String
  /// Packets that could not be decoded; there is silence instead.
  public private(set) var damagedPackets = 0
  /// Frames that have been read.
  public private(set) var position = 0

  private let paths: [String]
  private let name: String?
  private var file: SoundFile
  private var open = 0

  /// - Parameters:
  ///   - paths: absolute.
  ///   - name: by which their kind is told where their content does not.
  ///   - output: nil: as it is in the first file.
  public init(_ paths: [String], name: String? = nil, output: PCMFormat? = nil) throws(MediaError) {
    guard let first = paths.first else {
      throw MediaError(.notFound, subject: "the take", operation: "open", reason: "it has no file")
    }
    self.paths = paths
    self.name = name
    file = try SoundFile(path: first, name: name, output: output)
    var source = file.format
    // Of float, which a file's format calls 24 bits.
    if file.codecName == "pcm_f32le" { source.bits = 32 }
    self.source = source
    format = file.outputFormat
    codecName = file.codecName
  }

  /// Whether the codec of the first file has left something out.
  public var isLossy: Bool { codecName != "flac" && codecName != "alac" && !codecName.hasPrefix("pcm_") }

  /// Reads up to so many frames.
  ///
  /// - Returns: 0 only at the end of the last file.
  public func read(into target: UnsafeMutablePointer<Float>, frames: Int) throws(MediaError) -> Int {
    while true {
      let got = try file.read(into: target, frames: frames)
      position += got
      guard got == 0, frames > 0 else { return got }
      damagedPackets += file.damagedPackets
      guard open + 1 < paths.count else { return 0 }
      open += 1
      file = try SoundFile(path: paths[open], name: name, output: format)
    }
  }
}
