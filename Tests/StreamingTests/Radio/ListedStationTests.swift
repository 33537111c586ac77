import Hardware
import TestSupport
import Testing

@testable import Media
@testable import Streaming

/// Lists that lead to web radio: what is in them is heard, and what fails is left for what follows.
@Suite struct ListedStationTests: StreamListening {
  let patience = 30.0

  @Test(arguments: [
    "[playlist]\nFile1=http://stream.test/gone.mp3\nFile2=http://stream.test/a.mp3\n",
    "#EXTM3U\n#EXTINF:-1,Radio\na.mp3\n", "http://stream.test/a.mp3\n",
  ])
  func listsLeadToIt(_ list: String) throws {
    let folder = try RadioSounds.folder.get()
    let network = Streams.serve(folder) { path, _ in path == "list" ? .text(list) : nil }
    #expect(isHeard(play("list", network), seconds: 6))
  }

  /// Servers of a list that may come back do not hold up the others, and are asked again when nothing else is left.
  @Test func serversOfAListThatFailAreLeftForOthers() throws {
    let list =
      "[playlist]\nFile1=http://stream.test/busy.mp3\nFile2=http://stream.test/slow.mp3\nFile3=http://stream.test/a.mp3\n"
    for returns in [0.0, 40] {
      let network = Streams.serve(try RadioSounds.folder.get()) { path, now in
        switch path {
        case "list": .text(list)
        case "busy.mp3": .status(503)
        case "slow.mp3": FakeNetwork.Answer(error: .timeout, delay: .seconds(5))
        default: now.seconds < returns ? .status(503) : nil
        }
      }
      let listener = play("list", network, seconds: 120)
      #expect(isHeard(listener, seconds: 6))
      #expect(network.requests.count < 40)
    }
  }

  /// Who does not answer at all is left soon, and is waited for longer when nothing else is left.
  @Test func whoIsSilentIsLeftForOthersSoon() throws {
    let folder = try RadioSounds.folder.get()
    let bytes = try #require(folder.bytes("a.mp3"))
    let network = Streams.serve(folder) { path, _ in
      switch path {
      case "list": .text("#EXTM3U\nsilent.mp3\na.mp3\n")
      case "late": .text("#EXTM3U\nslow.mp3\ngone.mp3\n")
      case "silent.mp3": FakeNetwork.Answer(error: .timeout, delay: .seconds(10))
      case "slow.mp3": FakeNetwork.Answer(bytes: bytes, delay: .seconds(8))
      default: nil
      }
    }
    let listener = play("list", network)
    #expect(isHeard(listener, seconds: 6))
    #expect(try #require(listener.firstSound).seconds < 6)
    #expect(isHeard(play("late", network, seconds: 60), seconds: 6))
    // Alone it has its time.
    let alone = play("slow.mp3", network)
    #expect(alone.programme.status.phase == .ended && isHeard(alone, seconds: 6))
  }

  /// That a stream's list comes is no sign that its segments do; behind what cannot be had it is tried again.
  @Test(arguments: ["ts.m3u8", "variants"], [NetworkError.Kind.timeout, .interrupted, .status(503)])
  func aStreamWhoseSegmentsDoNotComeIsLeftForOthers(_ name: String, _ error: NetworkError.Kind) throws {
    let stream = try Streams.source.get()
    let both = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=600000\nhi.m3u8\n#EXT-X-STREAM-INF:BANDWIDTH=100000\nts.m3u8\n"
    for (other, returns) in [("a.mp3", 1e9), ("gone.mp3", 40.0)] {
      // A server that is busy again and again costs segments.
      if returns < 1e9, error == .status(503) { continue }
      let network = Streams.serve(try RadioSounds.folder.get()) { path, now in
        switch path {
        case "list": return .text("#EXTM3U\n\(name)\n\(other)\n")
        case "variants": return .text(both)
        case "ts.m3u8", "hi.m3u8": return stream.folder.bytes("ts.m3u8").map { .bytes($0) }
        default: break
        }
        guard path.hasPrefix("ts") else { return nil }
        guard now.seconds < returns else { return stream.folder.bytes(path).map { .bytes($0) } }
        return FakeNetwork.Answer(error: error, delay: error == .timeout ? .seconds(5) : .milliseconds(20))
      }
      let listener = play("list", network, seconds: 150)
      #expect(isHeard(listener, seconds: returns < 1e9 ? Streams.seconds : 6), "\(listener.frames)")
      if returns == 1e9 { #expect(try #require(listener.firstSound).seconds < 30) }
      #expect(network.requests.count < 400)
    }
  }

  /// Lists in lists are followed as deep as anybody writes them, in a circle once, and not without end.
  @Test func listsOfListsLeadToIt() throws {
    let network = Streams.serve(try RadioSounds.folder.get()) { path, _ in
      switch path {
      case "list": .text("#EXTM3U\n" + (0..<20).map { "l\($0).pls\n" }.joined())
      case "l19.pls": .text("[playlist]\nFile1=a.mp3\n")
      case "circle": .text("#EXTM3U\ncircle\na.mp3\n")
      case _ where path.hasSuffix(".pls"): .text("[playlist]\nFile1=gone-\(path).mp3\n")
      case _ where path.hasPrefix("deep"): .text("#EXTM3U\n\(path)r\n")
      case _ where path.hasPrefix("wide"): .text("#EXTM3U\n" + (0..<20).map { "\(path)-\($0)\n" }.joined())
      default: nil
      }
    }
    #expect(isHeard(play("list", network, seconds: 60), seconds: 6))
    #expect(isHeard(play("circle", network), seconds: 6))
    for name in ["deep", "wide"] {
      let before = network.requests.count
      guard case .failed(let fault) = play(name, network, seconds: 600).programme.status.phase else {
        #expect(Bool(false), "\(name) has no end")
        continue
      }
      #expect(fault.code == "malformed" && network.requests.count - before < 1500)
    }
  }

  /// What is played one after the other lies one behind the other, whatever it is and however it ended.
  @Test func aStreamBehindMusicIsBehindItOnTheTimeline() throws {
    let stream = try Streams.source.get()
    let network = Streams.serve(try RadioSounds.folder.get()) { path, _ in
      if path == "list" { return .text("#EXTM3U\n#EXTINF:6,One\na.mp3\n#EXTINF:-1,Two\nts.m3u8\n") }
      return path.hasPrefix("ts") ? stream.folder.bytes(path).map { .bytes($0) } : nil
    }
    let listener = play("list", network, seconds: 60)
    #expect(listener.programme.status.phase == .ended)
    #expect(isHeard(listener, seconds: 6 + Streams.seconds), "\(listener.holes)")
    #expect(listener.programme.status.length == listener.frames)
    let second = listener.blocks.filter { $0.epoch == 1 }.flatMap(\.samples)
    #expect(difference(second, stream.samples) < 1e-6)
  }

  @Test func whatFollowsABrokenPieceIsBehindItOnTheTimeline() throws {
    let folder = try RadioSounds.folder.get()
    let bytes = try #require(folder.bytes("a.mp3"))
    var asked = 0
    let network = Streams.serve(folder) { path, _ in
      if path == "list" { return .text("#EXTM3U\na.mp3\na.flac\n") }
      guard path == "a.mp3" else { return nil }
      asked += 1
      // It is another file when the rest of it is asked for.
      return FakeNetwork.Answer(bytes: bytes + (asked == 1 ? [] : [0]), breaksAfter: bytes.count / 2)
    }
    let listener = play("list", network, seconds: 120)
    #expect(listener.programme.status.phase == .ended)
    #expect(listener.holes.isEmpty)
    #expect((8.5...9.5).contains(Double(listener.frames) / 48_000), "\(listener.frames)")
  }

  @Test func piecesOfMusicInAListFollowEachOther() throws {
    let network = Streams.serve(try RadioSounds.folder.get()) { path, _ in
      path == "list" ? .text("#EXTM3U\n#EXTINF:6,One\na.mp3\n#EXTINF:6,Two\nvorbis.ogg\n") : nil
    }
    #expect(isHeard(play("list", network), seconds: 12))
  }
}
