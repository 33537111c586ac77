import Hardware
import Streaming
import Testing

@testable import Dubbing

/// What a station says that it plays, while it is heard.
@Suite("Titles of what is dubbed")
struct DubTitleTests {
  @Test func `A title is told when its sound is heard, and not when it has come`() {
    let programme = Fixtures.programme(seconds: 30)
    programme.cues = []
    programme.titles = [
      ProgrammeTitle(frame: 0, text: "One"), ProgrammeTitle(frame: 8 * 48_000, text: "Two"),
      ProgrammeTitle(frame: 16 * 48_000, text: ""),
    ]
    let stage = Stage(programme, settings: Fixtures.settings(service: false))
    stage.player.post(.start(source: "fake", language: ""))
    var seen: [(frame: Int, title: String)] = []
    stage.run(until: 20) { _ in
      let status = stage.player.status
      if status.phase == .playing { seen.append((status.frame, status.title)) }
    }
    #expect(seen.contains { $0.frame > 17 * 48_000 })
    for (frame, title) in seen {
      let expected = frame < 8 * 48_000 ? "One" : frame < 16 * 48_000 ? "Two" : ""
      #expect(title == expected, "\(frame)")
    }
  }
}
