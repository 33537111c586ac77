import Hardware
import TestSupport
import Testing

@testable import Streaming

/// Live windows that slide in virtual time, and what goes wrong with them.
@Suite struct LiveTests {
  /// A server whose playlist gains a segment every two seconds, six being there at the start.
  private struct Server {
    let source: Streams.Source
    let entries: [(lines: [String], seconds: Double)]

    init() throws {
      source = try Streams.long.get()
      entries = Streams.entries(source.folder, "s")
    }

    func available(_ now: Instant) -> Int { min(entries.count, 6 + Int(now.seconds / 2)) }

    /// Frames before a segment.
    func frame(of sequence: Int) -> Int {
      entries[..<sequence].reduce(0) { $0 + Int(($1.seconds * 48_000 / 1024).rounded()) * 1024 }
    }

    func network(
      _ change: @escaping (String, Instant) -> FakeNetwork.Answer? = { _, _ in nil },
      playlist: @escaping (Server, Instant) -> String = { server, now in
        Streams.window(server.entries, available: server.available(now), count: 5)
      }
    ) -> FakeNetwork {
      Streams.serve(source.folder) { path, now in
        if let answer = change(path, now) { return answer }
        return path == "live.m3u8" ? .text(playlist(self, now)) : nil
      }
    }
  }

  private func listen(_ network: FakeNetwork, _ seconds: Double, _ options: HLSOptions = HLSOptions()) -> Listener {
    let programme = StreamProgramme(url: FakeNetwork.host + "live.m3u8", network: network, options: options) {}
    let listener = Listener(programme, network)
    listener.isPaced = true
    listener.run(seconds)
    return listener
  }

  /// That what was heard is the source from a segment on; its first frames lack the overlap with what was before.
  private func expectSource(_ listener: Listener, _ server: Server, _ first: Int) {
    let start = 2 * server.frame(of: max(0, first))
    let heard = listener.samples.dropFirst(Self.overlap)
    let expected = server.source.samples[(start + Self.overlap)...].prefix(heard.count)
    #expect(difference(heard, expected) < 1e-6)
  }

  private static let overlap = 4096

  private func firstSegment(_ network: FakeNetwork) -> Int {
    network.requests.first { $0.path.hasSuffix(".ts") }.flatMap { Int($0.path.dropFirst().dropLast(3)) } ?? -1
  }

  @Test(arguments: [1, 2, 3])
  func itBeginsThreeTargetsBehindTheEdgeAndMissesNothing(_ segments: Int) throws {
    let server = try Server()
    let network = server.network()
    let listener = listen(network, 20, HLSOptions(segments: segments))
    // Six are there; the last that begins six seconds before the end is the third or fourth.
    let first = firstSegment(network)
    #expect((2...3).contains(first))
    #expect(listener.holes.isEmpty)
    #expect(listener.frames > 48_000 * 19)
    expectSource(listener, server, first)
    #expect(try #require(listener.firstSound).seconds < 0.5)
    #expect(listener.programme.status.isLive)
    let behind = try #require(listener.programme.status.behindLive)
    #expect((48_000...(48_000 * 7)).contains(behind))
    #expect(listener.mostSegments <= segments)
    // Reloads as RFC 8216 section 6.3.4: about one a target duration, and never two within half of one.
    let reloads = network.requests.filter { $0.path == "live.m3u8" }.map(\.at.seconds)
    #expect((9...22).contains(reloads.count))
    #expect(zip(reloads.dropFirst(), reloads.dropFirst(2)).allSatisfy { $1 - $0 >= 0.99 })
    let stream = try #require((listener.programme as? StreamProgramme)?.hls)
    let date = try #require(stream.date(ofFrame: 0))
    #expect(abs(date.nanosecondsSince1970 - 1_795_262_400_000_000_000 - Int64(first) * 2_000_000_000) < 200_000_000)
  }

  /// A window of six seconds that calls its longest segment ten: after ten seconds it would have gone by.
  @Test func aWindowShorterThanItsTargetDurationMissesNothing() throws {
    let server = try Server()
    let network = server.network(playlist: { server, now in
      Streams.window(server.entries, available: server.available(now), count: 3)
        .replacing("TARGETDURATION:2", with: "TARGETDURATION:10")
    })
    let listener = listen(network, 24)
    #expect(listener.holes.isEmpty && listener.programme.status.lost == 0)
    #expect(listener.frames > 48_000 * 23)
    expectSource(listener, server, firstSegment(network))
    #expect(network.requests.count { $0.path == "live.m3u8" } < 16)
  }

  @Test func aMissingSegmentIsSilenceOfItsExactLength() throws {
    let server = try Server()
    let network = server.network { path, _ in path == "s6.ts" ? .status(404) : nil }
    let listener = listen(network, 18)
    let first = firstSegment(network)
    #expect(listener.holes.isEmpty)
    let samples = listener.samples
    let origin = server.frame(of: first)
    let gap = (server.frame(of: 6) - origin)..<(server.frame(of: 7) - origin)
    #expect(
      difference(
        samples[Self.overlap..<(2 * gap.lowerBound)],
        server.source.samples[(2 * origin + Self.overlap)..<(2 * (origin + gap.lowerBound))]) < 1e-6)
    #expect(samples[(2 * gap.lowerBound)..<(2 * gap.upperBound)].allSatisfy { $0 == 0 })
    // A frame's overlap later everything is where it was.
    let after = 2 * (gap.upperBound + 2048)
    #expect(
      difference(samples[after...], server.source.samples[(2 * origin + after)...].prefix(samples.count - after)) < 1e-6
    )
    #expect(Set(listener.blocks.map(\.epoch)) == [0])
    #expect((listener.programme as? StreamProgramme)?.hls?.problem?.contains("s6.ts") == true)
  }

  @Test(arguments: [NetworkError.Kind.status(503), .interrupted, .timeout, .unreachable])
  func aShortOutageIsNotHeard(_ kind: NetworkError.Kind) throws {
    let server = try Server()
    let network = server.network { _, now in
      (6.0..<7.2).contains(now.seconds) ? FakeNetwork.Answer(error: kind, delay: .milliseconds(50)) : nil
    }
    let listener = listen(network, 16, HLSOptions(segments: 2))
    #expect(listener.holes.isEmpty)
    expectSource(listener, server, firstSegment(network))
    #expect(listener.frames > 48_000 * 15)
  }

  @Test func aStalePlaylistIsToldAndAMissedWindowBeginsAnEpoch() throws {
    let server = try Server()
    let network = server.network(playlist: { server, now in
      let time = (6.0..<20.0).contains(now.seconds) ? Instant(nanoseconds: 6_000_000_000) : now
      return Streams.window(server.entries, available: server.available(time), count: 5)
    })
    let listener = listen(network, 28)
    #expect(listener.phases.contains { if case .stalled = $0 { true } else { false } })
    #expect(listener.programme.status.phase == .running)
    #expect(listener.holes.isEmpty)
    #expect(Set(listener.blocks.map(\.epoch)) == [0, 1])
    // It slows down, but never stops asking.
    let asked = network.requests.filter { $0.path == "live.m3u8" && (6.0..<20.0).contains($0.at.seconds) }
    #expect((5...16).contains(asked.count))
    // The second epoch is whole again.
    let second = listener.blocks.filter { $0.epoch == 1 }
    let time = try #require(second.first).sourceTime - (listener.blocks.first?.sourceTime ?? 0)
    // What lies between them was lost.
    let between = Int(time) * 8 / 15 - (second.first?.start ?? 0) + (listener.blocks.first?.start ?? 0)
    #expect(abs(listener.programme.status.lost - between) < 9600, "\(listener.programme.status.lost), \(between)")
    let start = 2 * (server.frame(of: firstSegment(network)) + Int(time) * 8 / 15) + 4096
    let samples = second.flatMap(\.samples).dropFirst(4096)
    #expect(difference(samples, server.source.samples[start..<(start + samples.count)]) < 1e-6)
  }

  /// What has not begun yet is told as that, and not as a slow network, and is heard when it begins.
  @Test func aListThatIsStillEmptyIsToldAndWaitedFor() throws {
    let server = try Server()
    let network = server.network(playlist: { server, now in
      guard now.seconds >= 9 else { return "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-MEDIA-SEQUENCE:0\n" }
      return Streams.window(server.entries, available: server.available(now), count: 5)
    })
    let listener = listen(network, 2.5)
    guard case .stalled(let reason) = listener.programme.status.phase else {
      return #expect(Bool(false), "\(listener.programme.status.phase)")
    }
    #expect(reason == "its list is empty: there is no segment in it")
    listener.run(20)
    #expect(listener.programme.status.phase == .running && listener.frames > 48_000 * 8)
    #expect(try #require(listener.firstSound).seconds < 12)
    #expect(!listener.phases.contains { if case .failed = $0 { true } else { false } })
  }

  @Test func anEventGrowsAndEnds() throws {
    let server = try Server()
    let network = server.network(playlist: { server, now in
      let available = server.available(now)
      return Streams.window(
        server.entries, available: available, count: 1000, isEnded: available == server.entries.count
      ).replacing("#EXT-X-TARGETDURATION", with: "#EXT-X-PLAYLIST-TYPE:EVENT\n#EXT-X-TARGETDURATION")
    })
    let listener = listen(network, 60)
    #expect(listener.programme.status.phase == .ended)
    expectSource(listener, server, firstSegment(network))
    #expect(listener.samples.count == server.source.samples.count - 2 * server.frame(of: firstSegment(network)))
  }

  @Test func memoryStaysWithinItsBounds() throws {
    let server = try Server()
    let sizes = (0..<18).compactMap { server.source.folder.bytes("s\($0).ts")?.count }
    let largest = try #require(sizes.max())
    for segments in 1...3 {
      let network = server.network()
      let listener = listen(network, 16, HLSOptions(segments: segments))
      #expect(listener.mostHeld < segments * largest + (2 * 48_000 + 2048) * 8 + 4096)
      #expect(network.mostRunning <= 2)
    }
  }

  /// What has been heard for four seconds of a stream without end, whose window slides on by the clock.
  private func fourSecondsOfLive() throws -> (StreamProgramme, FakeNetwork, Listener) {
    let source = try Streams.long.get()
    let entries = Streams.entries(source.folder, "s")
    let endless = (0..<200).map { entries[$0 % entries.count] }
    let network = Streams.serve(source.folder) { path, now in
      path == "live.m3u8"
        ? .text(Streams.window(endless, available: 5 + Int(now.seconds / 2), count: 5)) : nil
    }
    let programme = StreamProgramme(url: FakeNetwork.host + "live.m3u8", network: network) {}
    let listener = Listener(programme, network)
    listener.isPaced = true
    listener.run(4)
    return (programme, network, listener)
  }

  /// The window goes on while nothing is taken; what is heard next is as far behind as the pause was long.
  @Test func theDistanceToTheEdgeGrowsInALongPause() throws {
    let (programme, network, _) = try fourSecondsOfLive()
    let before = try #require(programme.status.behindLive)
    let paused = network.now
    while network.now < paused + .seconds(100) {
      _ = programme.step(now: network.now)
      network.now = network.now + .milliseconds(50)
    }
    let after = try #require(programme.status.behindLive)
    let grown: Int = after - before
    #expect(abs(grown - 100 * 48_000) < 5 * 48_000, "\(before) \(after)")
  }

  /// After a long pause what is heard first is from before it, and as far behind as the pause was long.
  @Test func whatALongPauseLeavesOutIsTold() throws {
    let (programme, network, listener) = try fourSecondsOfLive()
    let first = programme.status
    let before = try #require(first.behindLive) + first.decodedFrames
    let resumed = network.now + .seconds(60)
    let start = try #require(listener.blocks.last.map { $0.start + $0.frames })
    var (heard, distance, isBehind) = (start, 0, false)
    while network.now < resumed + .seconds(15) {
      _ = programme.step(now: network.now)
      let due = start + Int((network.now - resumed).inSeconds * 48_000)
      while heard < due, let block = programme.nextSound() { heard = block.start + block.frames }
      let status = programme.status
      let isBefore = status.leftOutAt.map { heard < $0 } ?? true
      distance = try #require(status.behindLive) + status.decodedFrames + (isBefore ? status.leftOut : 0)
      // A segment more may be left out later, near the edge.
      if status.leftOut > 10 * 48_000, isBefore {
        isBehind = true
        let grown = distance - before
        #expect(abs(grown - 60 * 48_000) < 5 * 48_000, "\(grown)")
      }
      network.now = network.now + .milliseconds(50)
    }
    // Then it goes on near the edge.
    #expect(isBehind && distance < 20 * 48_000, "\(distance)")
  }
}
