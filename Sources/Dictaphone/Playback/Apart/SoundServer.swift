internal import Hardware
internal import Media

/// Answers a player's questions about one file: what the process does that decodes it. One thread.
public final class SoundServer {
  private let file: PlayerFile
  private var sound: TakeSound?
  /// The file a second time, for its picture.
  private var beside: TakeSound?
  private var place = 0

  /// - Parameters:
  ///   - path: of the file.
  ///   - name: by which its kind is told where its content does not.
  public init(path: String, name: String) { file = PlayerFile(id: name, path: path) }

  /// What it says before it is asked anything.
  public func opening() -> [UInt8] {
    answer { () throws(MediaError) in
      let sound = try TakeSound([file], name: file.id)
      self.sound = sound
      return .opened(
        SoundFacts(format: sound.format, codecName: sound.codecName, frames: sound.totalFrames))
    }
  }

  public func answer(to question: SoundQuestion) -> [UInt8] {
    answer { () throws(MediaError) in
      switch question {
      case .sound(let from, let count, let output): try read(from, count, output)
      case .peak(let range):
        .peak(try besideIt().peak(of: range))
      }
    }
  }

  private func answer(_ body: () throws(MediaError) -> SoundAnswer) -> [UInt8] {
    do throws(MediaError) { return try body().encoded } catch {
      return SoundAnswer.failed(error.kind, operation: error.operation, reason: error.reason).encoded
    }
  }

  private func besideIt() throws(MediaError) -> TakeSound {
    if let beside { return beside }
    let new = try TakeSound([file], name: file.id)
    beside = new
    return new
  }

  private func read(_ from: Int, _ count: Int, _ output: PCMFormat) throws(MediaError) -> SoundAnswer {
    guard var sound else {
      throw MediaError(.failed, subject: file.path, operation: "decode", reason: "it is not open")
    }
    if sound.outputFormat.sampleRate != output.sampleRate || sound.outputFormat.channels != output.channels {
      sound = try TakeSound([file], output: output, name: file.id)
      place = 0
    }
    self.sound = sound
    if place != from {
      try sound.seek(toFrame: from)
      place = from
    }
    // Behind its end there is nothing, wherever one goes.
    let isInside = from < sound.totalFrames ?? .max
    let samples = try isInside ? sound.samples(count) : []
    if samples.isEmpty, let cut = sound.cut { throw cut }
    place += samples.count / output.channels
    return .sound(from: from, samples)
  }
}
