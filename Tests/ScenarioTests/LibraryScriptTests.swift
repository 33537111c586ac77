import Foundation
import JSON
import TestSupport
import Testing

/// The scripts that are run before a release, what becomes of takes: found, copied, taken away, seen, and told aloud.
@Suite("Regression script, library")
struct LibraryScriptTests {
  private let bench = ScriptBench()
  private var mynah: Mynah { bench.mynah }
  private var cache: URL { mynah.data.appendingPathComponent("cache/waveforms") }

  /// Two takes of two and three seconds, the first with a mark.
  private static let takes = """
    0.1 call settings.set {"recording.preRecordSeconds":0}
    1 press REC
    2 press CENTRE
    3 press STOP
    5 press REC
    8 press STOP

    """

  @Test("21: found by name, tag and mark, renamed, a favourite, copied, deleted and brought back")
  func library() throws {
    try bench.run(mynah, Self.takes + "10 quit")
    let ids = mynah.takes.map(\.lastPathComponent)
    try #require(ids.count == 2)
    let run = try bench.run(
      mynah,
      """
      0.5 call library.rename {"id":"\(ids[0])","name":"Гавань утром"}
      0.6 call library.tag {"id":"\(ids[1])","add":["radio"]}
      0.7 call marks.set {"id":"\(ids[0])","number":1,"title":"The bell"}
      0.8 call library.favourite {"id":"\(ids[0])"}
      1 call library.list {"query":"гавань"}
      1.1 call library.list {"query":"RADIO"}
      1.2 call library.list {"query":"bell"}
      1.3 call library.list {"sort":"longest"}
      2 call library.copy {"id":"\(ids[0])"}
      4 call library.list {"query":"гавань"}
      5 call library.delete {"ids":["\(ids[0])","\(ids[1])"]}
      6 call library.list
      7 call library.undelete
      8 call library.list
      9 quit
      """)
    let lists = bench.results(run, of: "library.list").map { list in
      list["takes"]?.arrayValue?.compactMap { $0["id"]?.stringValue } ?? []
    }
    try #require(lists.count == 7)
    #expect(lists[0] == [ids[0]] && lists[1] == [ids[1]] && lists[2] == [ids[0]] && lists[3].first == ids[1])
    #expect(lists[4].count == 2 && lists[5].count == 1 && Set(lists[6]) == Set(ids + lists[5]))
    let files = mynah.takes
    try #require(files.count == 3)
    #expect(try Data(contentsOf: files[0]) == Data(contentsOf: files[2]))
  }

  @Test("22: to a stick, bit by bit, and in other formats with name, date, length and chapters")
  func export() throws {
    let stick = bench.folder.file("stick")
    try FileManager.default.createDirectory(atPath: stick, withIntermediateDirectories: true)
    let run = try bench.run(
      mynah,
      Self.takes + """
        9 fault stick in
        10 call library.export {"all":true}
        20 call stick.status
        21 fault stick out
        22 call library.export {"all":true}
        23 fault stick in
        24 call library.export {"all":true,"format":"mp3"}
        40 call library.export {"all":true,"format":"flac"}
        60 quit
        """, ["--stick", stick])
    let answers = bench.results(run, of: "library.export")
    #expect(answers.compactMap { $0["done"]?.integerValue } == [2, 2, 2])
    #expect(answers.allSatisfy { $0["safe"]?.boolValue == true })
    #expect(bench.results(run, of: "stick.status").first?["state"]?.stringValue == "safe")
    #expect(run.output.contains("there is no stick"))
    let names = try FileManager.default.contentsOfDirectory(atPath: "\(stick)/Mynah").sorted()
    let copies = try names.filter { $0.hasSuffix(".m4a") }.map {
      try Data(contentsOf: URL(filePath: "\(stick)/Mynah/\($0)"))
    }
    #expect(Set(copies) == Set(try mynah.takes.map { try Data(contentsOf: $0) }) && copies.count == 2)
    #expect(!names.contains { $0.hasSuffix(".part") })
    for suffix in [".mp3", ".flac"] {
      let files = names.filter { $0.hasSuffix(suffix) }
      try #require(files.count == 2, "\(names)")
      let said = try Tool.succeed(
        "ffprobe",
        [
          "-v", "error", "-show_entries", "format=duration:format_tags=title,date", "-show_chapters", "-of", "json",
          "\(stick)/Mynah/\(files[0])",
        ])
      #expect(said.contains("Take 1") && said.contains("2026"), "\(said)")
      #expect(said.contains("\"id\": 0") || said.contains("\"id\": 1"), "\(said)")
      #expect(abs(try bench.duration(URL(filePath: "\(stick)/Mynah/\(files[0])")) - 2) < 0.06)
    }
  }

  @Test("23: the shape of a take is kept, is small, and is made anew when it is damaged")
  func waveform() throws {
    let play = "%d call player.play {\"id\":\"%@\"}\n"
    try bench.run(mynah, Self.takes + "10 quit")
    let ids = mynah.takes.map(\.lastPathComponent)
    try #require(ids.count == 2)
    let script = String(format: play, 1, ids[0]) + String(format: play, 6, ids[1]) + "12 quit"
    try bench.run(mynah, script)
    let kept = try Data(contentsOf: cache)
    #expect(kept.count < 3_000_000 && kept.split(separator: 0, omittingEmptySubsequences: true).count >= 2)
    // Every byte of it that says something is turned over.
    try Data(kept.map { $0 == 0 ? 0 : ~$0 }).write(to: cache)
    try bench.run(mynah, script)
    #expect(try Data(contentsOf: cache) == kept)
    try FileManager.default.removeItem(at: cache)
    try bench.run(mynah, script)
    #expect(try Data(contentsOf: cache) == kept)
  }

  @Test("24: in Russian, in large text, with the voice on: all is said, and no take has a word of it")
  func russian() throws {
    var mynah = mynah
    mynah.microphone = "silence"
    let picture = bench.folder.file("screen.png")
    let run = try bench.run(
      mynah,
      """
      0.1 call settings.set {"recording.preRecordSeconds":5,"recording.format":"wav","ui.language":"ru","ui.voice":true,"ui.largeText":true}
      3 press DOWN
      6 press STOP
      9 press REC
      11 press CENTRE
      13 press STOP
      17 press DOWN
      19 screen \(picture)
      20 call panel.state
      21 hold RIGHT 0.7
      24 press CENTRE
      27 press LEFT
      30 quit
      """)
    let said = run.events("onPrompt").compactMap { $0.data["text"]?.stringValue }
    for words in ["Записи", "Удалить", "метка"] {
      #expect(said.contains { $0.contains(words) }, "\(words): \(said)")
    }
    #expect(said.allSatisfy { $0.unicodeScalars.contains { (0x400...0x4FF).contains($0.value) } }, "\(said)")
    let width = try Tool.succeed(
      "ffprobe", ["-v", "error", "-show_entries", "stream=width", "-of", "csv=p=0", picture])
    #expect(width.hasPrefix("1024"))
    let take = try #require(mynah.takes.first)
    let level = try Tool.run("sox", [take.path, "-n", "stat"])
    #expect(level.errors.contains("Maximum amplitude:     0.000000"), "\(level.errors)")
  }
}
