internal import Hardware
internal import Media
internal import Streaming

/// Makes a programme of an address or of a file's path.
enum ProgrammeOpener {
  static func open(
    _ source: String, network: (any Network)?, options: HLSOptions, decoders: Decoders,
    wake: @escaping @Sendable () -> Void
  ) -> any Programme {
    // A data directory may be named from where one stands: its files do not all begin with a slash.
    if !source.holds("://") {
      do throws(MediaError) {
        return try decoders.programme(source, pictures: options.pictures, pictureBytes: options.pictureBytes)
      } catch {
        return FailedProgramme(StreamFault(error))
      }
    }
    guard let network else {
      return FailedProgramme(StreamFault("unreachable", "there is no network: clips and takes can be played"))
    }
    return StreamProgramme(url: source, network: network, options: options, wake: wake)
  }
}

/// What could not be opened: says why, and no more.
private final class FailedProgramme: Programme {
  let status: ProgrammeStatus

  init(_ fault: StreamFault) {
    var status = ProgrammeStatus()
    status.phase = .failed(fault)
    self.status = status
  }

  func step(now: Instant) -> Instant? { nil }
  func nextSound() -> SoundBlock? { nil }
  func nextCue() -> SubtitleCue? { nil }
  func nextPicture() -> ProgrammePicture? { nil }
  func rendition(language: String, from frame: Int) -> (any Programme)? { nil }
  func seek(to frame: Int) {}
  func close() {}
}
