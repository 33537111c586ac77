import Foundation
import Fuzz
import Media
import TestSupport
import Testing

/// A short run of every fuzzer with fixed seeds, and every input that ever failed, in a process of its own: a trap is a
/// failed test, and ends nothing else. The long runs are `make fuzz`.
@Suite(.serialized) struct FuzzTests {
  private static let seeds = 60
  private static let corpus = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Fuzz/Corpus")

  /// Beside the test bundle in the build folder.
  private static let program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    .appendingPathComponent("FuzzTool").path

  @Test(arguments: FuzzTarget.all.map(\.name))
  func `what is kept, and changed fields, sizes, counts and order, trap nowhere and cost no more than they may`(
    target: String
  ) throws {
    let folder = Self.corpus.appendingPathComponent(target).path
    // A whole device takes longer to start than all others together.
    let seeds = target == "device" ? 15 : Self.seeds
    let result = try Tool.run(
      "env", ["MYNAH_FUZZ_TARGET=\(target)", "SWIFT_BACKTRACE=enable=no", Self.program, folder, "\(seeds)"])
    let told = result.output.split(whereSeparator: \.isNewline)
    #expect(
      result.status == 0, "\(told.filter { $0.contains(": ") }) last \(told.last ?? "nothing"); \(result.errors)")
    #expect(told.count >= seeds)
  }

  @Test func `a repaired file holds for other programs what it claims`() throws {
    let folder = TemporaryFolder()
    let repair = try #require(FuzzTarget.all.first { $0.name == "repair" })
    var judged = 0
    for seed in 0..<400 as Range<UInt64> where judged < 12 {
      guard var bytes = repair.valid(seed: seed) else { continue }
      repair.mutate(&bytes, seed: seed)
      let file = MemoryFile(bytes)
      guard case .unfinished = try MediaRepair.inspect(file).condition else { continue }
      let mended = try MediaRepair.repair(file, scratch: nil)
      guard mended.condition == .finished, mended.frames > 0 else { continue }
      let found = try Tool.succeed(
        "ffprobe",
        [
          "-v", "error", "-count_packets", "-select_streams", "a", "-show_entries",
          "stream=nb_read_packets,duration_ts",
          "-of", "csv=p=0", folder.put(file.bytes, "mended"),
        ])
      let numbers = found.split { $0 == "," || $0.isNewline }.compactMap { Int($0) }
      try #require(numbers.count >= 2, "seed \(seed): \(found)")
      #expect(numbers[1] > 0, "seed \(seed): no packets")
      if mended.format == .wav { #expect(numbers[0] == mended.frames, "seed \(seed)") }
      judged += 1
    }
    #expect(judged > 0)
  }
}
