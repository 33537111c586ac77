import Hardware
import Testing

@testable import Streaming

@Suite struct MediaPlaylistTests {
  private func parse(_ text: String) throws -> MediaPlaylist {
    try MediaPlaylist(Array(text.utf8), url: "http://h/live/index.m3u8?query=1")
  }

  private let text = """
    #EXTM3U
    #EXT-X-VERSION:7
    #EXT-X-TARGETDURATION:4
    #EXT-X-MEDIA-SEQUENCE:100
    #EXT-X-DISCONTINUITY-SEQUENCE:7
    #EXT-X-DEFINE:QUERYPARAM="query"
    #EXT-X-MAP:URI="init.mp4",BYTERANGE="800@0"
    #EXT-X-PROGRAM-DATE-TIME:2026-11-21T12:00:00.250+01:00
    #EXTINF:3.5,title
    #EXT-X-BYTERANGE:1000@800
    all.m4s
    #EXTINF:4
    #EXT-X-BYTERANGE:500
    all.m4s
    #EXT-X-DISCONTINUITY
    #EXT-X-KEY:METHOD=AES-128,URI="/key{$query}",IV=0x0102
    #EXTINF:2.000000001,
    b.m4s
    #EXT-X-GAP
    #EXT-X-KEY:METHOD=AES-128,URI="key2"
    #EXTINF:2,
    c.m4s
    #EXT-X-KEY:METHOD=NONE
    #EXTINF:1,
    d.m4s
    #EXT-X-ENDLIST
    """

  @Test func everyTagIsRead() throws {
    var list = try parse(text)
    #expect(list.targetDuration == .seconds(4))
    #expect(list.isEnded && list.kind == nil && !list.isSliding)
    #expect(list.count == 5)
    #expect(list.duration == .nanoseconds(12_500_000_001))
    let segments = (100..<105).compactMap { list.segment($0) }
    #expect(segments.map(\.sequence) == [100, 101, 102, 103, 104])
    #expect(segments.map(\.discontinuity) == [7, 7, 8, 8, 8])
    #expect(segments.map(\.range) == [800..<1800, 1800..<2300, nil, nil, nil])
    #expect(segments[0].url == "http://h/live/all.m4s")
    #expect(segments[0].map == SegmentMap(url: "http://h/live/init.mp4", range: 0..<800, key: nil))
    #expect(segments[0].date?.iso8601 == "2026-11-21T11:00:00Z")
    #expect(segments[1].date.map { $0.nanosecondsSince1970 % 1_000_000_000 } == 750_000_000)
    #expect(segments[2].date == nil)
    #expect(segments[2].key?.url == "http://h/key1")
    #expect(segments[2].key?.vector(sequence: 102) == [UInt8](repeating: 0, count: 14) + [1, 2])
    #expect(segments.map(\.isGap) == [false, false, false, true, false])
    #expect(segments[3].key?.vector(sequence: 258) == [UInt8](repeating: 0, count: 14) + [1, 2])
    #expect(segments[4].key == nil)
    #expect(segments[3].time == .nanoseconds(9_500_000_001))
  }

  @Test(arguments: [
    ("#EXT-X-TARGETDURATION:2\na.ts", 3, "EXTINF"),
    ("#EXT-X-TARGETDURATION:2\n#EXTINF:abc,\na.ts", 3, "EXTINF"),
    ("#EXT-X-TARGETDURATION:2\n#EXTINF:-1,\na.ts", 3, "EXTINF"),
    ("#EXT-X-TARGETDURATION:x\n", 2, "TARGETDURATION"),
    ("#EXTINF:2,\na.ts", 0, "TARGETDURATION"),
    ("#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n#EXT-X-BYTERANGE:5\na.ts", 5, "offset"),
    ("#EXT-X-TARGETDURATION:2\n#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"k\"\n", 3, "SAMPLE-AES"),
    ("#EXT-X-TARGETDURATION:2\n#EXT-X-KEY:METHOD=AES-128,URI=\"k\",IV=0xZZ\n", 3, "IV"),
    ("#EXT-X-TARGETDURATION:2\n#EXT-X-KEY:METHOD=AES-128,URI=\"k\"\n#EXT-X-MAP:URI=\"i\"\n", 4, "IV"),
    ("#EXT-X-TARGETDURATION:2\n#EXTINF:2,\na.ts\n#EXT-X-MEDIA-SEQUENCE:5\n", 5, "MEDIA-SEQUENCE"),
    ("#EXT-X-TARGETDURATION:2\n#EXT-X-STREAM-INF:BANDWIDTH=1\n", 3, "STREAM-INF"),
    ("#EXT-X-TARGETDURATION:2\n#EXTINF:2,\na\u{1}.ts\n", 4, "control"),
  ])
  func errorsNameLineAndCause(_ text: String, _ line: Int, _ word: String) {
    #expect {
      try parse("#EXTM3U\n" + text)
    } throws: { error in
      guard let error = error as? PlaylistError else { return false }
      return error.line == line && error.description.contains(word)
    }
  }

  @Test func aKeyOfAnotherFormatBesideAPlainOneIsForOthers() throws {
    var list = try parse(
      """
      #EXTM3U
      #EXT-X-TARGETDURATION:2
      #EXT-X-KEY:METHOD=AES-128,URI="k"
      #EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://x",KEYFORMAT="com.apple.streamingkeydelivery"
      #EXTINF:2,
      a.ts
      """)
    #expect(list.segment(0)?.key?.url == "http://h/live/k")
  }

  @Test func tenThousandEntriesCostTheirTextAndAWindow() throws {
    var text = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-PLAYLIST-TYPE:VOD\n"
    for index in 0..<10_000 { text += "#EXTINF:6.006,\nsegment-\(index).ts\n" }
    var list = try parse(text + "#EXT-X-ENDLIST\n")
    #expect(list.count == 10_000)
    #expect(list.duration == .milliseconds(60_060_000))
    #expect(list.heldBytes < 512 << 10)
    for sequence in [0, 63, 64, 9_999, 5_000, 5_001, 1] {
      #expect(list.segment(sequence)?.url == "http://h/live/segment-\(sequence).ts")
      #expect(list.segment(sequence)?.time == .milliseconds(6006 * sequence))
    }
    #expect(list.segment(10_000) == nil)
    #expect(list.segment(at: .milliseconds(6006 * 7777))?.sequence == 7777)
    #expect(list.segment(at: .milliseconds(6006 * 7777 - 1))?.sequence == 7776)
    #expect(list.segment(at: .seconds(100_000))?.sequence == 9_999)
    #expect(list.liveStart()?.sequence == 9_997)
  }

  @Test func limitsHold() {
    var limits = PlaylistLimits()
    limits.entries = 10
    limits.bytes = 1000
    let many = "#EXTM3U\n#EXT-X-TARGETDURATION:6\n" + String(repeating: "#EXTINF:6,\na\n", count: 11)
    for text in [many, "#EXTM3U\n" + String(repeating: "#", count: 1000)] {
      #expect { try MediaPlaylist(Array(text.utf8), url: "u", limits: limits) } throws: {
        ($0 as? PlaylistError)?.kind == .tooLarge
      }
    }
  }

  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0), ("2000-02-29T12:34:56Z", 951_827_696), ("2026-11-21T12:00:00-0130", 1_795_267_800),
    ("2026-11-21T12:00:00", 1_795_262_400), ("2026-13-01T00:00:00Z", nil), ("yesterday", nil), ("", nil),
  ])
  func datesAreISO8601(_ text: String, _ seconds: Int64?) {
    #expect(PlaylistDate.wallTime(text.utf8)?.nanosecondsSince1970 == seconds.map { $0 * 1_000_000_000 })
  }
}
