import Hardware
import JSON
import SimulatedHardware
import TestSupport
import Testing

@testable import Runtime

/// Updates that come by the network, on a whole device in virtual time.
@Suite struct UpdateFetchTests {
  private typealias Answer = ScriptedNetwork.Answer
  /// Ten seconds at the rate of the servers here.
  private static let content = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 % 251) }
  private static let address = "https://n4me:passw0rd@host.example/mynah-1.2.raucb?token=k3y"
  private static let install = "call update.install {\"file\":\"\(address)\"}"

  /// A device, and the servers that it reaches.
  private struct Stage {
    let bench: RuntimeBench
    let network: ScriptedNetwork

    init(_ answers: Answer...) throws { try self.init(answers) }

    init(_ answers: [Answer]) throws {
      bench = try RuntimeBench()
      network = ScriptedNetwork(clock: bench.clock, answers)
      let network = network
      bench.hardware.openNetwork = { _, _ in network }
    }

    func run(_ script: String) throws { #expect(try bench.run(script) == nil) }

    var phases: [String] { bench.results("update.status").compactMap { $0["phase"]?.stringValue } }
    var texts: [String] { bench.results("update.status").compactMap { $0["text"]?.stringValue } }
    var notices: [String] {
      bench.results("panel.state").map { $0["notice"]?["text"]?.stringValue ?? "" }
    }
    var cache: [String] { (try? bench.memory.list("cache").map(\.name)) ?? [] }
    var file: String { "\(bench.hardware.storage.root)/cache/fetched.raucb" }
    func fetched() throws -> [UInt8] { try bench.memory.read("cache/fetched.raucb", limit: 1 << 24) }
  }

  @Test func `It is fetched to the byte, then installed as a file that is there; its progress is shown`() throws {
    let test = try Stage(Answer(Self.content))
    try test.run(
      """
      3 \(Self.install)
      8.1 call update.status
      8.1 call panel.state
      8.2 call update.install
      15 call update.status
      15 call panel.state
      16 quit
      """)
    #expect(test.phases == ["fetching", "checking"])
    #expect(test.notices == ["Update: 47 % has come.", "The update is being checked."])
    #expect(test.bench.results("update.install").map { $0["code"] } == [nil, "busy"])
    #expect(test.bench.devices.system.sources == [.file(test.file)])
    #expect(try test.fetched() == Self.content && test.cache == ["fetched.raucb"])
    #expect(test.network.requests.map(\.url) == [Self.address])
  }

  @Test func `The file goes when the system has done with it`() throws {
    let test = try Stage(Answer(Self.content))
    let system = test.bench.devices.system
    test.bench.hardware.steppers.append(
      AtTime(.at(40), test.bench) { _ in system.tell(UpdateReport(.installed, percent: 100, text: "1.2")) })
    try test.run("3 \(Self.install)\n50 call update.status\n51 quit")
    #expect(test.phases == ["installed"] && test.cache == [])
  }

  @Test func `What fails is told by a stable code and a sentence, and leaves nothing; another try may follow`() throws {
    var late = Answer(Self.content)
    (late.most, late.end) = (300_000, nil)
    var silent = late
    silent.most = 0
    let cases: [(answers: [Answer], code: String)] = [
      ([.failing(.status(404))], "http-404"), ([.failing(.certificate)], "certificate"),
      ([.failing(.unreachable)], "unreachable"), ([Answer(Self.content, says: 300 << 20)], "too-large"),
      // It sends more than it has said.
      ([Answer(Self.content, says: 910_000)], "interrupted"),
      // It stops, and is silent when it is asked to go on.
      ([late, silent], "timeout"), ([silent], "timeout"),
    ]
    for (answers, code) in cases {
      let test = try Stage(answers)
      try test.run("3 \(Self.install)\n200 call update.status\n200 call update.install\n201 quit")
      #expect(test.phases == ["refused"] && test.texts.allSatisfy { $0.hasPrefix("\(code): ") }, "\(test.texts)")
      #expect(test.cache == [] && test.bench.devices.system.sources == [.stick], "\(code)")
    }
  }

  @Test func `What breaks off goes on by ranges, until all has come`() throws {
    var broken = Answer(Self.content)
    (broken.most, broken.end) = (300_000, .failed(.interrupted))
    let test = try Stage(broken, .failing(.unreachable), broken, Answer(Self.content))
    try test.run("3 \(Self.install)\n60 call update.status\n61 quit")
    #expect(test.phases == ["checking"])
    #expect(try test.fetched() == Self.content)
    #expect(test.network.requests.map { $0.range?.lowerBound } == [nil, 300_000, 300_000, 600_000])
  }

  @Test func `A server that cuts short what it has promised is a failure after a minute`() throws {
    var short = Answer(Self.content, says: 2_000_000)
    short.rate = 1_000_000
    let test = try Stage(short)
    try test.run("3 \(Self.install)\n50 call update.status\n90 call update.status\n91 quit")
    #expect(test.phases == ["fetching", "refused"] && test.texts.last?.hasPrefix("interrupted: ") == true)
    #expect(test.cache == [])
  }

  @Test func `For more than the card has room for beside its reserve nothing is written`() throws {
    let test = try Stage(Answer(Self.content, says: 60 << 20))
    try test.run("2 fault storage free 50\n3 \(Self.install)\n20 call update.status\n21 quit")
    #expect(test.texts.first?.hasPrefix("storage-full: it is \(60 << 20) bytes") == true, "\(test.texts)")
    #expect(test.cache == [])
    // A card that fills meanwhile is told as well.
    let filled = try Stage(Answer(Self.content))
    try filled.run("3 \(Self.install)\n5 fault storage full\n20 call update.status\n21 fault storage ok\n30 quit")
    #expect(filled.texts.first?.hasPrefix("storage-full: ") == true, "\(filled.texts)")
    #expect(filled.cache == [])
  }

  @Test func `While a take is open nothing is fetched; it goes on behind it, and the take is whole`() throws {
    let test = try Stage(Answer(Self.content))
    try test.run(
      """
      3 \(Self.install)
      7 press REC
      9 call update.status
      10 \(Self.install)
      17 press STOP
      30 call update.status
      31 quit
      """)
    #expect(test.phases == ["fetching", "checking"])
    #expect(test.bench.results("update.install").map { $0["code"] } == [nil, "busy"])
    #expect(test.bench.events("onTakeSaved").count == 1)
    let times = test.network.times.map(\.seconds)
    #expect(times.count == 2 && times[1] >= 17, "\(times)")
    #expect((test.network.requests.last?.range?.lowerBound ?? 0) > 300_000)
    #expect(try test.fetched() == Self.content)
  }

  @Test func `Refused while a take is open, and whole it waits for what could not prove itself`() throws {
    let test = try Stage(Answer(Self.content))
    try test.run(
      """
      3 press REC
      5 \(Self.install)
      8 press STOP
      10 \(Self.install)
      12 fault microphone unplug
      30 call update.status
      31 fault microphone replug
      40 call update.status
      41 quit
      """)
    #expect(test.bench.results("update.install").map { $0["code"] } == ["busy", nil])
    #expect(test.phases == ["fetching", "checking"] && test.texts.first?.hasPrefix("without a microphone") == true)
  }

  @Test func `It can be ended, coming and whole, and nothing stays`() throws {
    let test = try Stage(Answer(Self.content))
    try test.run(
      """
      3 \(Self.install)
      6 call update.cancel
      6 call update.status
      8 \(Self.install)
      10 fault microphone unplug
      30 call update.cancel
      31 fault microphone replug
      40 call update.status
      40 call update.cancel
      41 quit
      """)
    #expect(test.bench.results("update.cancel").map { $0["cancelled"] } == [true, true, false])
    #expect(test.phases == ["refused", "refused"] && test.texts.allSatisfy { $0.hasPrefix("cancelled: ") })
    #expect(test.cache == [] && test.bench.devices.system.sources == [])
  }

  @Test func `A power cut in the middle leaves nothing behind the next start`() throws {
    let test = try Stage(Answer(Self.content))
    _ = try test.bench.run("3 \(Self.install)\n8 fault power cut\n20 quit")
    #expect(test.cache.allSatisfy { $0 == "fetched.raucb.tmp" }, "\(test.cache)")
    // As much as a card may have kept of it.
    try test.bench.memory.replace("cache/fetched.raucb.tmp", with: Array(Self.content.prefix(500_000)))
    let again = try RuntimeBench(continuing: test.bench)
    #expect(try again.run("1 call update.status\n2 quit") == nil)
    #expect(again.results("update.status").map { $0["phase"] } == ["none"])
    #expect(try again.memory.list("cache").isEmpty)
  }

  @Test func `Only https, only with a network, and a mistake is not repeated`() throws {
    let test = try Stage(Answer(Self.content))
    try test.run("3 call update.install {\"file\":\"http://n4me:passw0rd@host.example/a.raucb\"}\n4 quit")
    #expect(test.bench.results("update.install").map { $0["code"] } == ["bad-argument"])
    #expect(!test.bench.results("update.install").contains { $0.text.contains("passw0rd") })
    let alone = try RuntimeBench()
    #expect(try alone.run("3 \(Self.install)\n4 call update.status\n5 quit") == nil)
    #expect(alone.results("update.install").map { $0["code"] } == ["unsupported"])
    #expect(alone.results("update.status").map { $0["phase"] } == ["none"])
    // Where the system takes none, nobody is asked.
    let other = try Stage(Answer(Self.content))
    other.bench.hardware.system = nil
    try other.run("3 \(Self.install)\n4 quit")
    #expect(other.bench.results("update.install").map { $0["code"] } == ["unsupported"])
    #expect(other.network.requests.isEmpty)
  }
}
