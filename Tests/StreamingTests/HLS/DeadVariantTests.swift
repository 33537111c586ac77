import Hardware
import TestSupport
import Testing

@testable import Streaming

/// Live streams of two variants, the better of which goes away while it is heard.
@Suite struct DeadVariantTests {
  private static let master =
    "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=200000\nhi/l.m3u8\n#EXT-X-STREAM-INF:BANDWIDTH=128000\nlo/l.m3u8\n"

  private typealias Entries = [(lines: [String], seconds: Double)]

  /// Plays the segments of a folder.
  ///
  /// - Parameter list: of a variant, by the first letters of its address, after so many seconds.
  private func play(
    _ folder: TemporaryFolder, for seconds: Double, master: String = Self.master, _ options: HLSOptions = HLSOptions(),
    list: @escaping (_ entries: Entries, _ variant: String, _ seconds: Double) -> FakeNetwork.Answer
  ) -> (listener: Listener, requests: [String]) {
    let entries = Streams.entries(folder, "s")
    let network = Streams.serve(folder) { path, now in
      if path == "m.m3u8" { return .text(master) }
      if path.hasSuffix(".m3u8") { return list(entries, String(path.prefix(2)), now.seconds) }
      return folder.bytes(String(path.dropFirst(3))).map { .bytes($0) }
    }
    let url = FakeNetwork.host + "m.m3u8"
    let listener = Listener(StreamProgramme(url: url, network: network, options: options) {}, network)
    listener.isPaced = true
    listener.run(seconds)
    return (listener, network.requests.map(\.path))
  }

  /// A list that goes on by a segment every two seconds.
  private static func live(_ entries: Entries, _ seconds: Double, count: Int = 6) -> String {
    Streams.window(entries, available: min(entries.count, 6 + Int(seconds / 2)), count: count)
  }

  private static func segments(_ requests: [String]) -> [String] { requests.filter { $0.hasSuffix(".ts") } }

  /// Its list is gone, is none any more, or stands still: the one that goes on is heard, also where all of its segments
  /// have come.
  @Test(arguments: ["gone", "page", "still"])
  func aLiveVariantWhoseListIsGoneIsLeft(_ how: String) throws {
    let (listener, requests) = play(try Streams.long.get().folder, for: 30) { entries, variant, seconds in
      let isOver = variant == "hi" && seconds >= 5
      if isOver, how == "gone" { return .status(404) }
      if isOver, how == "page" { return .text("<html>") }
      return .text(Self.live(entries, isOver ? 5 : seconds))
    }
    let segments = Self.segments(requests)
    #expect(segments.first?.hasPrefix("hi/") == true && segments.last?.hasPrefix("lo/") == true)
    #expect(listener.holes.isEmpty && listener.frames >= 18 * 48_000, "\(listener.frames)")
  }

  /// It is looked at again a minute later: what it still stands still at is not heard again.
  @Test func aLiveVariantThatStaysStillIsNotComeBackTo() throws {
    let folder = TemporaryFolder()
    try ffmpeg(folder, tones(120) + ["-c:a", "aac", "-b:a", "96k", "source.aac"])
    try Streams.hls(folder, "source.aac", "s")
    let (listener, requests) = play(folder, for: 100) { entries, variant, seconds in
      let text = Self.live(entries, variant == "hi" ? min(5, seconds) : seconds)
      let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#EXT-X-PROGRAM") }
      return .text(lines.joined(separator: "\n") + "\n")
    }
    let segments = Self.segments(requests)
    #expect(segments.first?.hasPrefix("hi/") == true)
    #expect(segments.drop { $0.hasPrefix("hi/") }.allSatisfy { $0.hasPrefix("lo/") })
    #expect(requests.drop { $0 != "lo/l.m3u8" }.contains("hi/l.m3u8"))
    #expect(listener.holes.isEmpty && listener.blocks.allSatisfy { $0.epoch == 0 })
  }

  /// An EVENT goes on in the other variant where it was left: what has been added there meanwhile is heard.
  @Test func anEventThatStandsStillLosesNothing() throws {
    let (listener, requests) = play(try Streams.long.get().folder, for: 40) { entries, variant, seconds in
      let text = Self.live(entries, variant == "hi" ? min(5, seconds) : seconds, count: entries.count)
      return .text(
        text.replacing("#EXT-X-TARGETDURATION", with: "#EXT-X-PLAYLIST-TYPE:EVENT\n#EXT-X-TARGETDURATION"))
    }
    let segments = Self.segments(requests)
    #expect(segments.first?.hasPrefix("hi/") == true && segments.last?.hasPrefix("lo/") == true)
    #expect(listener.holes.isEmpty && listener.blocks.allSatisfy { $0.epoch == 0 })
    #expect(listener.frames >= 28 * 48_000, "\(listener.frames)")
  }

  /// Pictures beside a sound of its own, too, are had from another variant where their list is gone, or never was there.
  @Test(arguments: [0.0, 5])
  func picturesWhoseListIsGoneAreHadElsewhere(_ until: Double) throws {
    let variant = "#EXT-X-STREAM-INF:CODECS=\"avc1.42e00a,mp4a.40.2\",AUDIO=\"a\",BANDWIDTH="
    let master =
      "#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"a\",LANGUAGE=\"en\",URI=\"ao/l.m3u8\"\n"
      + "\(variant)200000\nhi/l.m3u8\n\(variant)128000\nlo/l.m3u8\n"
    let (listener, requests) = play(
      try Streams.long.get().folder, for: 30, master: master, HLSOptions(pictures: true)
    ) { entries, variant, seconds in
      variant == "hi" && seconds >= until ? .status(404) : .text(Self.live(entries, seconds))
    }
    let pictures = Self.segments(requests).filter { !$0.hasPrefix("ao/") }
    #expect(pictures.first?.hasPrefix("hi/") == (until > 0) && pictures.last?.hasPrefix("lo/") == true)
    #expect(listener.holes.isEmpty)
  }
}
