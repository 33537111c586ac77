internal import Glibc
public import Hardware

/// Opens a sound device as the appliance would, and runs it for a moment.
public struct SoundProbe: Probe {
  private let device: String
  private let pcm: String
  private let request: SoundRequest
  private let direction: SoundDirection
  private let open: @Sendable (_ pcm: String) -> any SoundTrial

  /// The board's microphone.
  public static func microphone(pcm: String, request: SoundRequest) -> SoundProbe {
    SoundProbe("microphone", pcm: pcm, request: request, direction: .capture) { MicrophoneTrial(pcm: $0) }
  }

  /// The board's speaker; plays silence.
  public static func speaker(pcm: String, request: SoundRequest) -> SoundProbe {
    SoundProbe("speaker", pcm: pcm, request: request, direction: .playback) { SpeakerTrial(pcm: $0) }
  }

  init(
    _ device: String, pcm: String, request: SoundRequest, direction: SoundDirection,
    open: @escaping @Sendable (String) -> any SoundTrial
  ) {
    self.device = device
    self.pcm = pcm
    self.request = request
    self.direction = direction
    self.open = open
  }

  public func examine() -> [DeviceFinding] {
    var facts = SoundFacts.asked(request)
    let trial = open(pcm)
    do throws(DeviceError) {
      let grant = try trial.open(request)
      facts.merge(SoundFacts.granted(grant)) { _, new in new }
      let outcome = try trial.run(grant)
      facts.merge(outcome.facts) { _, new in new }
      return [judge(grant, outcome, facts)]
    } catch {
      return [explain(error, facts)]
    }
  }

  /// What it granted against what was asked for, and whether sound moves.
  private func judge(_ grant: SoundGrant, _ outcome: SoundOutcome, _ facts: [String: Fact]) -> DeviceFinding {
    let detail = "\(SoundFacts.text(grant)); \(outcome.text)"
    func finding(_ verdict: Verdict, _ note: String = "", _ remedy: String = "") -> DeviceFinding {
      DeviceFinding(
        device, place: pcm, verdict, note.isEmpty ? detail : "\(note); \(detail)", remedy: remedy, facts: facts)
    }
    guard outcome.frames > 0 else {
      return finding(.failed, "opened, but no sound moves", "plug it in again; dmesg tells what the kernel saw")
    }
    if grant.format.sampleRate != request.format.sampleRate || grant.format.channels != request.format.channels {
      let asked = "\(request.format.sampleRate) Hz, \(request.format.channels) channels were asked for"
      return finding(
        .limited, asked, "set \(device).rate and \(device).channels in the board file to what the device has")
    }
    if outcome.isSilent {
      return finding(
        .limited, "only digital silence is heard",
        "check the wires and the mute switch; alsamixer -V capture shows the card's own controls")
    }
    return finding(.works)
  }

  private func explain(_ error: DeviceError, _ facts: [String: Fact]) -> DeviceFinding {
    var finding = DeviceFinding(device, place: pcm, error, facts: facts)
    switch error.kind {
    case .busy:
      guard let owner = SoundOwner.find(device: pcm, direction: direction) else { break }
      let holder = Holder(task: owner.process)
      finding.facts["holder"] = .integer(holder.process)
      finding.detail = "\(holder.text) has it"
      if holder.isMynah {
        finding.verdict = .inUse
        finding.remedy = ""
        let negotiated = SoundFacts.running(ProcText.read("\(owner.folder)/hw_params"))
        finding.facts.merge(negotiated.facts) { _, new in new }
        if !negotiated.text.isEmpty { finding.detail += ": \(negotiated.text)" }
      } else {
        finding.remedy = "stop \(holder.name)"
      }
    case .missing:
      let others = ALSACards.list().filter { direction == .capture ? $0.canCapture : $0.canPlay }
      finding.detail = "there is no such sound device"
      finding.remedy =
        others.isEmpty
        ? "plug it in; no card of this machine can \(direction == .capture ? "record" : "play")"
        : "plug it in, or name another in the board file: "
          + others.map { "\($0.pcm) (\($0.cardName))" }.joined(separator: ", ")
    default: break
    }
    return finding
  }
}

/// How sound devices are told in words and in facts.
enum SoundFacts {
  static func asked(_ request: SoundRequest) -> [String: Fact] {
    [
      "askedSampleRate": .integer(request.format.sampleRate), "askedChannels": .integer(request.format.channels),
      "askedBits": .integer(request.format.bits), "askedPeriodFrames": .integer(request.periodFrames),
      "askedBufferFrames": .integer(request.bufferFrames),
    ]
  }

  static func granted(_ grant: SoundGrant) -> [String: Fact] {
    [
      "sampleRate": .integer(grant.format.sampleRate), "channels": .integer(grant.format.channels),
      "bits": .integer(grant.format.bits), "sampleType": .text(grant.sampleType),
      "periodFrames": .integer(grant.periodFrames), "bufferFrames": .integer(grant.bufferFrames),
      "periodMicroseconds": .integer(microseconds(grant.periodFrames, grant.format.sampleRate)),
      "bufferMicroseconds": .integer(microseconds(grant.bufferFrames, grant.format.sampleRate)),
      "timestamps": .text(grant.timestamps),
    ]
  }

  static func text(_ grant: SoundGrant) -> String {
    let rate = max(1, grant.format.sampleRate)
    return "\(rate) Hz, \(grant.format.channels) channels, \(grant.sampleType), period \(grant.periodFrames) "
      + "(\(milliseconds(grant.periodFrames, rate)) ms), buffer \(grant.bufferFrames) "
      + "(\(milliseconds(grant.bufferFrames, rate)) ms), \(grant.timestamps) timestamps"
  }

  /// Parameters of a stream that another process runs, from `hw_params` of /proc/asound.
  static func running(_ parameters: String) -> (text: String, facts: [String: Fact]) {
    var facts: [String: Fact] = [:]
    var words: [String] = []
    let names = [
      "format": "sampleType", "channels": "channels", "rate": "sampleRate", "period_size": "periodFrames",
      "buffer_size": "bufferFrames",
    ]
    for line in parameters.split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2, let name = names[String(parts[0])], let value = parts[1].split(separator: " ").first
      else { continue }
      facts[name] = Int(value).map { .integer($0) } ?? .text(String(value))
      words.append("\(parts[0]) \(value)")
    }
    return (words.joined(separator: ", "), facts)
  }

  private static func microseconds(_ frames: Int, _ rate: Int) -> Int { frames * 1_000_000 / max(1, rate) }

  /// With one digit after the point.
  private static func milliseconds(_ frames: Int, _ rate: Int) -> String {
    let tenths = (frames * 10_000 + rate / 2) / rate
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
  }
}
