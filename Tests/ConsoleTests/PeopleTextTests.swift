import JSON
import Testing

@testable import Console

/// What people see, to the letter.
@Suite struct PeopleTextTests {
  private func transcript(_ line: String, _ answers: [String: JSONValue]) -> [String] {
    let bench = Bench()
    bench.start()
    for (method, answer) in answers { bench.performer.answers[method] = .success(answer) }
    bench.type(line + "\r")
    return Array(bench.screen().dropFirst().dropLast())
  }

  @Test func statusTellsWhatTheDeviceIsDoing() {
    let lines = transcript(
      "status",
      [
        "panel.state": [
          "mode": "dictaphone.recording", "locked": true, "leds": ["REC": "on", "STATUS": "off"],
          "notice": ["code": "storage-low", "text": "Little space is left on the card."],
        ],
        "recorder.status": [
          "activity": "recording", "id": "000042_2026-11-20T21-54-00Z.m4a", "seconds": 4046.2, "format": "aac",
          "sampleRate": 48_000, "channels": 2, "secondsLeft": 36_000,
        ],
        "player.status": ["state": "stopped"],
      ])
    #expect(
      lines == [
        "mode       dictaphone.recording, locked",
        "notice     Little space is left on the card.",
        "leds       REC on, STATUS off",
        "take       000042_2026-11-20T21-54-00Z.m4a, 1h07m26s",
        "format     aac 48000 Hz stereo",
        "time left  10h00m00s",
      ])
  }

  @Test func takesAreATable() {
    let take: JSONValue = [
      "id": "000042_2026-11-20T21-54-00Z.m4a", "name": "Interview", "seconds": 65.04, "bytes": 1_234_567,
    ]
    let long: JSONValue = [
      "id": "000043_2026-11-20T21-54-00Z.m4a", "name": "A name that is much too long for any table of this width",
      "seconds": 4046, "bytes": 98_765_432,
    ]
    #expect(
      transcript("list", ["library.list": ["total": 7, "offset": 0, "takes": [take, long]]]) == [
        "take                             name                            length     size",
        "000042_2026-11-20T21-54-00Z.m4a  Interview                        1m05s   1.2 MB",
        "000043_2026-11-20T21-54-00Z.m4a  A name that is much too l...  1h07m26s  98.8 MB",
        "1 to 2 of 7",
      ])
    #expect(transcript("list", ["library.list": ["total": 0, "takes": []]]) == ["no takes"])
    #expect(
      transcript("list", ["library.list": ["total": 0, "pending": 2, "takes": []]]) == [
        "2 more being looked at: they were being changed when the device went off"
      ])
  }

  @Test func metersAreBars() {
    let lines = transcript(
      "meters",
      [
        "recorder.meters": [
          "channels": [
            ["averageDecibels": -30, "peakDecibels": -12, "clips": 0],
            ["averageDecibels": -60, "peakDecibels": -0.04, "clips": 2],
          ]
        ]
      ])
    #expect(
      lines == [
        "L [====================           |        ] average  -30.0 peak  -12.0 dB",
        "R [                                      | ] average  -60.0 peak    0.0 dB CLIP 2",
      ])
  }

  @Test func budgetLogProblemsChecksSettingsAndScreenAreShown() {
    let audio: JSONValue = [
      "subsystem": "audioIn", "declaredKB": 2048, "allocatedKB": 512, "measuredKB": nil, "declaredCPUPercent": 3,
      "measuredCPUPercent": 0.44, "isWithin": true,
    ]
    let report: JSONValue = [
      "lines": [audio], "declaredKB": 24_576, "allocatedKB": 9216, "rssKB": 30_720, "peakRSSKB": 31_744,
      "declaredCPUPercent": 25, "measuredCPUPercent": nil, "isWithin": false,
    ]
    #expect(
      transcript("budget", ["budget.report": report]) == [
        "MiB and % of a core  declared  allocated  used  % declared  % used",
        "audioIn                   2.0        0.5     -         3.0     0.4",
        "total                    24.0        9.0  30.0        25.0       -  OVER",
        "peak 31.0 MiB",
      ])
    #expect(
      transcript(
        "log 5 debug",
        [
          "log.tail": [
            "lines": [["t": 12.3456, "level": "warning", "subsystem": "recorder", "text": "0.300 s lost"]], "lost": 3,
          ]
        ]
      ) == ["(3 older lines are gone)", "    12.346 warning recorder: 0.300 s lost"])
    #expect(
      transcript(
        "verify",
        [
          "library.verify": [
            "checked": 3, "problems": [["id": "a.m4a", "problem": "cut short", "remedy": "repair it"]],
          ]
        ])
        == ["a.m4a: cut short", "  repair it", "3 checked, 1 with problems"])
    #expect(
      transcript(
        "doctor",
        [
          "system.doctor": [
            "checks": [
              ["device": "display", "verdict": "absent", "detail": "no answer at 0x3c", "remedy": "check the wires"]
            ]
          ]
        ])
        == ["display     absent   no answer at 0x3c", "                     check the wires"])
    #expect(
      transcript("settings", ["settings.get": ["recording.format": "aac", "recording.channels": 2, "ui.voice": false]])
        == ["recording.channels  2", "recording.format    aac", "ui.voice            no"])
    #expect(
      transcript("screen", ["panel.state": ["screen": "main", "texts": ["REC", "0:07"]]]) == [
        "[main]", "  REC", "  0:07",
      ])
    #expect(transcript("press REC", ["panel.press": ["ignored": "locked"]]) == ["nothing happened: locked"])
    #expect(transcript("mode", ["panel.state": ["mode": "dictaphone.idle"]]) == ["dictaphone.idle"])
  }

  @Test func metadataIsATree() {
    #expect(
      transcript(
        "show x",
        [
          "library.show": [
            "id": "x", "audio": ["duration": 1.5, "channels": 2], "userTags": ["a", "b"],
            "bookmarks": [["time": 1, "title": "One"], ["time": 2.25, "title": nil]],
          ]
        ]) == [
          "id        x", "userTags  a, b", "audio:", "  channels  2", "  duration  1.5", "bookmarks:", "  - time   1",
          "    title  One", "  - time   2.25", "    title  -",
        ])
  }

  @Test func helpFitsTheWidthAndExplains() {
    let overview = transcript("help", [:])
    #expect(overview.allSatisfy { $0.count <= 80 })
    #expect(overview.first == "  status    shows what the device is doing")
    #expect(
      transcript("help hold", [:]) == [
        "usage: hold BUTTON [SECONDS]", "holds a key down.",
        "  BUTTON    the key (one of REC, STOP, UP, DOWN, LEFT, RIGHT, CENTRE, LOCK,", "            MARK)",
        "  SECONDS   how long; unlocking takes 2 (a number from 0.001 to 60; 1 if left",
        "            out)", "calls: panel.press",
      ])
    #expect(transcript("help copy", [:]) == ["error: copy: not in this firmware yet (unsupported)"])
    #expect(transcript("help panel.screen", [:]).contains("result: {png, width, height}: png in base64"))
  }

  @Test func everyWordCallsMethodsThatExistAndHelpFits() {
    let table = CommandTable.standard
    for word in table.words {
      #expect(word.methods.allSatisfy { table.definition($0) != nil }, "\(word.name)")
      #expect(table.explanation(of: word.name, width: 80)?.allSatisfy { $0.count <= 80 } == true, "\(word.name)")
    }
    for definition in table.definitions {
      #expect(definition.method.split(separator: ".").count == 2)
      #expect(table.explanation(of: definition.method, width: 80)?.allSatisfy { $0.count <= 80 } == true)
    }
    let names = table.words.flatMap { [$0.name] + $0.aliases }
    #expect(Set(names).count == names.count)
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
