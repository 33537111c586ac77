import Hardware
import Testing

@testable import Library

/// Shapes of takes that are kept: right, or none.
@Suite struct WaveformsTests {
  private static let peaks = (0..<128).map { Float($0) / 127 }

  private static func areClose(_ one: [Float], _ other: [Float]) -> Bool {
    one.count == other.count && zip(one, other).allSatisfy { abs($0 - $1) < 0.004 }
  }

  @Test func `A shape is there again after a restart, and is no other take's`() throws {
    let bench = try Bench.opened()
    let ids = try (1...3).map { try bench.record(frames: $0 * 1000) }
    let takes = ids.compactMap { bench.library.summary($0) }
    #expect(takes.count == 3 && bench.library.waveforms.peaks(of: takes[0]) == [])
    #expect(bench.storage.names(in: "cache") == [])
    bench.library.waveforms.keep(Self.peaks, of: takes[0])
    bench.library.waveforms.keep(Self.peaks.reversed(), of: takes[1])
    let again = try Bench.opened(bench.storage.reboot())
    #expect(Self.areClose(again.library.waveforms.peaks(of: takes[0]), Self.peaks))
    #expect(Self.areClose(again.library.waveforms.peaks(of: takes[1]), Self.peaks.reversed()))
    #expect(again.library.waveforms.peaks(of: takes[2]) == [])
    var grown = takes[0]
    grown.frames += 1
    #expect(again.library.waveforms.peaks(of: grown) == [])
  }

  @Test func `What is damaged anywhere is none, and can be kept anew`() throws {
    let bench = try Bench.opened()
    let id = try bench.record()
    let take = try #require(bench.library.summary(id))
    bench.library.waveforms.keep(Self.peaks, of: take)
    let whole = try bench.storage.read(Waveforms.path, limit: 1 << 24)
    for place in whole.count - Waveforms.bytes..<whole.count {
      var bytes = whole
      bytes[place] ^= 0x10
      bench.storage.plant(Waveforms.path, bytes)
      let again = try Bench.opened(bench.storage.reboot())
      #expect(again.library.waveforms.peaks(of: take) == [], "\(place)")
      again.library.waveforms.keep(Self.peaks, of: take)
      #expect(Self.areClose(again.library.waveforms.peaks(of: take), Self.peaks), "\(place)")
    }
  }

  @Test func `Ten thousand takes cost less than a twentieth of the disk, and less than three megabytes`() throws {
    let bench = try Bench.opened()
    let id = try bench.record()
    var take = try #require(bench.library.summary(id))
    let total = try bench.storage.space().total
    for number in 0..<10_000 {
      take.id = "Take \(number).wav"
      bench.library.waveforms.keep(Self.peaks, of: take)
    }
    let size = try bench.storage.read(Waveforms.path, limit: 1 << 24).count
    #expect(size < 3_000_000 && size * 20 <= total + 20 * Waveforms.bytes, "\(size) of \(total)")
    #expect(Self.areClose(bench.library.waveforms.peaks(of: take), Self.peaks))
  }
}
