import Appliance
import Testing

@testable import Runtime

@Suite struct KeptRunTests {
  private let play = KeptRun.Play(
    item: FeedItem(id: "a", title: "A", kind: .remote, address: "http://h/a.mp4"), feed: "http://h/f", language: "",
    run: 7)

  @Test func `a file of which nothing is heard is told once to be replaced, and its failure to nobody`() {
    let kept = KeptRun()
    kept.begin(play)
    #expect(kept.passes(.buffering(""), run: 7))
    #expect(!kept.passes(.failed(code: "damaged", text: "x"), run: 7))
    #expect(kept.takeSpoilt()?.play == play && kept.takeSpoilt() == nil)
    // What plays in its place is not a kept one.
    #expect(kept.passes(.failed(code: "damaged", text: "x"), run: 7))
  }

  @Test func `what has been heard, another run and another fault are told as they are`() {
    let kept = KeptRun()
    for report in [DubReport.playing, .ended] {
      kept.begin(play)
      #expect(kept.passes(report, run: 7))
      #expect(kept.passes(.failed(code: "device-lost", text: "x"), run: 7))
      #expect(kept.passes(.failed(code: "damaged", text: "x"), run: 8))
    }
    kept.begin(play)
    #expect(kept.passes(.playing, run: 7) && kept.passes(.failed(code: "damaged", text: "x"), run: 7))
    #expect(kept.takeSpoilt() == nil)
  }
}
