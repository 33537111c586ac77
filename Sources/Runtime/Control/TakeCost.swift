internal import Appliance
internal import Dictaphone
internal import Hardware
internal import Recording

/// What says how large a take gets.
struct TakeCost {
  private let format: RecordingFormat
  /// Of compressed takes.
  private let bitrateKbps: Int?
  /// Of a sample, of others.
  private let bits: Int
  private let sound: PCMFormat
  private let hasSafetyTake: Bool

  /// The next take.
  init(_ settings: Settings, sound: PCMFormat) {
    format = settings.recordingFormat
    bitrateKbps = settings.takeBitrateKbps
    bits = settings.fileBits(of: sound.bits)
    hasSafetyTake = settings.hasSafetyTake
    self.sound = sound
  }

  /// The one that is being made: its settings may have been changed since.
  init(_ take: TakeSoFar, sound: PCMFormat) {
    format = RecordingFormat(rawValue: take.encoding.rawValue) ?? .wav
    bitrateKbps = format == .aac || format == .opus ? take.bitrateKbps : nil
    bits = format.fileBits(of: sound.bits, depth: take.fileBits ?? 0)
    hasSafetyTake = take.hasSafetyTake
    self.sound = sound
  }

  /// `AAC 192k`, `WAV 24`.
  var text: String { "\(format.text) " + (bitrateKbps.map { "\($0)k" } ?? "\(bits)") }

  /// Of the take, containers included.
  var bytesPerSecond: Int {
    // A take lasts at least as long as this says: of speech AAC takes more than its rate, by a fifth at most as measured,
    // and nobody knows how far FLAC and ALAC get.
    bitrateKbps.map { $0 * 1000 / 8 * 5 / 4 } ?? sound.sampleRate * sound.channels * bits / 8
  }

  /// The safety take included.
  var bytesUsedPerSecond: Int { bytesPerSecond * (hasSafetyTake ? 2 : 1) }
}
