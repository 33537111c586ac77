import Hardware
import Testing

@testable import Appliance

/// A person with a finger on the keys who hears what is said, and sees nothing.
private struct Listener {
  var bench: Bench
  private var fingers = GestureRecogniser()
  private var gate = PromptGate()
  private(set) var heard: [Prompt] = []
  var figures = PromptFigures()

  init(_ bench: Bench, language: Language = .english) {
    self.bench = bench
    var state = bench.state
    state.settings.hasVoice = true
    state.settings.language = language
    self.bench.machine = Machine(state: state)
  }

  var last: String { heard.last?.text ?? "" }

  mutating func send(_ event: Event) {
    let before = bench.state
    let effects = bench.machine.handle(event, at: bench.now)
    let prompt = Prompter.prompt(from: before, event, effects, to: bench.state) { figures }
    heard += gate.pass(prompt, bench.state)
  }

  mutating func tap(_ button: Button) { hold(button, 80) }

  mutating func hold(_ button: Button, _ milliseconds: Int64) {
    for gesture in fingers.accept(ButtonEdge(button, isPressed: true, at: bench.now)) { send(.gesture(gesture)) }
    let end = bench.now + .milliseconds(milliseconds)
    while let due = fingers.nextDeadline, due <= end {
      bench.now = due
      for gesture in fingers.advance(to: due) { send(.gesture(gesture)) }
    }
    bench.now = end
    for gesture in fingers.accept(ButtonEdge(button, isPressed: false, at: bench.now)) { send(.gesture(gesture)) }
    bench.now = bench.now + .milliseconds(100)
  }
}

@Suite struct PromptTests {
  @Test func `A take that is kept is told with its length and its marks, and nothing is said before`() {
    var listener = Listener(.doing(.idle))
    listener.tap(.rec)
    listener.send(.recorder(.started(.take(2), preRecorded: 0)))
    listener.tap(.centre)
    listener.send(.recorder(.marked(frame: 48_000)))
    listener.tap(.stop)
    #expect(listener.heard.isEmpty, "\(listener.heard)")
    listener.send(.recorder(.saved(.take(2), .user)))
    #expect(listener.last == "Kept: Take 2, 1 minute, 1 mark. Ready.")
  }

  @Test func `With headphones it is said during a take, too`() {
    var bench = Bench.doing(.idle)
    var state = bench.state
    state.settings.speaksWhileRecording = true
    bench.machine = Machine(state: state)
    var listener = Listener(bench)
    listener.tap(.rec)
    #expect(listener.last == "Recording.")
    #expect(listener.heard.last?.urgency == .interrupts)
  }

  @Test func `What is grave is said after the take`() {
    var listener = Listener(.doing(.recording))
    listener.send(.storage(.low))
    #expect(listener.heard.isEmpty)
    listener.tap(.stop)
    listener.send(.recorder(.saved(.take(2), .user)))
    #expect(listener.heard.count == 2)
    #expect(listener.heard.first?.text.hasPrefix("Kept: Take 2") == true)
    #expect(listener.last == "Storage is nearly full.")
    #expect(listener.heard.last?.urgency == .follows)
  }

  @Test func `A clip that is kept is said once, with its length`() {
    var listener = Listener(.clips())
    listener.tap(.rec)
    listener.send(.clip(.started(number: 1, source: .key, at: .zero, ends: .zero)))
    listener.send(.clip(.ended(number: 1)))
    #expect(listener.heard.isEmpty, "\(listener.heard)")
    listener.send(.clip(.completed(number: 1, .clip(4))))
    #expect(listener.bench.state.notice?.text == "Clip 4 kept.")
    #expect(listener.last.hasPrefix("Kept: Clip 4, 10 seconds."), "\(listener.heard)")
    #expect(listener.heard.allSatisfy { !$0.text.contains("Clip 4 kept") }, "\(listener.heard)")
  }

  @Test func `Nothing is said to be being saved once it is safe`() {
    var listener = Listener(.doing(.recording))
    listener.send(.storage(.full))
    listener.send(.recorder(.stopping(.storageFull)))
    #expect(listener.heard.isEmpty)
    listener.send(.recorder(.saved(.take(2), .storageFull)))
    #expect(listener.heard.first?.text.contains("Take 2 is safe") == true)
    #expect(listener.heard.allSatisfy { !$0.text.contains("is being saved") }, "\(listener.heard)")
  }

  @Test func `The list is told by its title, then row by row`() {
    var listener = Listener(.doing(.idle))
    listener.tap(.down)
    listener.send(.library(.window(start: 0, takes: [.take(3), .take(2), .take(1)], count: 3)))
    #expect(listener.heard.contains { $0.text.hasPrefix("Takes.") })
    #expect(listener.last == "Take 3, 1 minute, 1 of 3.")
    listener.tap(.down)
    #expect(listener.last == "Take 2, 1 minute, 2 of 3.")
    listener.tap(.down)
    listener.tap(.down)
    #expect(listener.last == "That is the end.")
    listener.hold(.right, 700)
    #expect(listener.last.hasPrefix("Delete take? Take 1. 1 minute. centre deletes it."))
    listener.tap(.left)
    #expect(listener.last == "Kept. Take 1, 1 minute, 3 of 3.")
    listener.hold(.right, 700)
    listener.tap(.centre)
    listener.send(.library(.deleted(.take(1))))
    #expect(listener.last.hasPrefix("Take 1 is deleted: left brings it back."))
  }

  @Test func `Of an option whose value has changed only the value is said`() {
    var listener = Listener(.doing(.idle))
    listener.hold(.centre, 700)
    #expect(listener.last == "Options. Sound, 7 rows.")
    listener.tap(.right)
    #expect(listener.last == "Sound. Quality, Medium.")
    listener.tap(.right)
    #expect(listener.last == "High.")
    listener.tap(.stop)
    #expect(listener.last == "Options. Sound, 7 rows.")
  }

  @Test func `A locked key says how to unlock`() {
    var listener = Listener(.doing(.idle))
    listener.tap(.lock)
    #expect(listener.last == "Locked. Hold lock 2 seconds to unlock.")
    listener.tap(.rec)
    #expect(listener.last == "Locked. Hold lock 2 seconds to unlock.")
    listener.hold(.lock, 2100)
    #expect(listener.last.hasPrefix("Unlocked."))
  }

  @Test func `Switching the voice off is the last thing that is said`() {
    var listener = Listener(.doing(.idle))
    listener.send(.command(.showScreen(.options)))
    while listener.bench.state.options.row.title != .screenAndVoice { listener.tap(.down) }
    listener.tap(.right)
    while listener.bench.state.options.row.key != "ui.voice" { listener.tap(.down) }
    #expect(listener.last == "Voice, On.")
    listener.tap(.left)
    #expect(listener.last == "Off.")
    let count = listener.heard.count
    listener.tap(.up)
    #expect(listener.heard.count == count)
  }

  @Test func `Date, time and zone are set by what is said alone`() {
    var listener = Listener(.doing(.idle))
    listener.send(.command(.showScreen(.clock)))
    #expect(listener.last == "Date and time.")
    listener.send(.clock(.shows(WallTime(iso8601: "2026-11-23T20:58:30Z") ?? .init(seconds: 0))))
    #expect(listener.last == "Year, 2026.")
    listener.tap(.right)
    #expect(listener.last == "Month, 11.")
    listener.tap(.up)
    #expect(listener.last == "12.")
    listener.tap(.centre)
    #expect(listener.last.contains("clock is being set"))
    listener.send(.clock(.set(WallTime(iso8601: "2026-12-23T20:58:00Z") ?? .init(seconds: 0))))
    #expect(listener.last.hasPrefix("The clock shows 2026-12-23 20:58."), "\(listener.last)")
  }

  @Test func `In Russian units agree with their numbers`() {
    #expect(SpokenAmounts.duration(3661, in: .russian) == "1 час одна́ минута")
    #expect(SpokenAmounts.duration(22, in: .russian) == "20 две секунды")
    #expect(SpokenAmounts.duration(2.5, in: .russian) == "2,5 секунды")
    #expect(SpokenText.of("Громк. ориг. -6 дБ", in: .russian) == "громкость оригинала минус 6 децибел")
    #expect(SpokenText.of("держите LOCK 2 с", in: .russian) == "держите кнопку блокировки 2 секунды")
    #expect(SpokenText.of("Пн-Пт 06:30-08:00", in: .russian) == "понедельник – пятница 06:30 до 08:00")
  }

  @Test func `Keys, units and times are said in words`() {
    #expect(SpokenText.of("hold CENTRE: options", in: .english) == "hold centre: options")
    #expect(SpokenText.of("-6 dB", in: .english) == "minus 6 decibels")
    #expect(SpokenText.of("x1.5", in: .english) == "times 1.5")
    #expect(SpokenText.of("Mark 1 at 1h07m26s.", in: .english) == "Mark 1 at 1 hour 7 minutes.")
    #expect(SpokenText.of("44.1 kHz", in: .english) == "44.1 kilohertz")
    #expect(SpokenText.of("50 %", in: .english) == "50 percent")
    #expect(SpokenText.of("Mon-Fri 06:30-08:00", in: .english) == "Monday – Friday 06:30 to 08:00")
    #expect(SpokenText.of("◀▶ …", in: .english).isEmpty || SpokenText.of("◀▶ …", in: .english) == ".")
    #expect(SpokenText.of("", in: .english).isEmpty)
  }

  @Test(arguments: Language.allCases)
  func `Every screen of every mode has a title in the language`(language: Language) {
    let benches =
      Activity.allCases.map { Bench.doing($0) } + [.clips()]
      + [DubActivity.idle, .buffering, .playing].map { Bench.dubbing($0) }
      + FeedActivity.allCases.map { Bench.feeding($0) }
    for bench in benches {
      for screen in Screen.allCases {
        var state = bench.state
        state.screen = screen
        let title = SpokenText.of(SpokenScreen(state, PromptFigures()).title, in: language)
        let isCyrillic = title.unicodeScalars.contains { (0x400...0x4FF).contains($0.value) }
        #expect(!title.isEmpty && isCyrillic == (language == .russian), "\(state.modeName) \(screen): \(title)")
      }
    }
  }
}
