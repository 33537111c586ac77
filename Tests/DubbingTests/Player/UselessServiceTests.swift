import Hardware
import JSON
import Testing

@testable import Dubbing

/// Services that never dub anything: they are told, with their reason, and are not taken for ones that are in time.
@Suite("A dubbing service of no use")
struct UselessServiceTests {
  private func play(_ change: (inout DubSettings) -> Void = { _ in }) -> Stage {
    var settings = Fixtures.settings(.duck)
    change(&settings)
    let stage = Stage(Fixtures.programme(seconds: 24), settings: settings)
    stage.player.post(.start(source: "fake", language: "es"))
    return stage
  }

  @Test(arguments: [
    ("silent", "too slow|not in time|does not answer"), ("refuse", "refused it: not now"), ("rate", "12345 Hz"),
    ("garbage", "sound that cannot be decoded"), ("text", "a text message that cannot be read"),
    ("sequence", "is next"), ("truncated", "were announced"),
  ])
  func `From its first answer on it is late, and the reason is told`(fault: String, words: String) {
    let stage = play()
    stage.service.misbehave(fault, isFaulty: true)
    var reasons: Set<String> = []
    stage.run(until: 22) { _ in reasons.insert(stage.player.status.reason) }
    let status = stage.player.status
    #expect(status.utterances >= 4 && status.utterancesOnTime == 0 && status.percentOnTime == 0)
    #expect(status.late[.service, default: 0] >= 4)
    #expect(status.played[.service, default: 0] == 0)
    #expect(words.split(separator: "|").contains { word in reasons.contains { $0.contains(word) } }, "\(reasons)")
    #expect(stage.longestSilence(tail: 4) < 1)
  }

  @Test(arguments: [true, false])
  func `Silence in place of words is a fault, and where there are none it is an answer`(hasWords: Bool) {
    let programme = Fixtures.programme(seconds: 24)
    if !hasWords { (programme.cues, programme.subtitleLanguages) = ([], []) }
    let stage = Stage(programme, settings: Fixtures.settings(.duck))
    stage.service.voice = { _ in [Float](repeating: 0, count: 24_000) }
    stage.player.post(.start(source: "fake", language: "es"))
    var reasons: Set<String> = []
    stage.run(until: 22) { _ in reasons.insert(stage.player.status.reason) }
    let status = stage.player.status
    #expect((status.utterancesOnTime == 0) == hasWords && status.utterances >= 3)
    #expect((status.played[.service, default: 0] == 0) == hasWords)
    #expect((status.serviceFaults.malformed >= 3) == hasWords && status.serviceFaults.lost == 0)
    #expect(reasons.contains("the dubbing service sent silence") == hasWords, "\(reasons)")
    #expect(stage.service.connections == 1 && stage.longestSilence(tail: 4) < 1)
  }

  @Test func `One that does not speak the language says that, and the original is heard`() {
    let stage = play()
    stage.service.languages = ["de"]
    stage.run(until: 10)
    #expect(stage.player.status.reason == "the dubbing service does not speak es")
    #expect(stage.player.status.rung == .original && stage.service.requests.isEmpty)
    // As soon as another language is wished, it does.
    stage.player.post(.language("de"))
    stage.run(until: 18)
    #expect(stage.player.status.rung == .service && stage.player.status.reason.isEmpty)
  }

  @Test(arguments: [FakeService.Fault.close(4001), .refuse])
  func `One that says our token again is told without it`(fault: FakeService.Fault) {
    let stage = play { $0.serviceToken = "S3CR3T-abc" }
    stage.service.fault = fault
    stage.service.words = ": no S3CR3T-abc, S3CR3T-abc"
    var told: Set<String> = []
    stage.run(until: 12) { _ in told.insert(stage.player.status.reason) }
    told.formUnion(stage.news.map { "\($0)" })
    #expect(told.contains { $0.contains("no ***, ***") }, "\(told)")
    #expect(!told.contains { $0.contains("S3CR3T") }, "\(told)")
  }

  /// What a service says may be cut off, within our token too, and be the reason why a message is none.
  @Test(arguments: ["code", "message", "type", "language", "close"])
  func `The beginning of our token is not told either`(place: String) {
    let token = "S3CR3T-abcdefghijklmnopqrstuvwxyz"
    let stage = play { $0.serviceToken = token }
    switch place {
    case "code": (stage.service.fault, stage.service.code) = (.refuse, token)
    // 200 letters of it are kept.
    case "message":
      (stage.service.fault, stage.service.words) = (.refuse, String(repeating: "x", count: 180) + token)
    case "type": (stage.service.fault, stage.service.words) = (.unknownType, token)
    case "language": stage.service.said = "S3CR3T-a"
    // Three of these in a row, and our own close says what the last one was.
    default: (stage.service.fault, stage.service.words) = (.unknownType, "no " + token)
    }
    var told: Set<String> = []
    stage.run(until: 16) { _ in told.insert(stage.player.status.reason) }
    told.formUnion(stage.news.map { "\($0)" })
    #expect(told.contains { $0.contains("***") }, "\(told)")
    #expect(!told.contains { $0.contains("S3CR") || $0.contains("abcd") }, "\(told)")
  }
}
