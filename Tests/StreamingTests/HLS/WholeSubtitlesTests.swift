import Hardware
import TestSupport
import Testing

@testable import Streaming

/// Subtitles in one file, without X-TIMESTAMP-MAP: they are counted from the beginning of the list, wherever playing begins.
@Suite struct WholeSubtitlesTests {
  private static let master = """
    #EXTM3U
    #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="es",LANGUAGE="es",DEFAULT=YES,URI="subs.m3u8"
    #EXT-X-STREAM-INF:BANDWIDTH=128000,SUBTITLES="s"
    sound.m3u8
    """

  private static let words = "WEBVTT\n\n00:01.000 --> 00:02.000\nuno\n\n00:09.000 --> 00:10.000\nnueve\n"

  /// An EVENT that goes on begins six seconds before its end; what begins with a segment that is gone begins behind it.
  @Test(arguments: ["event", "whole", "gone"])
  func subtitlesWithoutAMapLieWhereTheyAreSpoken(_ how: String) throws {
    let source = try Streams.source.get()
    var lines = ["#EXTM3U", "#EXT-X-TARGETDURATION:2"]
    if how == "event" { lines.append("#EXT-X-PLAYLIST-TYPE:EVENT") }
    for entry in Streams.entries(source.folder, "ts") { lines += entry.lines }
    if how != "event" { lines.append("#EXT-X-ENDLIST") }
    let list = lines.joined(separator: "\n") + "\n"
    let network = Streams.serve(source.folder) { path, _ in
      switch path {
      case "m.m3u8": .text(Self.master)
      case "sound.m3u8": .text(list)
      case "subs.m3u8": .text("#EXTM3U\n#EXT-X-TARGETDURATION:12\n#EXTINF:12,\nwhole.vtt\n#EXT-X-ENDLIST\n")
      case "whole.vtt": .text(Self.words)
      case "ts0.ts": how == "gone" ? .status(404) : nil
      default: nil
      }
    }
    let listener = Listener(StreamProgramme(url: FakeNetwork.host + "m.m3u8", network: network) {}, network)
    listener.run(20)
    let first = try #require(listener.blocks.first)
    // ffmpeg's transport streams begin at 1.4 s.
    let begin = Double(first.sourceTime - 126_000) / 90_000
    #expect((begin < 0.1) == (how == "whole"), "\(begin)")
    let cue = try #require(listener.cues.first { $0.text == "nueve" })
    let spoken = begin + Double(cue.start - first.start) / 48_000
    #expect(abs(spoken - 9) < 0.1, "\(spoken)")
    #expect(listener.cues.contains { $0.text == "uno" } == (how == "whole"))
  }
}
