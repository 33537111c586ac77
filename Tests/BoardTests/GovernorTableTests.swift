import Board
import Testing

@Suite struct GovernorTableTests {
  @Test func aBoardThatSaysNothingHasTheWholeLadder() throws {
    let governor = try Boards.load(builtIn: "raspberrypi-zero2w").governor
    #expect(governor.rungs == GovernorRung.allCases)
    #expect(governor.sampleSeconds == 4 && governor.fallSeconds == 4 && governor.calmSeconds == 30)
    #expect(governor[.temperature] == 80 && governor[.throttled] == 1 && governor[.battery] == 15)
  }

  @Test func theLadderAndItsLimitsAreTheBoardFiles() throws {
    let files = MemoryFiles(files: [
      "b/x.toml":
        "[governor]\nrungs = [\"ring\", \"display\"]\nsample_seconds = 2\ntemperature_c = 0\nstorage_ms = 200\n"
    ])
    let governor = try files.load("b/x.toml").governor
    #expect(governor.rungs == [.ring, .display])
    #expect(governor.sampleSeconds == 2 && governor[.temperature] == 0 && governor[.storage] == 200)
  }

  @Test func whatIsWrongSaysWhereAndWhatWasExpected() {
    #expect(
      problems(in: "[governor]\nrungs = [\"display\", \"sound\"]\n")
        == [
          "b/x.toml:2: governor.rungs: expected some of \"display\", \"preview\", \"dubbing\", \"waveform\", \"ring\", "
            + "\"bitrate\", \"framerate\", each once, found \"sound\""
        ])
    #expect(problems(in: "[governor]\nrungs = [\"ring\", \"ring\"]\n").count == 1)
    #expect(
      problems(in: "[governor]\nsample_seconds = 1\n")
        == ["b/x.toml:2: governor.sample_seconds: expected a whole number from 2 to 5 (s), found 1"])
    #expect(
      problems(in: "[governor]\nheat = 3\n").first?.hasPrefix("b/x.toml:2: unknown key \"heat\" in [governor]") == true)
  }
}
