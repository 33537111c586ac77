import Foundation
import Hardware
import JSON
import Runtime
import SimulatedHardware
import Testing

/// The list of takes by the eight keys alone, from search to undo.
@Suite struct LibraryKeysTests {
  @Test func `Somebody renames, searches, makes a favourite, tags, copies, exports, deletes, takes it back`() throws {
    let first = try RuntimeBench()
    #expect(
      try first.run(
        """
        0 call settings.set {"recording.format":"wav","recording.preRecordSeconds":0}
        1 press REC
        2 press STOP
        3 press REC
        4 press STOP
        5 press REC
        6 press STOP
        7 quit
        """) == nil)
    let ids = try first.memory.list("recordings").map(\.name).filter { $0.hasSuffix(".wav") }.sorted()
    try #require(ids.count == 3)
    let bench = try RuntimeBench(continuing: first)
    var script = """
      0.6 call library.tag {"id":"\(ids[1])","add":["radio"]}

      """
    var time = 1.0
    func act(_ lines: String...) {
      for line in lines {
        script += "\((time * 10).rounded() / 10) \(line)\n"
        time += line.hasPrefix("hold") ? 1 : 0.3
      }
    }
    func press(_ key: String, _ times: Int = 1) { for _ in 0..<times { act("press \(key)") } }
    // The first take gets a name: h, a; done is the row below the letters.
    press("DOWN", 3)
    act("expect screen files", "hold LEFT 0.7", "expect screen menu")
    press("DOWN", 8)
    press("CENTRE")
    act("expect screen name")
    press("RIGHT", 7)
    press("CENTRE")
    press("LEFT", 7)
    press("CENTRE")
    press("DOWN", 3)
    press("CENTRE")
    time += 0.5
    act("expect screen menu")
    press("STOP", 2)
    press("DOWN")
    act("expect screen files", "hold LEFT 0.7", "expect screen menu")
    // Search: h, the eighth letter.
    press("DOWN", 4)
    press("CENTRE")
    act("expect screen search")
    press("RIGHT", 7)
    press("CENTRE")
    press("STOP")
    act("expect screen files", "call panel.state", "hold LEFT 0.7")
    // A favourite, and with the one tag that there is.
    press("DOWN")
    press("CENTRE")
    press("DOWN")
    press("CENTRE")
    act("expect screen tags")
    press("CENTRE")
    // And with a new one: a.
    press("DOWN")
    press("CENTRE")
    act("expect screen name")
    press("CENTRE")
    press("DOWN", 3)
    press("CENTRE")
    act("expect screen tags")
    press("STOP")
    press("UP")
    press("DOWN", 2)
    press("CENTRE")
    act("expect screen info", "call panel.state")
    press("STOP")
    // Copy, and delete the copy, which is the newest of what was found.
    press("DOWN", 4)
    press("CENTRE")
    time += 1
    // To the stick, which is put in when the screen asks for it.
    press("DOWN", 2)
    press("CENTRE")
    act("expect screen stick", "call panel.state", "fault stick in")
    time += 1.5
    press("CENTRE")
    time += 2
    act("expect notice exported")
    press("STOP")
    press("DOWN", 2)
    press("CENTRE")
    act("expect screen deleteQuestion")
    press("CENTRE")
    time += 0.5
    act("call library.list", "expect notice deleted")
    press("LEFT")
    time += 0.5
    act("call library.list", "quit")
    #expect(try bench.run(script) == nil)

    let texts = bench.results("panel.state").map { ($0["texts"]?.arrayValue ?? []).compactMap(\.stringValue) }
    #expect(texts[0].contains("Ha") && !texts[0].contains("Take 3"), "\(texts[0])")
    #expect(texts[1].contains("WAV 128k 8 kHz x1") || texts[1].contains { $0.hasPrefix("WAV") }, "\(texts[1])")
    #expect(texts[2].contains("No stick") && texts[2].contains("Put a USB stick in"), "\(texts[2])")
    let exported = try bench.stick.list("Mynah").map(\.name)
    #expect(exported.count == 2 && exported.allSatisfy { $0.hasPrefix("Ha") }, "\(exported)")
    let lists = bench.results("library.list").map { $0["takes"]?.arrayValue ?? [] }
    try #require(lists.count == 2)
    #expect(lists[0].map { $0["name"] }.count == 3)
    #expect(lists[0].allSatisfy { $0["name"] != "Ha copy" })
    let copy = try #require(lists[1].first)
    #expect(lists[1].count == 4 && copy["name"] == "Ha copy")
    #expect(copy["tags"] == ["radio", "A"] && copy["favourite"] == true)
    let harbour = try #require(lists[1].last)
    #expect(harbour["name"] == "Ha" && harbour["tags"] == ["radio", "A"] && harbour["favourite"] == true)
  }
}
