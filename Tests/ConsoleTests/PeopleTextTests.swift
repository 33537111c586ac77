import JSON
import Testing

@testable import Console

/// What people see, to the letter.
@Suite struct PeopleTextTests {
  @Test func metadataIsATree() {
    let take: JSONValue = [
      "id": "x", "audio": ["duration": 1.5, "channels": 2], "userTags": ["a", "b"],
      "bookmarks": [["time": 1, "title": "One"], ["time": 2.25, "title": nil]],
    ]
    #expect(
      PeopleText.tree(take, 80) == [
        "id        x", "userTags  a, b", "audio:", "  channels  2", "  duration  1.5", "bookmarks:", "  - time   1",
        "    title  One", "  - time   2.25", "    title  -",
      ])
  }

  @Test func whatWasDoneIsSaidShortly() {
    #expect(PeopleText.outcome([:], 80) == ["ok"])
    #expect(PeopleText.outcome(["ignored": "locked"], 80) == ["nothing happened: locked"])
    #expect(PeopleText.outcome(["id": "x"], 80) == ["id  x"])
  }

  @Test func lengthsAndSizesAreShort() {
    #expect(
      [0, 7.26, 59.96, 60, 3599, 4046].map(PeopleText.duration) == [
        "0.0s", "7.3s", "60.0s", "1m00s", "59m59s", "1h07m26s",
      ])
    #expect(
      [0, 812, 1000, 1_250_000, 5e12, -1, .nan].map(PeopleText.bytes) == [
        "0 B", "812 B", "1.0 kB", "1.3 MB", "5.0 TB", "-", "-",
      ])
    #expect([0.05, -0.04, -12.345, 1e300].map { PeopleText.fixed($0, 1) } == ["0.1", "0.0", "-12.3", "-"])
  }
}
