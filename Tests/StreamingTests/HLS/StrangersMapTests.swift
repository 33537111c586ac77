import Hardware
import TestSupport
import Testing

@testable import Streaming

/// What stands before all segments (EXT-X-MAP), as strangers have it.
@Suite struct StrangersMapTests {
  private func play(_ url: String, _ network: FakeNetwork) -> Listener {
    let listener = Listener(StreamProgramme(url: FakeNetwork.host + url, network: network) {}, network)
    listener.run(60)
    return listener
  }

  /// A connection that breaks where no length was told.
  @Test(arguments: [1, 2, 99])
  func halfOfItIsNotKept(_ breaks: Int) throws {
    let source = try Streams.source.get()
    var asked = 0
    let network = Streams.serve(source.folder) { path, _ in
      guard path == "mp4-init.mp4", let bytes = source.folder.bytes(path) else { return nil }
      asked += 1
      // Where it breaks again and again, it does at the same place.
      let end = bytes.count / 2 + (breaks < 99 ? asked : 0)
      return FakeNetwork.Answer(bytes: bytes, hasLength: false, endsAfter: asked <= breaks ? end : nil)
    }
    let listener = play("mp4.m3u8", network)
    if breaks < 99 {
      #expect(listener.programme.status.phase == .ended)
      #expect(difference(listener.samples, source.samples) < 1e-6)
      #expect(listener.programme.status.lost == 0)
      #expect(asked == breaks + 1, "\(asked)")
    } else {
      // Nobody is asked for ever.
      #expect(asked == 2, "\(asked)")
      guard case .failed = listener.programme.status.phase else {
        return #expect(Bool(false), "\(listener.programme.status.phase)")
      }
    }
  }
}
