import Dictaphone
import Hardware
import Media
import Recording
import SimulatedHardware
import Synchronization
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

  @Test("Marks that wait are written all at once, and each is answered then; one that comes too late is told so")
  func marksAtOnce() throws {
    bench.run(until: .at(0.1))
    bench.recorder.start(at: .at(0.1))
    bench.run(until: .at(1))
    let answers = Answers()
    let mark = { (frame: Int) in
      self.bench.pipe.append(
        .mark(
          recording: 1, frame: frame, title: nil,
          told: { failure in answers.texts.withLock { $0.append(failure?.code) } }))
    }
    for frame in 0..<50 { mark(frame) }
    #expect(answers.texts.withLock { $0.isEmpty })
    bench.run(until: .at(1.2))
    #expect(answers.texts.withLock { $0 } == Array(repeating: nil, count: 50))
    #expect(bench.store.takes.first?.keptMarks == [50])
    mark(50)
    bench.recorder.stop(at: .at(1.2), reason: .user)
    bench.finish()
    mark(51)
    _ = bench.writer.step()
    #expect(answers.texts.withLock { $0.suffix(2) } == [nil, "not-found"])
    #expect(bench.store.takes.first?.marks == Array(0...50))
  }

  /// What was told of marks: nil when they were kept.
  private final class Answers: Sendable {
    let texts = Mutex<[String?]>([])
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

  @Test("A long take is completed in pieces; the one that has begun meanwhile is on the card before it")
  func completedInPieces() throws {
    let pcm = PCMFormat(sampleRate: 48_000, channels: 1, bits: 16)
    let sound = SoundTrack(pcm: pcm, configuration: [0x11, 0x88], primingFrames: 2048, bitrateKbps: 64)
    func put(_ number: Int, _ count: Int, bytes: Int) {
      let packet = [UInt8](repeating: 0, count: bytes)
      for _ in 0..<count {
        packet.withUnsafeBytes { bench.pipe.append(sound: $0, to: number, frames: 1024) }
        if !bench.pipe.hasRoom(bytes: 4096, packets: 64) { _ = bench.writer.step() }
      }
    }
    for number in 1...2 {
      var opening = opening(number)
      opening.sound = number == 1 ? sound : SoundTrack(pcm: pcm)
      if number == 2 { opening.encoding = .wav }
      bench.pipe.append(.begin(opening))
      if number == 1 {
        // Nearly two hours.
        let packets = 300_000
        put(1, packets, bytes: 8)
        bench.pipe.append(
          .end(RecordingEnding(number: 1, reason: .user, frames: packets * 1024 - 2048, receipt: Receipt())))
      }
    }
    put(2, 50, bytes: 2048)
    var rounds = 0
    while bench.log.saved.isEmpty, rounds < 1000 {
      let next = bench.writer.step()
      if rounds == 0 {
        let short = try #require(bench.store.takes.last)
        #expect(bench.store.takes.count == 2 && bench.log.saved.isEmpty && next == bench.clock.now)
        let found = try MediaRepair.inspect(try bench.memory.open(short.id, writable: false))
        #expect(found.frames > 32 * 1024, "\(found)")
      }
      rounds += 1
    }
    #expect(rounds > 2)
    #expect(bench.log.saved.first?.frames == 300_000 * 1024 - 2048)
    let long = try bench.memory.open(bench.store.takes[0].id, writable: false)
    #expect(try MediaRepair.inspect(long).condition == .finished)
  }
}
