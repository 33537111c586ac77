internal import Hardware

/// `_Corrupted/`: where a file goes that cannot be read, with a note that says what, why, when and how to try to
/// rescue it. Nothing there is ever overwritten or removed by the device.
struct Quarantine {
  static let directory = "_Corrupted"

  let disk: Disk

  /// Writes the note, then moves the file, so that a crash in between leaves the file where it was and a second
  /// attempt finishes the job.
  ///
  /// - Returns: the path of the file in `_Corrupted/`; `nil` if there was no such file.
  @discardableResult
  func take(_ path: String, reason: String, advice: String, at time: WallTime) throws(LibraryError) -> String? {
    guard let entry = try disk.entry(path) else { return nil }
    // Settings are read before the folders are made, and people may remove this one.
    try disk.makeDirectory(Self.directory)
    let target = try freePath(for: entry.name)
    try disk.replace(
      "\(target).txt", with: note(path: path, entry: entry, target: target, reason: reason, advice: advice, at: time))
    return try disk.moveIfPresent(path, to: target) ? target : nil
  }

  /// `_Corrupted/name`, or `_Corrupted/name~2.m4a` and so on if that is taken.
  private func freePath(for name: String) throws(LibraryError) -> String {
    let (stem, suffix) = TakeName.split(name)
    var count = 1
    while true {
      let candidate = count == 1 ? "\(Self.directory)/\(name)" : "\(Self.directory)/\(stem)~\(count)\(suffix)"
      if try disk.entry(candidate) == nil { return candidate }
      count += 1
    }
  }

  private func note(
    path: String, entry: StorageEntry, target: String, reason: String, advice: String, at time: WallTime
  ) -> [UInt8] {
    let text = """
      What:  \(path.shown), \(entry.size) bytes, last changed \(entry.modified.iso8601).
      Now:   \(target.shown)
      Why:   \(reason.shown)
      When:  \(time.iso8601) by the device's clock.
      How to try to rescue it:
      \(advice)

      """
    return Array(text.utf8)
  }
}

/// What the notes advise.
enum RescueAdvice {
  static let sound = """
    Copy the file to a computer before trying anything. A player that guesses more than this device does
    (ffplay, VLC) may still play it. To save what can be decoded:
      ffmpeg -err_detect ignore_err -i FILE rescued.wav
    If the beginning of a WAV is gone, the rest is raw samples (see the .json for rate and channels):
      sox -t raw -r 48000 -e signed -b 16 -c 2 FILE rescued.wav
    """
  static let metadata = """
    It is text in JSON. The sound it belongs to is not affected. Names, marks and tags that can still be read in it
    can be entered again on the device.
    """
  static let orphan = """
    It describes a sound file that is not in recordings/ any more. If that file is found elsewhere (another card,
    a computer), put both back into recordings/ with their old names.
    """
  static let clip = """
    Copy the file to a computer before trying anything. To save what can be decoded:
      ffmpeg -err_detect ignore_err -i FILE -c copy rescued.mp4
    """
}
