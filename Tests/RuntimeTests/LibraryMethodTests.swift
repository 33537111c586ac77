import Foundation
import Hardware
import JSON
import Runtime
import SimulatedHardware
import Testing

/// Tags, favourites, copies, many takes at a time and files in pieces, as the console asks for them.
@Suite struct LibraryMethodTests {
  private static let settings =
    #"0 call settings.set {"recording.format":"wav","recording.preRecordSeconds":0}"# + "\n"

  private static func takes(_ bench: RuntimeBench) throws -> [String] {
    try bench.memory.list("recordings").map(\.name).filter { $0.hasSuffix(".wav") }.sorted()
  }

  private static func ids(_ list: JSONValue) -> [String] {
    (list["takes"]?.arrayValue ?? []).compactMap { $0["id"]?.stringValue }
  }

  /// A device with takes of 1, 2 and 3 seconds.
  private static func withTakes() throws -> (bench: RuntimeBench, ids: [String]) {
    let bench = try RuntimeBench()
    #expect(
      try bench.run(
        settings + "1 press REC\n2 press STOP\n3 press REC\n5 press STOP\n6 press REC\n9 press STOP\n10 quit") == nil)
    return (bench, try takes(bench))
  }

  @Test func `Tags and favourites are given to one take or many, and the list goes by them`() throws {
    let (first, ids) = try Self.withTakes()
    try #require(ids.count == 3)
    let bench = try RuntimeBench(continuing: first)
    let failure = try bench.run(
      """
      1 call library.tag {"id":"\(ids[0])","add":["Radio","night"]}
      1.1 call library.tag {"ids":["\(ids[0])","\(ids[2])"],"add":["sea"],"remove":["radio"]}
      1.2 call library.tags
      1.3 call library.favourite {"id":"\(ids[1])"}
      1.4 call library.list {"tag":"SEA"}
      1.5 call library.list {"favourites":true}
      1.6 call library.list {"query":"night"}
      1.7 call library.list {"sort":"length","descending":false}
      1.8 call library.list {"sort":"size"}
      1.9 call library.list {"sort":"date","descending":false}
      2 call library.list {"marks":true}
      2.1 call library.tag {"add":["x"]}
      3 quit
      """)
    #expect(failure == nil)
    let tags = bench.results("library.tag")
    #expect(tags[0]["tags"] == ["Radio", "night"] && tags[1]["done"] == 2 && tags[1]["tags"] == nil)
    #expect(tags[2]["code"] == "bad-argument")
    #expect(
      bench.results("library.tags")[0]["tags"] == [["tag": "night", "takes": 1], ["tag": "sea", "takes": 2]])
    let lists = bench.results("library.list").map(Self.ids)
    #expect(
      lists == [[ids[2], ids[0]], [ids[1]], [ids[0]], ids, ids.reversed(), ids, []], "\(lists)")
  }

  @Test func `Many takes are deleted with progress and come back by one undelete; what is not there is told`() throws {
    let (first, ids) = try Self.withTakes()
    try #require(ids.count == 3)
    let bench = try RuntimeBench(continuing: first)
    let failure = try bench.run(
      """
      1 call library.delete {"ids":["\(ids[0])","none.wav","\(ids[1])"]}
      2 call library.list
      3 call library.undelete
      4 call library.list
      4.5 call library.cancel
      5 call library.undelete
      6 quit
      """)
    #expect(failure == nil)
    let deleted = bench.results("library.delete")[0]
    #expect(deleted["done"] == 2 && deleted["cancelled"] == false)
    #expect(deleted["failed"]?.arrayValue?.map { $0["code"] } == ["not-found"])
    #expect(bench.events("onLibraryProgress").map { $0.data["done"] } == [1, 2, 3])
    let lists = bench.results("library.list").map(Self.ids)
    #expect(lists == [[ids[2]], ids.reversed()])
    let back = bench.results("library.undelete")
    #expect(back[0]["ids"] == [.string(ids[1]), .string(ids[0])] && back[0]["id"] == .string(ids[1]))
    #expect(back[1]["code"] == "not-found" && back[1]["message"] == "There is nothing to bring back.")
    #expect(bench.results("library.cancel")[0]["works"] == 0)
  }

  @Test func `Pieces of a file that are no base64 are refused, and nothing of them is kept`() throws {
    let bench = try RuntimeBench()
    let wrong = ["!!!!", "_-8=", "AAA", "AAAA=", "QQ", "AAAA AA\u{1F600}A", "QR=="]
    let calls = (wrong + ["AAEC", "/+8=", "AA\\nEC"]).enumerated().map { place, data in
      #"\#(place + 1) call files.write {"name":"x\#(place).wav","total":300,"data":"\#(data)"}"# + "\n"
    }
    #expect(try bench.run(calls.joined() + "20 quit") == nil)
    let answers = bench.results("files.write")
    try #require(answers.count == 10)
    #expect(answers.prefix(wrong.count).allSatisfy { $0["code"] == "bad-argument" }, "\(answers)")
    #expect(answers.suffix(3).map { $0["bytes"] } == [3, 2, 3], "\(answers)")
  }

  @Test func `A take is copied and read in pieces while another one is recorded`() throws {
    let (first, ids) = try Self.withTakes()
    try #require(ids.count == 3)
    let bench = try RuntimeBench(continuing: first)
    let failure = try bench.run(
      Self.settings + """
        1 press REC
        1.5 call library.copy {"id":"\(ids[1])"}
        2 call files.read {"id":"\(ids[1])"}
        2.1 call files.read {"id":"\(ids[1])","offset":100,"bytes":50}
        2.2 call files.read {"id":"\(ids[1])","notes":true}
        2.3 call files.read {"id":"nothing.wav"}
        3 press STOP
        5 quit
        """)
    #expect(failure == nil)
    let copy = try #require(bench.results("library.copy")[0]["id"]?.stringValue)
    #expect(bench.results("library.copy")[0]["name"] == "Take 2 copy")
    let bytes = try bench.memory.read("recordings/\(copy)", limit: 1 << 20)
    #expect(bytes == (try bench.memory.read("recordings/\(ids[1])", limit: 1 << 20)))
    #expect(bench.events("onLibraryProgress").last?.data["work"] == "copy")
    let read = bench.results("files.read")
    let whole = try #require(read[0]["data"]?.stringValue)
    #expect(Base64.decode(whole) == bytes && read[0]["total"] == .integer(bytes.count))
    #expect(read[0]["sha256"] == .string(SHA256.text(of: bytes)) && read[0]["fileSha256"] == read[0]["sha256"])
    #expect(read[1]["data"]?.stringValue.map(Base64.decode) == Array(bytes[100..<150]))
    #expect(read[2]["data"]?.stringValue.map(Base64.decode)?.first == UInt8(ascii: "{"))
    #expect(read[3]["code"] == "not-found")
    #expect(try Self.takes(bench).count == 5)
  }

  @Test("A piece that is longer than the file is to be is not cut and taken for the file")
  func tooMuchIsWritten() throws {
    let bench = try RuntimeBench()
    let failure = try bench.run(
      """
      1 call files.write {"name":"x.wav","total":2,"data":"AAAA"}
      2 call files.write {"name":"x.wav","total":2}
      3 quit
      """)
    #expect(failure == nil)
    let answers = bench.results("files.write")
    #expect(answers.first?["code"] == "bad-argument" && answers.last?["bytes"] == 0, "\(answers.map(\.text))")
  }
}
