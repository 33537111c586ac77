import Testing

@testable import Streaming

@Suite struct MasterPlaylistTests {
  private let text = """
    #EXTM3U
    #EXT-X-VERSION:6
    #EXT-X-DEFINE:NAME="cdn",VALUE="https://cdn.test/x"
    #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="English",LANGUAGE="en",DEFAULT=YES,AUTOSELECT=YES
    #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="Español, latino",LANGUAGE="es-MX",URI="{$cdn}/es.m3u8"
    #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="Deutsch",LANGUAGE="de",URI="../de.m3u8",FORCED=NO
    #EXT-X-MEDIA:TYPE=CLOSED-CAPTIONS,GROUP-ID="c",NAME="cc",INSTREAM-ID="CC1"
    #EXT-X-STREAM-INF:BANDWIDTH=2000000,AVERAGE-BANDWIDTH=1500000,CODECS="avc1.64001f,mp4a.40.2",RESOLUTION=1280x720,AUDIO="a",SUBTITLES="s"
    hi/index.m3u8
    # a comment

    #EXT-X-STREAM-INF:BANDWIDTH=64000,CODECS="mp4a.40.5",AUDIO="a"
    /lo.m3u8\r
    #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI="i.m3u8"
    """

  @Test func variantsAndRenditionsAreReadWithTheirAddresses() throws {
    let master = try MasterPlaylist(Array(text.utf8), url: "http://h/live/master.m3u8?t=1")
    #expect(master.variants.map(\.url) == ["http://h/live/hi/index.m3u8", "http://h/lo.m3u8"])
    #expect(master.variants.map(\.bandwidth) == [2_000_000, 64_000])
    #expect(master.variants.map(\.isSoundOnly) == [false, true])
    #expect(master.variants[0].width == 1280)
    #expect(master.variants[0].subtitleGroup == "s")
    #expect(master.renditions.map(\.language) == ["en", "es-MX", "de"])
    #expect(master.renditions.map(\.url) == [nil, "https://cdn.test/x/es.m3u8", "http://h/de.m3u8"])
    #expect(master.renditions[1].name == "Español, latino")
    #expect(master.renditions.map(\.isDefault) == [true, false, false])
  }

  @Test(arguments: [
    ("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n#EXT-X-STREAM-INF:BANDWIDTH=1\na", 3, "address"),
    ("#EXTM3U\n\n#EXT-X-STREAM-INF:CODECS=\"x\"\na", 3, "BANDWIDTH"),
    ("#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,NAME=\"x\"", 2, "GROUP-ID"),
    ("#EXTM3U\n#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID=\"s\",NAME=\"x\"", 2, "URI"),
    ("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1,CODECS=\"open\na", 2, "CODECS"),
    ("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=99999999999999999999999\na", 2, "BANDWIDTH"),
    ("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\na{$x}", 0, ""),
    ("<html>", 1, "#EXTM3U"),
  ])
  func errorsNameLineAndCause(_ text: String, _ line: Int, _ word: String) {
    do {
      let master = try MasterPlaylist(Array(text.utf8), url: "http://h/m.m3u8")
      // Without EXT-X-DEFINE there are no variables, and braces are braces.
      #expect(line == 0 && master.variants.count == 1)
    } catch {
      #expect(error.line == line)
      #expect(error.description.contains(word))
      #expect(error.description.contains("line \(line)"))
    }
  }

  @Test func bothKindsAreToldApart() throws {
    guard case .master = try Playlist(Array(text.utf8), url: "http://h/x") else { return #expect(Bool(false)) }
    let media = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\na.ts\n"
    guard case .media = try Playlist(Array(media.utf8), url: "http://h/x") else { return #expect(Bool(false)) }
    #expect(throws: PlaylistError.self) { try Playlist(Array("#EXTM3U\n".utf8), url: "http://h/x") }
  }
}
