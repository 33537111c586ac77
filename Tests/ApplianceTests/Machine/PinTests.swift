import Appliance
import Hardware
import TestSupport
import Testing

/// The PIN of the panel, by its keys.
@Suite struct PinTests {
  private func locked(pin: String = "4702") -> Bench {
    var bench = Bench.doing(.idle)
    bench.send(.command(.set(["lock.pin": .text(pin)])))
    bench.tap(.lock)
    return bench
  }

  /// Chooses each digit by UP or DOWN, whichever is nearer, and tries it.
  private func enter(_ pin: [Int], on bench: inout Bench) {
    for (place, digit) in pin.enumerated() {
      if place > 0 { bench.tap(.right) }
      for _ in 0..<min(digit, 10 - digit) { bench.tap(digit <= 5 ? .up : .down) }
    }
    bench.tap(.centre)
  }

  @Test func `The right one unlocks, found digit by digit`() {
    var bench = locked()
    bench.hold(.lock, 2100)
    #expect(bench.state.isLocked && bench.state.lock.pin.digits == [0])
    enter([4, 7, 0, 2], on: &bench)
    #expect(!bench.state.isLocked && bench.state.lock.pin == Lock().pin)
  }

  @Test func `A held UP goes on, past nine to nought; LEFT takes a digit back; there are at most eight`() {
    var bench = locked(pin: "12345678")
    bench.hold(.lock, 2100)
    bench.tap(.down)
    #expect(bench.state.lock.pin.digits == [9])
    bench.tap(.up)
    bench.hold(.up, 1500)
    #expect(bench.state.lock.pin.digits?.first.map { $0 > 2 } == true)
    for _ in 0..<9 { bench.tap(.right) }
    #expect(bench.state.lock.pin.digits?.count == 8 && bench.effects.ignored == [.atLimit])
    for _ in 0..<9 { bench.tap(.left) }
    #expect(bench.state.lock.pin.digits?.count == 1 && bench.effects.ignored == [.atLimit])
  }

  @Test(arguments: [Button.rec, .stop, .mark])
  func `A key that is not for it leaves it in sight`(key: Button) {
    var bench = locked()
    bench.hold(.lock, 2100)
    bench.tap(.up)
    bench.tap(key)
    // The hint would be drawn over it.
    #expect(bench.state.lock.pin.digits == [1] && bench.state.lock.hintUntil == nil)
    #expect(bench.effects.ignored == [.locked] && bench.effects.orders.isEmpty && bench.state.isLocked)
    bench.tap(.up)
    #expect(bench.state.lock.pin.digits == [2])
  }

  @Test func `Wrong ones cost a wait from the third on, twice as long each time, and are told`() {
    var bench = locked()
    for number in 1...12 {
      bench.hold(.lock, 2100)
      #expect(bench.state.lock.pin.digits != nil, "number \(number)")
      enter([1, 2, 3, 4], on: &bench)
      let told = bench.effects.announcements.contains { if case .error("denied", _) = $0 { true } else { false } }
      #expect(told && bench.state.isLocked)
      guard number > 2 else {
        #expect(bench.state.lock.pin.digits == [0] && bench.state.lock.pin.wasWrong)
        bench.tap(.lock)
        #expect(bench.state.lock.pin.digits == nil)
        continue
      }
      let wait = min(900, 30 << (number - 3))
      #expect(bench.state.lock.pin.digits == nil && bench.state.notice?.code == "pin")
      bench.now = bench.now + .seconds(wait - 4)
      bench.hold(.lock, 2100)
      #expect(bench.state.lock.pin.digits == nil && bench.effects.ignored == [.locked], "number \(number)")
      bench.now = bench.now + .seconds(4)
    }
    bench.hold(.lock, 2100)
    enter([4, 7, 0, 2], on: &bench)
    #expect(!bench.state.isLocked && bench.state.lock.pin.mistakes == 0)
  }

  @Test func `Wrong ones of before the restart count, and the wait begins anew`() {
    var bench = locked()
    bench.send(.pinMistakes(4))
    bench.now = bench.now + .seconds(55)
    bench.hold(.lock, 2100)
    #expect(bench.state.lock.pin.digits == nil)
    bench.now = bench.now + .seconds(4)
    bench.hold(.lock, 2100)
    #expect(bench.state.lock.pin.digits == [0] && bench.state.lock.pin.mistakes == 4)
  }

  @Test func `Whoever walks away is asked no more`() {
    var bench = locked()
    bench.hold(.lock, 2100)
    bench.tap(.up)
    bench.now = bench.now + .seconds(15)
    bench.send(.timer(.pinExpires))
    #expect(bench.state.lock.pin.digits != nil)
    bench.now = bench.now + .seconds(6)
    bench.send(.timer(.pinExpires))
    #expect(bench.state.lock.pin.digits == nil && bench.state.isLocked)
  }

  @Test func `REC and STOP mean what they do under the lock, whoever is asked`() {
    var bench = Bench.doing(.recording)
    bench.send(.command(.set(["lock.pin": .text("0000"), "lock.stopWorks": .flag(true)])))
    bench.tap(.lock)
    bench.hold(.lock, 2100)
    #expect(bench.tap(.rec).orders.isEmpty)
    bench.hold(.stop, 700)
    #expect(bench.effects.orders.contains { if case .recorder(.stop) = $0 { true } else { false } })
    #expect(bench.state.isLocked)
  }

  @Test func `The console unlocks, and another PIN ends what was being entered`() {
    var bench = locked()
    bench.hold(.lock, 2100)
    bench.send(.command(.set(["lock.pin": .text("")])))
    #expect(bench.state.lock.pin.digits == nil && bench.state.isLocked)
    bench.hold(.lock, 2100)
    #expect(!bench.state.isLocked)
    bench = locked()
    bench.hold(.lock, 2100)
    bench.send(.command(.unlock))
    #expect(!bench.state.isLocked && bench.state.lock.pin.digits == nil)
  }

  @Test func `It is four to eight digits, and never shown`() throws {
    var settings = Settings()
    for wrong in ["123", "123456789", "12a4", "１２３４", "12 4", " 1234"] {
      #expect(throws: SettingError.self) { try settings.set("lock.pin", to: .text(wrong)) }
    }
    #expect(throws: SettingError.self) { try settings.set("lock.pin", to: .integer(1234)) }
    try settings.set("lock.pin", to: .text("0042"))
    #expect(settings.value(of: "lock.pin") == .text("********") && settings.panelPin == "0042")
    do { try settings.set("lock.pin", to: .text("77x7")) } catch { #expect(!"\(error)".contains("77x7")) }
    for wrong in [SettingValue.integer(771_177), .number(771_177)] {
      for key in ["lock.pin", "dub.serviceToken"] {
        do { try settings.set(key, to: wrong) } catch { #expect(!"\(error)".contains("7711")) }
        #expect(Settings.row(of: key)?.told(wrong) == .text("********"))
      }
    }
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `Whatever is pressed, only the right digits unlock`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var bench = locked(pin: "1001")
    bench.hold(.lock, 2100)
    for _ in 0..<4000 {
      let key = Button.allCases[Int.random(in: 0..<Button.allCases.count, using: &random)]
      let digits = bench.state.lock.pin.digits
      let waits = bench.state.lock.pin.mistakes
      bench.hold(key, key == .lock ? 2100 : Int64.random(in: 20...900, using: &random))
      if !bench.state.isLocked {
        #expect(key == .centre && digits == [1, 0, 0, 1], "by \(key) with \(digits ?? [])")
        bench.tap(.lock)
      }
      #expect(bench.state.lock.pin.mistakes >= waits || bench.state.lock.pin.mistakes == 0)
      bench.now = bench.now + .seconds(Int.random(in: 0...400, using: &random))
    }
  }

  @Test func `The voice says each digit and its place`() {
    var bench = locked()
    bench.send(.command(.set(["ui.voice": .flag(true)])))
    bench.down(.lock)
    let before = bench.state
    bench.wait(2100)
    let asked = Prompter.prompt(from: before, .timer(.pinExpires), bench.effects, to: bench.state) { PromptFigures() }
    #expect(asked?.text.contains("PIN. 0, digit 1") == true, "\(asked?.text ?? "nothing")")
  }
}
