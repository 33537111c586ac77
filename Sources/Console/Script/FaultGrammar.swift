public import Hardware

/// What is wrong with a fault's words.
public struct FaultGrammarError: Error, Hashable, Sendable, CustomStringConvertible {
  public let description: String
}

/// The words for faults, shared by scripts and `fault.inject`:
/// `microphone unplug|replug|overrun S|stall S`, `source unplug|replug NAME`, `storage full|ok|free MB|stall S|slow S`,
/// `stick in|out|out-after BYTES|full|read-only|ok`, `display|screen unplug|replug`,
/// `speaker unplug|replug|drift PPM`, `camera unplug|replug|stall S|garbage`,
/// `network down|up|latency S|bandwidth R`, `board heat C|cool|throttle|unthrottle|battery PERCENT|mains`,
/// `pressure cpu|memory|io PERCENT`, `pressure off`, `clock jump ±S`, `power cut`. S is in seconds, R in bits per second (`200k`, `1.5M`), or `max`.
public enum FaultGrammar {
  /// Reads a fault. Words are separated by spaces.
  public static func parse(_ text: some StringProtocol) throws(FaultGrammarError) -> Fault {
    let given = text.split { $0 == " " || $0 == "\t" }.map { String($0) }
    let words = given.map { $0.lowercased() }
    guard let device = words.first, let verbs = grammar[device] else {
      throw FaultGrammarError(
        description: "expected a fault of \(subjects.joined(separator: ", "))\(found(words.first))")
    }
    guard words.count > 1, let verb = verbs.first(where: { $0.name == words[1] }) else {
      let known = verbs.map(\.name).joined(separator: ", ")
      throw FaultGrammarError(
        description: "expected one of \(known) after \"\(device)\"\(found(words.dropFirst().first))")
    }
    switch verb.make {
    case .plain(let fault):
      guard words.count == 2 else {
        throw FaultGrammarError(description: "expected nothing after \"\(device) \(verb.name)\"\(found(words[2]))")
      }
      return fault
    case .timed(let make, let isSigned):
      guard words.count == 3, let duration = Seconds.parse(words[2], signed: isSigned) else {
        let example = isSigned ? "+3600" : "0.3"
        throw FaultGrammarError(
          description:
            "expected seconds such as \(example) after \"\(device) \(verb.name)\"\(found(words.dropFirst(2).last))")
      }
      return make(duration)
    case .rated(let make):
      guard words.count == 3, let rate = Self.rate(words[2]) else {
        throw FaultGrammarError(
          description:
            "expected bits per second such as 200k, or max, after \"\(device) \(verb.name)\"\(found(words.dropFirst(2).last))"
        )
      }
      return make(rate == 0 ? nil : rate)
    case .counted(let make, let range):
      guard words.count == 3, let number = Int(words[2]), range.contains(number) else {
        throw FaultGrammarError(
          description: "expected a number from \(range.lowerBound) to \(range.upperBound) after"
            + " \"\(device) \(verb.name)\"\(found(words.dropFirst(2).last))")
      }
      return make(number)
    case .named(let make):
      guard words.count > 2 else {
        throw FaultGrammarError(description: "expected a name after \"\(device) \(verb.name)\"")
      }
      // As it was given: microphones have capital letters and blanks in their names.
      return make(given[2...].joined(separator: " "))
    }
  }

  /// Bits per second, with `k` or `m` for thousands or millions; 0 for `max`.
  private static func rate(_ word: String) -> Int? {
    guard word != "max" else { return 0 }
    let scale: Int64 = word.hasSuffix("k") ? 1000 : word.hasSuffix("m") ? 1_000_000 : 1
    guard let number = Seconds.parse(scale == 1 ? word : String(word.dropLast())) else { return nil }
    let (bits, isTooMuch) = number.nanoseconds.multipliedReportingOverflow(by: scale)
    return isTooMuch || bits < 1_000_000_000 ? nil : Int(bits / 1_000_000_000)
  }

  /// The words for a fault; `parse` reads them back.
  public static func text(_ fault: Fault) -> String {
    switch fault {
    case .microphoneUnplug: "microphone unplug"
    case .microphoneReplug: "microphone replug"
    case .microphoneOverrun(let duration): "microphone overrun \(Seconds.text(nanoseconds: duration.nanoseconds))"
    case .microphoneStall(let duration): "microphone stall \(Seconds.text(nanoseconds: duration.nanoseconds))"
    case .sourceUnplug(let name): "source unplug \(name)"
    case .sourceReplug(let name): "source replug \(name)"
    case .storageFull: "storage full"
    case .storageOK: "storage ok"
    case .storageFree(let megabytes): "storage free \(megabytes)"
    case .storageSlow(let duration): "storage slow \(Seconds.text(nanoseconds: duration.nanoseconds))"
    case .storageStall(let duration): "storage stall \(Seconds.text(nanoseconds: duration.nanoseconds))"
    case .stickIn: "stick in"
    case .stickOut: "stick out"
    case .stickOutAfter(let bytes): "stick out-after \(bytes)"
    case .stickFull: "stick full"
    case .stickReadOnly: "stick read-only"
    case .stickOK: "stick ok"
    case .displayUnplug: "display unplug"
    case .displayReplug: "display replug"
    case .screenUnplug: "screen unplug"
    case .screenReplug: "screen replug"
    case .speakerUnplug: "speaker unplug"
    case .speakerReplug: "speaker replug"
    case .speakerDrift(let parts): "speaker drift \(parts)"
    case .cameraUnplug: "camera unplug"
    case .cameraReplug: "camera replug"
    case .cameraStall(let duration): "camera stall \(Seconds.text(nanoseconds: duration.nanoseconds))"
    case .cameraGarbage: "camera garbage"
    case .networkDown: "network down"
    case .networkUp: "network up"
    case .networkLatency(let duration): "network latency \(Seconds.text(nanoseconds: duration.nanoseconds))"
    case .networkBandwidth(let rate): "network bandwidth \(rate.map { String($0) } ?? "max")"
    case .clockJump(let duration):
      "clock jump \(duration < .zero ? "" : "+")\(Seconds.text(nanoseconds: duration.nanoseconds))"
    case .powerCut: "power cut"
    case .board(let fault): text(fault)
    }
  }

  private static func text(_ fault: BoardFault) -> String {
    switch fault {
    case .heat(let degrees): "board heat \(degrees)"
    case .cool: "board cool"
    case .throttle(let isOn): isOn ? "board throttle" : "board unthrottle"
    case .battery(let percent): percent.map { "board battery \($0)" } ?? "board mains"
    case .cpuPressure(let percent): "pressure cpu \(percent)"
    case .memoryPressure(let percent): "pressure memory \(percent)"
    case .ioPressure(let percent): "pressure io \(percent)"
    case .noPressure: "pressure off"
    }
  }

  /// The words that may follow `words`, for completion.
  static func continuations(after words: [String]) -> [String] {
    switch words.count {
    case 0: subjects
    case 1: grammar[words[0].lowercased()]?.map(\.name) ?? []
    default: []
    }
  }

  /// In the order in which help lists them.
  static let subjects = [
    "microphone", "source", "storage", "stick", "speaker", "display", "screen", "camera", "network", "board",
    "pressure",
    "clock", "power",
  ]

  private enum Make: Sendable {
    case plain(Fault)
    case timed(@Sendable (Duration) -> Fault, signed: Bool)
    case rated(@Sendable (Int?) -> Fault)
    case counted(@Sendable (Int) -> Fault, ClosedRange<Int>)
    case named(@Sendable (String) -> Fault)
  }

  private struct Verb: Sendable {
    let name: String
    let make: Make
  }

  private static let grammar: [String: [Verb]] = [
    "microphone": [
      Verb(name: "unplug", make: .plain(.microphoneUnplug)), Verb(name: "replug", make: .plain(.microphoneReplug)),
      Verb(name: "overrun", make: .timed({ .microphoneOverrun($0) }, signed: false)),
      Verb(name: "stall", make: .timed({ .microphoneStall($0) }, signed: false)),
    ],
    "source": [
      Verb(name: "unplug", make: .named { .sourceUnplug($0) }),
      Verb(name: "replug", make: .named { .sourceReplug($0) }),
    ],
    "storage": [
      Verb(name: "full", make: .plain(.storageFull)), Verb(name: "ok", make: .plain(.storageOK)),
      Verb(name: "free", make: .counted({ .storageFree(megabytes: $0) }, 0...1_048_576)),
      Verb(name: "stall", make: .timed({ .storageStall($0) }, signed: false)),
      Verb(name: "slow", make: .timed({ .storageSlow($0) }, signed: false)),
    ],
    "stick": [
      Verb(name: "in", make: .plain(.stickIn)), Verb(name: "out", make: .plain(.stickOut)),
      Verb(name: "out-after", make: .counted({ .stickOutAfter(bytes: $0) }, 0...(1 << 40))),
      Verb(name: "full", make: .plain(.stickFull)), Verb(name: "read-only", make: .plain(.stickReadOnly)),
      Verb(name: "ok", make: .plain(.stickOK)),
    ],
    "speaker": [
      Verb(name: "unplug", make: .plain(.speakerUnplug)), Verb(name: "replug", make: .plain(.speakerReplug)),
      Verb(name: "drift", make: .counted({ .speakerDrift($0) }, -1000...1000)),
    ],
    "display": [
      Verb(name: "unplug", make: .plain(.displayUnplug)), Verb(name: "replug", make: .plain(.displayReplug)),
    ],
    "screen": [
      Verb(name: "unplug", make: .plain(.screenUnplug)), Verb(name: "replug", make: .plain(.screenReplug)),
    ],
    "camera": [
      Verb(name: "unplug", make: .plain(.cameraUnplug)), Verb(name: "replug", make: .plain(.cameraReplug)),
      Verb(name: "stall", make: .timed({ .cameraStall($0) }, signed: false)),
      Verb(name: "garbage", make: .plain(.cameraGarbage)),
    ],
    "network": [
      Verb(name: "down", make: .plain(.networkDown)), Verb(name: "up", make: .plain(.networkUp)),
      Verb(name: "latency", make: .timed({ .networkLatency($0) }, signed: false)),
      Verb(name: "bandwidth", make: .rated({ .networkBandwidth($0) })),
    ],
    "board": [
      Verb(name: "heat", make: .counted({ .board(.heat($0)) }, 0...150)),
      Verb(name: "cool", make: .plain(.board(.cool))),
      Verb(name: "throttle", make: .plain(.board(.throttle(true)))),
      Verb(name: "unthrottle", make: .plain(.board(.throttle(false)))),
      Verb(name: "battery", make: .counted({ .board(.battery($0)) }, 0...100)),
      Verb(name: "mains", make: .plain(.board(.battery(nil)))),
    ],
    "pressure": [
      Verb(name: "cpu", make: .counted({ .board(.cpuPressure($0)) }, 0...100)),
      Verb(name: "memory", make: .counted({ .board(.memoryPressure($0)) }, 0...100)),
      Verb(name: "io", make: .counted({ .board(.ioPressure($0)) }, 0...100)),
      Verb(name: "off", make: .plain(.board(.noPressure))),
    ],
    "clock": [Verb(name: "jump", make: .timed({ .clockJump($0) }, signed: true))],
    "power": [Verb(name: "cut", make: .plain(.powerCut))],
  ]

  private static func found(_ word: String?) -> String {
    word.map { ", found \"\($0.prefix(40))\"" } ?? ""
  }
}
