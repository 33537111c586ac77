import Hardware
import TestSupport

@testable import Streaming

/// Suites that play a stream of two variants with another language beside them, and subtitles in that.
protocol TwoLanguages {}

private enum TwoLanguageStreams {
  /// Another language: its playlist, segments and sound.
  static let spanish: Result<Streams.Source, any Error> = Result {
    let folder = TemporaryFolder()
    try ffmpeg(folder, tones(Streams.seconds, from: 900) + ["-c:a", "aac", "-aac_pns", "0", "es.aac"])
    try Streams.hls(folder, "es.aac", "es")
    return Streams.Source(folder: folder, samples: try reference(folder, "es.aac"))
  }
}

extension TwoLanguages {
  var master: String {
    """
    #EXTM3U
    #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="English",LANGUAGE="en",DEFAULT=YES
    #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="Español",LANGUAGE="es",URI="es.m3u8"
    #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="Español",LANGUAGE="es",URI="subs.m3u8"
    #EXT-X-STREAM-INF:BANDWIDTH=128000,AUDIO="a",SUBTITLES="s"
    lo/ts.m3u8
    #EXT-X-STREAM-INF:BANDWIDTH=800000,AUDIO="a",SUBTITLES="s"
    hi/ts.m3u8
    """
  }

  func network(_ change: @escaping (String, Instant) -> FakeNetwork.Answer? = { _, _ in nil }) throws
    -> (FakeNetwork, Streams.Source, Streams.Source)
  {
    let source = try Streams.source.get()
    let other = try TwoLanguageStreams.spanish.get()
    let master = master
    let network = FakeNetwork()
    network.server = { path, now in
      if let answer = change(path, now) { return answer }
      if path == "master.m3u8" { return .text(master) }
      if path == "subs.m3u8" {
        return .text(
          "#EXTM3U\n#EXT-X-TARGETDURATION:12\n#EXTINF:6,\nsubs0.vtt\n#EXTINF:6,\nsubs1.vtt\n#EXT-X-ENDLIST\n")
      }
      if path.hasPrefix("subs") {
        // ffmpeg's transport streams begin at 1.4 s.
        let isFirst = path == "subs0.vtt"
        return .text(
          """
          WEBVTT
          X-TIMESTAMP-MAP=MPEGTS:126000,LOCAL:00:00:00.000

          00:05.500 --> 00:06.500
          en ambos

          \(isFirst ? "00:02.000 --> 00:03.000" : "00:07.000 --> 00:08.250")
          <b>hola</b>
          """)
      }
      let name = path.split(separator: "/").last.map(String.init) ?? path
      return (path.hasPrefix("es") ? other.folder : source.folder).bytes(name).map { .bytes($0) }
    }
    return (network, source, other)
  }

  /// A programme that has been heard for a second.
  func begun(_ network: FakeNetwork) -> (StreamProgramme, Listener) {
    let programme = StreamProgramme(url: FakeNetwork.host + "master.m3u8", network: network) {}
    let listener = Listener(programme, network)
    listener.isPaced = true
    listener.run(1)
    return (programme, listener)
  }
}
