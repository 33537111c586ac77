import Hardware
import TestSupport
import Testing

@testable import Streaming

/// Streams that claim what costs time or leads out of all numbers.
@Suite struct StrangersClaimsTests {
  private func playlist(_ first: Int, seconds: Int, count: Int = 2) throws -> MediaPlaylist {
    let entries = String(repeating: "#EXTINF:\(seconds),\ns.ts\n", count: count)
    let head = "#EXTM3U\n#EXT-X-TARGETDURATION:\(seconds)\n#EXT-X-MEDIA-SEQUENCE:\(first)\n"
    return try MediaPlaylist(Array((head + entries).utf8), url: "http://h/l.m3u8")
  }

  @Test func `however many segments are claimed to have been missed, time can be counted with`()
    throws
  {
    var plan = LoaderPlan(seed: 1)
    var now = Instant.zero
    for round in 0..<3000 {
      plan.playlistRequested(now: now)
      plan.playlistCame(try playlist(round << 48, seconds: 86_400), now: now)
      now = now + .seconds(1)
      #expect(plan.origin < .seconds(101 * 365 * 86_400))
    }
    #expect(plan.origin > .seconds(86_400))
    // No more is believed than time has passed.
    var other = LoaderPlan(seed: 1)
    other.playlistRequested(now: now)
    other.playlistCame(try playlist(0, seconds: 86_400), now: now)
    other.playlistRequested(now: now)
    other.playlistCame(try playlist(1 << 60, seconds: 86_400), now: now)
    #expect(other.origin == .seconds(2 * 86_400))
    // Encoders that begin anew number their segments by the clock.
    for away in [10, 600] {
      var plan = LoaderPlan(seed: 1)
      plan.playlistRequested(now: .zero)
      plan.playlistCame(try playlist(1_700_000_000, seconds: 2, count: 6), now: .zero)
      plan.playlistRequested(now: .zero + .seconds(away))
      plan.playlistCame(try playlist(1_700_003_600, seconds: 2, count: 6), now: .zero + .seconds(away))
      #expect(plan.origin >= .seconds(away) && plan.origin <= .seconds(12 + away))
    }
  }

  @Test func `a list lasts a year at most`() throws {
    var list = try playlist(0, seconds: 86_400, count: 2000)
    #expect(list.duration == .seconds(365 * 86_400) && list.count == 2000)
    #expect(list.segment(1999)?.end == list.duration)
    #expect(list.segment(at: .seconds(86_401))?.sequence == 1)
  }

  /// A thousand variants in groups of a thousand renditions, all with long names, were compared with each other in each step.
  @Test func `a step costs little however many variants and renditions there are`() throws {
    let long = String(repeating: "x", count: 3000)
    var text = "#EXTM3U\n#EXT-X-DEFINE:NAME=\"n\",VALUE=\"\(long)\"\n"
    for number in 0..<1000 {
      text +=
        "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"{$n}\(number)\",NAME=\"n\",LANGUAGE=\"l-\(number)\",URI=\"same.m3u8\"\n"
    }
    for number in 0..<1000 {
      text += "#EXT-X-STREAM-INF:BANDWIDTH=\(1000 + number),AUDIO=\"{$n}\(number)\"\nv\(number)/{$n}\n"
    }
    let network = FakeNetwork()
    network.server = { path, _ in path == "m.m3u8" ? .text(text) : FakeNetwork.Answer(error: .status(503)) }
    let programme = StreamProgramme(url: FakeNetwork.host + "m.m3u8", network: network) {}
    for _ in 0..<10 {
      _ = programme.step(now: network.now)
      network.now = network.now + .milliseconds(50)
    }
    let clock = ContinuousClock()
    let taken = clock.measure {
      for _ in 0..<100 {
        _ = programme.step(now: network.now)
        #expect(programme.status.soundLanguages.count == 1000)
        network.now = network.now + .milliseconds(50)
      }
    }
    #expect(programme.hls != nil)
    #expect(taken < .seconds(2), "\(taken)")
  }

  @Test func `variants of one address are left out together, and those of other addresses stay`() throws {
    let text =
      "#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"a\",URI=\"a\"\n"
      + "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"b\",NAME=\"b\",URI=\"b\"\n"
      + "#EXT-X-STREAM-INF:BANDWIDTH=3,AUDIO=\"a\"\nx\n#EXT-X-STREAM-INF:BANDWIDTH=2,AUDIO=\"b\"\nx\n"
      + "#EXT-X-STREAM-INF:BANDWIDTH=1\ny\n"
    let master = try MasterPlaylist(Array(text.utf8), url: "http://h/m")
    #expect(master.variants.map(master.soundAddress) == ["http://h/a", "http://h/b", "http://h/y"])
    var choice = try #require(
      VariantChoice(master.variants, wantsPictures: false, isLowPower: false, bandwidth: 1_000_000))
    #expect(choice.current.bandwidth == 3)
    choice.avoid(choice.current, now: .zero)
    #expect(choice.wanted(bandwidth: 1_000_000, isLowPower: false, now: .zero).url == "http://h/y")
    #expect(choice.others(now: .zero).map(\.bandwidth) == [1])
  }

  @Test func `subtitles that are kept are a megabyte at most`() throws {
    let source = try Streams.source.get()
    let list =
      "#EXTM3U\n#EXT-X-TARGETDURATION:2\n" + (0..<6).map { "#EXTINF:2,\nsub\($0).vtt\n" }.joined() + "#EXT-X-ENDLIST\n"
    let master =
      "#EXTM3U\n#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID=\"s\",NAME=\"s\",LANGUAGE=\"es\",URI=\"subs.m3u8\"\n"
      + "#EXT-X-STREAM-INF:BANDWIDTH=1000,SUBTITLES=\"s\"\nts.m3u8\n"
    let words = String(repeating: "w", count: 1900)
    func held(_ cues: Int) -> Int {
      let network = Streams.serve(source.folder) { path, _ in
        if path == "m.m3u8" { return .text(master) }
        if path == "subs.m3u8" { return .text(list) }
        guard path.hasPrefix("sub") else { return nil }
        return .text(
          "WEBVTT\n\n" + (0..<cues).map { "00:00.0\(10 + $0 % 80) --> 00:11.000\n\(path)\($0)\(words)\n\n" }.joined())
      }
      let listener = Listener(StreamProgramme(url: FakeNetwork.host + "m.m3u8", network: network) {}, network)
      listener.isPaced = true
      listener.run(60)
      return listener.mostHeld
    }
    let (few, many) = (held(1), held(500))
    // One file that is being read, and what is kept.
    #expect(many - few < 5 << 19, "\(few) \(many)")
  }
}
