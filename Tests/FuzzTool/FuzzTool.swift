import Budget
import Fuzz
import Glibc

/// Runs one target: built by `make fuzz` under libFuzzer, which keeps what reaches new code; else through what is kept
/// and a fixed number of changes to it, as the unit tests want it. Tests/Fuzz/README.md.
@main
struct FuzzTool {
  static func main() {
    let arguments = CommandLine.arguments
    let name = getenv("MYNAH_FUZZ_TARGET").map { String(cString: $0) }
    guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
      print(FuzzTarget.all.map(\.name).joined(separator: "\n"))
      return
    }
    #if COVERAGE
      // Before there is another thread.
      chosen = target
      var count = CInt(arguments.count)
      var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
      pointers.withUnsafeMutableBufferPointer { buffer in
        var start = buffer.baseAddress
        exit(runDriver(&count, &start, examine))
      }
    #else
      guard arguments.count == 3, let seeds = UInt64(arguments[2]) else {
        print("MYNAH_FUZZ_TARGET=NAME FuzzTool CORPUS SEEDS")
        exit(64)
      }
      let isWell = target.run(corpus: arguments[1], seeds: seeds, tell: tell)
      // libFuzzer looks at this itself. getrusage(2) would begin with what the program had that started this one.
      let megabytes = ProcessUsage.sample().peakRSSKB >> 10
      if megabytes > mostMegabytes { tell("\(target.name): \(megabytes) MB of memory, more than \(mostMegabytes)") }
      exit(isWell && megabytes <= mostMegabytes ? 0 : 1)
    #endif
  }

  /// As `Tests/Fuzz/run` has it.
  private static let mostMegabytes = 400

  /// At once: what comes next may end the process.
  private static func tell(_ line: String) {
    let text = Array("\(line)\n".utf8)
    _ = write(1, text, text.count)
  }
}

#if COVERAGE
  nonisolated(unsafe) private var chosen: FuzzTarget?

  private typealias Callback = @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt

  @_silgen_name("LLVMFuzzerRunDriver")
  private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>, _ callback: Callback
  ) -> CInt

  @_silgen_name("LLVMFuzzerMutate")
  private func byteMutation(_ data: UnsafeMutablePointer<UInt8>, _ size: Int, _ most: Int) -> Int

  @_cdecl("LLVMFuzzerTestOneInput")
  public func examine(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    if let problem = chosen?.judge(bytes) { fatalError(problem) }
    return 0
  }

  /// Two in three changes know the structure, the others are libFuzzer's, which knows what was compared with what.
  @_cdecl("LLVMFuzzerCustomMutator")
  public func mutate(_ data: UnsafeMutablePointer<UInt8>, _ size: Int, _ most: Int, _ seed: UInt32) -> Int {
    guard let target = chosen, seed % 3 != 0 else { return byteMutation(data, size, most) }
    var bytes = Array(UnsafeBufferPointer(start: data, count: size))
    target.mutate(&bytes, seed: UInt64(seed))
    let count = min(bytes.count, most)
    bytes.withUnsafeBufferPointer { source in
      if let base = source.baseAddress { data.update(from: base, count: count) }
    }
    return count
  }
#endif
