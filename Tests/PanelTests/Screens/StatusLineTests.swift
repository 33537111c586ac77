import Appliance
import Hardware
import TestSupport
import Testing

@testable import Panel

@Suite struct StatusLineTests {
  @Test("The line says what is done, how long, how loud and to which take")
  func words() {
    var state = State()
    state.dictaphone = DictaphoneState(.recording)
    var readings = Readings()
    readings.takeSeconds = 4046.4
    readings.fileName = "Take 43"
    readings.levels = [LevelReading(peakDB: -17.04), LevelReading(peakDB: -20)]
    #expect(Screens.statusLine(state, readings) == "recording 1h07m26s, -17.0 dB, Take 43")
    state.dictaphone = DictaphoneState(.saving)
    #expect(Screens.statusLine(state, readings) == "saving, Take 43")
    state.dictaphone = DictaphoneState(.playing)
    readings.positionSeconds = 5
    readings.durationSeconds = 65
    #expect(Screens.statusLine(state, readings) == "playing 0m05s of 1m05s, Take 43")
  }

  @Test("At rest the line says whether REC would record, and what it would keep")
  func rest() {
    var state = State()
    var readings = Readings()
    #expect(Screens.statusLine(state, readings) == "no microphone")
    state.health.hasMicrophone = true
    #expect(Screens.statusLine(state, readings) == "ready")
    readings.preRecordSeconds = 5
    #expect(Screens.statusLine(state, readings) == "ready, pre-record 5s")
    state.health.isStorageFull = true
    #expect(Screens.statusLine(state, readings).contains("full"))
    state.health.isStorageMissing = true
    #expect(Screens.statusLine(state, readings) == "no card: put it back")
  }

  @Test("Any state and any readings have a line, and its notice is in it")
  func anything() {
    var generator = SeededGenerator(seed: 41)
    for _ in 0..<3000 {
      let state = generator.state()
      let line = Screens.statusLine(state, generator.readings())
      #expect(!line.isEmpty)
      if let notice = state.notice { #expect(line.contains(notice.text)) }
    }
  }
}
