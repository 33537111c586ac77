internal import Appliance
internal import Console
internal import Doctor
internal import Hardware

/// The self-test with a technician at the device: what only eyes, ears and fingers can tell is asked, the rest is
/// measured; a report at the end is made to be printed.
final class TrialDialogue {
  private struct Row {
    let check: String
    let outcome: TrialOutcome
    let detail: String
  }

  static let methods: [any MethodDeclaration.Type] = [
    SystemSelftest.self, SystemInfo.self, SystemDoctor.self, TrialShow.self, TrialKey.self, TrialTone.self,
    TrialNote.self, ClockGet.self,
  ]

  private let call: Words.Call
  private var rows: [Row] = []
  /// None holds this dialogue: it goes with whoever is asked, at its end or not.
  private var steps: [(TrialDialogue, _ then: @escaping () -> Void) -> Void] = []
  private static let keySeconds = 15

  init(_ call: Words.Call) { self.call = call }

  func begin() {
    call.say(["answer y or n; s skips a check, ^C ends all"])
    call.call(TrialShow.self, TrialShow.Parameters()) { [self] panel in
      steps = panel.leds.map { led in { $0.look(led: led, then: $1) } }
      if panel.hasDisplay {
        for pattern in [PanelTrial.Pattern.white, .chess, .frame] {
          steps.append { $0.look(pattern: pattern, then: $1) }
        }
      }
      steps += panel.keys.map { key in { $0.press(key, then: $1) } }
      steps += [{ $0.listen(then: $1) }, { $0.probe(then: $1) }, { $0.check(then: $1) }]
      next()
    }
  }

  private func next() {
    guard !steps.isEmpty else { return report() }
    steps.removeFirst()(self, next)
  }

  private func add(_ check: String, _ outcome: TrialOutcome, _ detail: String) {
    rows.append(Row(check: check, outcome: outcome, detail: detail))
    call.ask(TrialNote.self, TrialNote.Parameters(check, outcome, detail)) { _ in }
  }

  // MARK: What is asked

  private func look(led: String, then: @escaping () -> Void) {
    let isBuzzer = led == Lamp.buzzer.rawValue
    show(TrialShow.Parameters(TrialShow.Choice(rawValue: led) ?? .all)) { [self] in
      judge(
        "led \(led)", isBuzzer ? "Does the buzzer sound?" : "Is \(led) lit, and no other LED?",
        isBuzzer ? "sounds" : "lit alone", then)
    }
  }

  private func look(pattern: PanelTrial.Pattern, then: @escaping () -> Void) {
    let question =
      switch pattern {
      case .none, .black, .white: "Are all dots of the screen lit?"
      case .chess: "Does the screen show a chess board without a line through it?"
      case .frame: "Does it show a frame at its very edge, and two diagonals?"
      }
    show(TrialShow.Parameters(.dark, pattern)) { [self] in
      judge("screen \(pattern.rawValue)", question, "as it should be", then)
    }
  }

  private func show(_ wanted: TrialShow.Parameters, then: @escaping () -> Void) {
    call.call(TrialShow.self, wanted) { _ in then() }
  }

  private func judge(_ check: String, _ question: String, _ good: String, _ then: @escaping () -> Void) {
    call.ask(question) { [self] answer in
      switch answer {
      case true?: add(check, .ok, good)
      case false?: add(check, .failed, "the technician says no")
      case nil: add(check, .skipped, "")
      }
      then()
    }
  }

  private func press(_ key: String, then: @escaping () -> Void) {
    show(TrialShow.Parameters()) { [self] in
      call.say(["press \(key) (\(Self.keySeconds) s)"])
      call.call(TrialKey.self, TrialKey.Parameters(seconds: Self.keySeconds)) { [self] answer in
        switch answer.key {
        case key?: add("key \(key)", .ok, "pressed")
        case let other?: add("key \(key)", .failed, "\(other) came instead")
        case nil: add("key \(key)", .failed, "not pressed within \(Self.keySeconds) s")
        }
        then()
      }
    }
  }

  // MARK: What is measured

  private func listen(then: @escaping () -> Void) {
    call.say(["a tone of 1 kHz plays; the microphone listens"])
    call.ask(TrialTone.self, TrialTone.Parameters()) { [self] result in
      switch result {
      case .failure(let failure): add("tone", failure.code == .deviceLost ? .skipped : .failed, failure.message)
      case .success(let heard):
        let text = zip(heard.quiet, heard.loud).map { "\(PeopleText.fixed($0, 0)) to \(PeopleText.fixed($1, 0)) dB" }
        let measured = text.joined(separator: ", ")
        add(
          "tone", heard.isHeard ? .ok : .failed,
          heard.isHeard
            ? measured : "not heard (\(measured)): lay the microphone before the speaker, or join both by cable")
      }
      then()
    }
  }

  private func probe(then: @escaping () -> Void) {
    call.say(["devices are probed: camera, storage and the others"])
    call.ask(SystemDoctor.self, NoParameters()) { [self] result in
      switch result {
      case .failure(let failure): add("devices", .failed, failure.message)
      case .success(let report):
        for finding in report.findings where finding.verdict != .absent {
          let remedy = finding.verdict.isFailure && !finding.remedy.isEmpty ? "; \(finding.remedy)" : ""
          add(finding.device, finding.verdict.isFailure ? .failed : .ok, finding.detail + remedy)
        }
      }
      then()
    }
  }

  private func check(then: @escaping () -> Void) {
    call.say(["a take is recorded, read back and compared"])
    call.ask(SystemSelftest.self, NoParameters()) { [self] result in
      switch result {
      case .failure(let failure): add("program", .failed, failure.message)
      case .success(let answer):
        for check in answer.checks { add(check.name, check.isGood ? .ok : .failed, check.detail) }
      }
      then()
    }
  }

  // MARK: The report

  private func report() {
    call.call(TrialShow.self, TrialShow.Parameters()) { [self] _ in
      call.call(ClockGet.self, NoParameters()) { [self] clock in
        call.call(SystemInfo.self, NoParameters()) { [self] info in call.show(lines(clock.local(info))) }
      }
    }
  }

  private func lines(_ info: SystemInfo.Answer) -> [String] {
    let width = min(call.width, 76)
    let rule = String(repeating: "-", count: width)
    let name = max(12, (rows.map { PeopleText.width(of: $0.check) }.max() ?? 0) + 2)
    let checks = rows.flatMap { row in
      PeopleText.wrap(
        row.detail, width: width,
        first: PeopleText.pad(row.outcome == .failed ? "FAILED" : row.outcome.rawValue, 9)
          + PeopleText.pad(row.check, name),
        rest: String(repeating: " ", count: 9 + name))
    }
    let count = { (outcome: TrialOutcome) in self.rows.count { $0.outcome == outcome } }
    return [rule, "Self-test of a Mynah", rule]
      + DeviceText.identity(info, width: width) + [rule] + checks
      + [
        rule, "\(count(.ok)) passed, \(count(.failed)) failed, \(count(.skipped)) skipped", "",
        "Tested by ____________________   Date ____________", rule,
      ]
  }
}
