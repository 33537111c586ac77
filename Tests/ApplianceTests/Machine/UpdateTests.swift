import Appliance
import Hardware
import Testing

/// An update on a stick, by the screen and one key.
@Suite struct UpdateTests {
  private static let found = Event.update(.found("mynah-0.2.raucb"))

  private static func told(_ phase: UpdateReport.Phase, percent: Int = 0, _ text: String = "") -> Event {
    .update(.told(UpdateReport(phase, percent: percent, text: text)))
  }

  @Test func `An update on the stick is asked for, and RIGHT has it installed, then started`() {
    var bench = Bench()
    bench.send(Self.found)
    #expect(bench.state.notice?.text == "Update on the stick, mynah-0.2.raucb: RIGHT installs it.")
    bench.tap(.right)
    #expect(bench.effects.orders == [.update(.install)] && bench.state.notice == nil)
    bench.send(Self.told(.checking))
    #expect(bench.state.notice?.text == "The update is being checked.")
    bench.send(Self.told(.writing, percent: 45, "0.2"))
    #expect(bench.state.notice?.text == "Update: 45 % is written.")
    bench.tap(.right)
    #expect(bench.effects.orders == [])
    bench.send(Self.told(.installed, "0.2"))
    #expect(bench.state.notice?.text == "Update 0.2 is installed: RIGHT restarts.")
    bench.tap(.right)
    #expect(bench.effects.orders == [.update(.restart)])
  }

  @Test(arguments: [Button.left, .up, .centre, .stop, .lock]) func `No other key has it installed`(key: Button) {
    var bench = Bench()
    bench.send(Self.found)
    bench.tap(key)
    #expect(bench.state.notice?.code != "update")
    #expect(!bench.effects.orders.contains(.update(.install)))
    bench.tap(.right)
    #expect(!bench.effects.orders.contains(.update(.install)))
  }

  @Test func `Nothing is offered while a take is open, and nothing is installed by a key that is for the take`() {
    var bench = Bench.doing(.recording)
    bench.send(Self.found)
    #expect(bench.state.notice == nil)
    bench = Bench()
    bench.send(Self.found)
    bench.tap(.rec)
    bench.tap(.right)
    #expect(!bench.effects.orders.contains(.update(.install)))
  }

  @Test(arguments: [
    ("unsigned: x.raucb is signed by a key that this device does not trust", "No update: it is not signed by who may."),
    ("damaged: x", "No update: it is damaged, copy it anew."),
    ("board: it is for toaster", "No update: it is for another board."),
    ("older: it is 0.1, and 0.2 runs", "No update: it is older than what runs."),
    ("http-404: https://host/x: not found", "No update: its server says http-404."),
    ("certificate: x", "No update: its server is not to be trusted."),
    ("unreachable: x", "No update: it does not come: unreachable."),
    ("interrupted: x", "No update: it does not come: interrupted."),
    ("too-large: x", "No update: it is too large."), ("storage-full: x", "No update: there is no room for it."),
    ("cancelled: x", "No update: it was ended."), ("", "No update: not now, see update on the console."),
  ]) func `What is refused is told with its reason`(text: String, words: String) {
    var bench = Bench()
    bench.send(Self.told(.refused, text))
    #expect(bench.state.notice?.text == words && bench.state.notice?.severity == .warning)
    #expect(bench.state.notice?.sentence.words.text(in: .russian).hasPrefix("Обновление отклонено: ") == true)
  }

  @Test func `How much has come is told, but never over a take`() {
    var bench = Bench()
    bench.send(Self.told(.fetching, percent: 45))
    #expect(bench.state.notice?.text == "Update: 45 % has come.")
    bench = Bench.doing(.recording)
    bench.send(Self.told(.fetching, percent: 45))
    #expect(bench.state.notice == nil)
  }

  @Test func `What became of a first start is told`() {
    var bench = Bench()
    bench.send(Self.told(.trial))
    #expect(bench.state.notice?.text == "A new version is on trial for a minute.")
    bench.send(Self.told(.good, percent: 100, "0.2"))
    #expect(bench.state.notice?.text == "Updated to 0.2.")
    bench.send(Self.told(.failed))
    #expect(bench.state.notice?.text == "No update: the version from before runs.")
  }
}
