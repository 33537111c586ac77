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

  /// A line that is wrong costs what it says, and is remarked with its number and the cause.
  @Test(arguments: [
    ("#EXT-X-TARGETDURATION:2\nb.ts\n#EXTINF:2,\na.ts", 3, "EXTINF"),
    ("#EXT-X-TARGETDURATION:2\n#EXTINF:abc,\na.ts", 3, "EXTINF"),
    ("#EXT-X-TARGETDURATION:2\n#EXTINF:-1,\na.ts", 3, "EXTINF"),
    ("#EXT-X-TARGETDURATION:x\n#EXTINF:2,\na.ts", 2, "TARGETDURATION"),
    ("#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:2,\na.ts", 0, "TARGETDURATION"),
    ("#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n#EXT-X-BYTERANGE:5\na.ts", 5, "offset"),
    ("#EXT-X-TARGETDURATION:2\n#EXT-X-STREAM-INF:BANDWIDTH=1\n#EXTINF:2,\na.ts", 3, "STREAM-INF"),
    ("#EXT-X-TARGETDURATION:2\n#EXT-X-MEDIA:TYPE=AUDIO\n#EXTINF:2,\na.ts", 3, "EXT-X-MEDIA"),
    ("#EXT-X-TARGETDURATION:2\n#EXT-X-MAP:BYTERANGE=\"x\"\n#EXTINF:2,\na.ts", 3, "URI"),
  ])
  func aWrongLineCostsWhatItSays(_ text: String, _ line: Int, _ word: String) throws {
    var list = try parse("#EXTM3U\n" + text)
    #expect(list.count == 1 && list.targetDuration == .seconds(2))
    #expect(list.segment(0)?.url == "http://h/live/a.ts")
    #expect(list.segment(0)?.duration == .seconds(2))
    #expect(list.remarks.contains { $0.contains("line \(line)") && $0.contains(word) }, "\(list.remarks)")
  }

  /// Its length and its number count.
  @Test func aSegmentWhoseAddressIsNoneIsAGap() throws {
    var list = try parse("#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\na\u{1}.ts\n#EXTINF:2,\nb.ts\n")
    #expect(list.count == 2)
    #expect(list.segment(0)?.isGap == true && list.segment(1)?.isGap == false)
    #expect(list.segment(1)?.time == .seconds(2))
    #expect(list.remarks.contains { $0.contains("line 4") && $0.contains("control") })
  }

  @Test(arguments: [
    ("#EXT-X-TARGETDURATION:2\n#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"k\"\n", 3, "SAMPLE-AES"),
    ("#EXT-X-TARGETDURATION:2\n#EXT-X-KEY:METHOD=AES-128,URI=\"k\",IV=0xZZ\n", 3, "IV"),
    ("#EXT-X-TARGETDURATION:2\n#EXT-X-KEY:METHOD=AES-128,URI=\"k\"\n#EXT-X-MAP:URI=\"i\"\n", 4, "IV"),
    ("#EXT-X-TARGETDURATION:2\n#EXT-X-KEY:METHOD=AES-128\n#EXTINF:2,\na.ts\n", 3, "where the key is"),
  ])
  func whatCannotBeDecryptedNamesLineAndCause(_ text: String, _ line: Int, _ word: String) {
    #expect {
      try parse("#EXTM3U\n" + text)
    } throws: { error in
      guard let error = error as? PlaylistError else { return false }
      return error.line == line && error.description.contains(word) && StreamFault(error).code == "encrypted"
    }
  }

  /// As ffmpeg and mpv play them: two segments, the second from 2 s on.
  @Test(arguments: [
    "\u{FEFF}#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\na.ts\n#EXTINF:2,\nb.ts\n",
    "#EXTM3U url-tvg=\"http://h/x\"\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\na.ts\n#EXTINF:2,\nb.ts\n",
    "#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:0\n#EXTINF:2,\na.ts\n#EXTINF:2,\nb.ts\n",
    "#EXTM3U\n#EXT-X-TARGETDURATION:2.0\n#EXTINF: 2.000 ,x\na.ts\n#EXTINF:+2\nb.ts\n\0\0\0\0",
    "#EXTM3U\r\n#EXT-X-TARGETDURATION:2\r\n#EXTINF:-1,\r\na.ts\r\n#EXTINF:-1 tvg-id=\"a,b\" group=\"c\",N\r\nb.ts",
    "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"n\"\n#EXTINF:2,\na.ts\n#EXTINF:2,\nb.ts",
    "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTVLCOPT:http-user-agent=x\n#EXTINF:2,\n#EXTGRP:x\na.ts\n#EXTINF:,\nb.ts",
    "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,é\n a.ts\n\t#EXTINF:2.0.1,\nb.ts \n",
    "#EXTM3U\n#EXTINF:2,\na.ts\n#EXTINF:2,\nb.ts\n",
    "#extm3u\n#EXT-X-TARGETDURATION:2\n#EXT-X-KEY:METHOD=NONE,uri=x,novalue\n#EXTINF:2,\na.ts\n#EXTINF:2,\nb.ts\n",
    "#EXTM3U\n#EXT-X-TARGETDURATION:99999999999999\n#EXT-X-DEFINE:IMPORT=\"gone\"\n#EXTINF:2,\na.ts\n#EXTINF:2,\nb.ts\n",
  ])
  func mediaPlaylistsAreReadAsPlayersReadThem(_ text: String) throws {
    guard case .media(var list) = try Playlist(Array(text.utf8), url: "http://h/live/x") else {
      return #expect(Bool(false), "not taken for one of segments")
    }
    #expect(list.count == 2)
    #expect((0..<2).map { list.segment($0)?.url } == ["http://h/live/a.ts", "http://h/live/b.ts"])
    #expect(list.segment(1)?.time == .seconds(2))
    #expect((0..<2).allSatisfy { list.segment($0)?.isGap == false })
  }

  @Test func sequenceNumbersAreTakenWhereverTheyStandAndHoweverLargeTheyAre() throws {
    var late = try parse(
      "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\na.ts\n#EXT-X-MEDIA-SEQUENCE:5\n#EXTINF:2,\nb.ts")
    #expect(late.mediaSequence == 5 && late.segment(6)?.url == "http://h/live/b.ts")
    let large = try parse("#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:1763818000000000000\n#EXTINF:2,\na.ts")
    #expect(large.mediaSequence == 1_763_818_000_000_000_000)
    let none = try parse("#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:99999999999999999999\n#EXTINF:2,\na.ts")
    #expect(none.mediaSequence == 0 && none.remarks.contains { $0.contains("SEQUENCE") })
  }

  @Test func aListThatIsNotToChangeIsAtItsEnd() throws {
    #expect(try parse("#EXTM3U\n#EXT-X-PLAYLIST-TYPE:VOD\n#EXTINF:2,\na.ts").isEnded)
    #expect(try parse("#EXTM3U\n#EXTINF:2,\na.ts").isEnded)
    #expect(try !parse("#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\na.ts").isEnded)
  }

  /// Their sums ended the program.
  @Test func byteRangesNearTheEndOfNumbersAreGaps() throws {
    let ranges = String(repeating: "#EXTINF:2,\n#EXT-X-BYTERANGE:9007199254740992\na.ts\n", count: 1100)
    var list = try parse(
      "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n#EXT-X-BYTERANGE:9007199254740992@9007199254740992\na.ts\n"
        + ranges + "#EXTINF:2,\nb.ts\n#EXT-X-MAP:URI=\"m\",BYTERANGE=\"9007199254740992@9007199254740992\"\n")
    #expect(list.count == 1102)
    #expect(list.segment(0)?.isGap == true && list.segment(1101)?.isGap == false)
    #expect(list.remarks.count == 9)
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

  @Test func aKeyThatNoServerGivesIsAProtection() throws {
    var list = try parse(
      """
      #EXTM3U
      #EXT-X-TARGETDURATION:2
      #EXT-X-KEY:METHOD=AES-128,URI="skd://x"
      #EXTINF:2,
      a.ts
      #EXT-X-KEY:METHOD=AES-128,URI="data:;base64,AAAAAAAAAAAAAAAAAAAAAA=="
      #EXTINF:2,
      b.ts
      """)
    #expect(list.segment(0)?.refusal != nil)
    #expect(list.segment(0)?.refusal?.contains("skd://x") == true)
    #expect(list.segment(1)?.refusal == nil && list.segment(1)?.key != nil)
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

  /// Lines that stand for long ones are bounded by what they become.
  @Test(.timeLimit(.minutes(10))) func variablesCostLittleHoweverOftenTheyStand() throws {
    let value = String(repeating: "x", count: 15_000)
    let entry = "#EXT-X-KEY:METHOD=AES-128,URI=\"{$a}\"\n#EXTINF:2,\n{$a}.ts\n"
    var list = try parse(
      "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-DEFINE:NAME=\"a\",VALUE=\"\(value)\"\n"
        + String(repeating: entry, count: 30_000))
    #expect(list.count == 30_000)
    #expect(list.segment(0)?.url == "http://h/live/\(value).ts")
    #expect(list.segment(29_999) != nil)
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

  @Test func fourBytesThatStandForThousandsCostNoMinutes() throws {
    let long = String(repeating: "x", count: 16_000)
    var text = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXT-X-DEFINE:NAME=\"a\",VALUE=\"\(long)\"\n"
    for index in 0..<900 { text += "#EXT-X-DEFINE:NAME=\"b\(index)\",VALUE=\"{$a}{$a}{$a}{$a}\"\n" }
    for _ in 0..<20_000 { text += "#EXT-X-KEY:METHOD=AES-128,URI=\"{$a}\"\n#EXTINF:1\n{$b0}\n" }
    let clock = ContinuousClock()
    let time = try clock.measure {
      var list = try MediaPlaylist(Array(text.utf8), url: "http://h/\(long)/x")
      #expect(list.count == 20_000)
      #expect(list.segment(0)?.url.utf8.count ?? 0 > 16_000)
      #expect(list.segment(19_999) != nil)
      #expect(list.remarks.contains { $0.contains("too many variables") })
    }
    #expect(time < .seconds(60), "not optimised, beside others")
  }
}
