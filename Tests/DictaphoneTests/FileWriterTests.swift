import Dictaphone
import Hardware
import Recording
import SimulatedHardware
import TestSupport
import Testing

/// What the file writer makes of items that should not come.
@Suite struct FileWriterTests {
  private let bench = Bench()

  private func opening(_ number: Int) -> RecordingOpening {
    RecordingOpening(
      number: number, kind: .take, sound: nil, createdAt: WallTime(nanosecondsSince1970: 0), receipt: Receipt())
  }

  @Test("Sound and orders of a recording that nobody has begun are counted, and harm nothing")
  func noRecording() {
    [UInt8](repeating: 1, count: 6).withUnsafeBytes { bench.pipe.append(sound: $0, to: 7, frames: 2) }
    bench.pipe.append(.mark(recording: 7, frame: 1, title: nil))
    bench.pipe.append(.gap(recording: 7, CaptureGap(frame: 0, frames: 1, reason: "overrun")))
    bench.pipe.append(.end(RecordingEnding(number: 7, reason: .user, frames: 2, receipt: Receipt())))
    #expect(bench.writer.step() == nil)
    #expect(bench.writer.unexpected == [.noRecording: 4])
    #expect(bench.log.files.isEmpty && bench.store.takes.isEmpty)
    #expect(!bench.writer.isBusy && bench.pipe.queuedBytes == 0)
  }

  @Test("A recording that is begun twice goes on as it was, and that is counted")
  func begunTwice() {
    bench.run(until: .at(0.1))
    bench.recorder.start(at: .at(0.1))
    bench.run(until: .at(1))
    bench.pipe.append(.begin(opening(1)))
    bench.run(until: .at(2))
    bench.recorder.stop(at: .at(2), reason: .user)
    bench.finish()
    #expect(bench.writer.unexpected == [.begunTwice: 1])
    #expect(bench.store.takes.map { $0.ending?.frames } == [15_200])
    #expect(bench.samples(of: bench.store.takes[0]) == Array(801...16_000))
  }

  @Test("In good order nothing is unexpected, and the receipt tells of the file")
  func receipt() throws {
    bench.run(until: .at(2))
    bench.recorder.start(at: .at(2))
    bench.run(until: .at(3))
    bench.microphone.overrun(.milliseconds(500), at: .at(3))
    bench.run(until: .at(5))
    bench.recorder.stop(at: .at(5), reason: .user)
    bench.finish()
    #expect(bench.writer.unexpected.isEmpty)
    let take = try #require(bench.store.takes.first)
    let receipt = try #require(take.ending?.receipt)
    #expect(receipt.sound.frames == bench.samples(of: take).count)
    #expect(receipt.sound.lostFrames == 4000)
    #expect(receipt.xruns.device == 1 && receipt.xruns.ring == 0)
    #expect(receipt.fileBytes == (try bench.memory.read(take.id, limit: 1 << 20).count))
    #expect(receipt.pressedAt == .at(2))
    #expect(receipt.durableAt >= receipt.lastMediaAt && receipt.anchors.count == 3)
    let first = try #require(receipt.firstDurableAt)
    #expect((first - .at(2)).inSeconds < 0.2)
  }
}
