internal import Hardware
internal import Media

/// What is played, as the player reads it: frames of the output, of which 0 is the first that is heard. Media worker only.
protocol PlayedSound: AnyObject {
  var files: [PlayerFile] { get }
  /// What is in the file, and what `read` gives.
  var format: PCMFormat { get }
  var outputFormat: PCMFormat { get }
  var codecName: String { get }
  /// Length, if it is known.
  var totalFrames: Int? { get }
  /// Why `read` has found an end that is not the file's; nil where it has not.
  var cut: MediaError? { get }

  /// - Returns: frames read; 0 only at the end; nil: they are not there yet.
  func read(into target: UnsafeMutablePointer<Float>, frames: Int) throws(MediaError) -> Int?
  func seek(toFrame frame: Int) throws(MediaError)
  /// Whether some frames, as far as there are any, can be read at once: from the present place on, or within what is kept.
  func has(_ frames: Range<Int>) throws(MediaError) -> Bool
  /// From now on a jump to this frame costs no waiting; nil: it may.
  func keep(from frame: Int?)
  /// The same sound at another rate and with other channels, from its beginning; this one is not used any more.
  func converted(to output: PCMFormat) throws(MediaError) -> any PlayedSound
  /// What is waited for does not come: reading fails, until another place is sought.
  func giveUp(after time: Duration)
  /// How loud it is at any place of the file, for its picture; nil where its length is not known.
  func peaks() -> PeakSource?
}

extension PlayedSound {
  func giveUp(after time: Duration) {}
}
