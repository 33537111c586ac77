import Foundation
import Hardware
import TestSupport
import Testing

/// G.711 against sox, value by value.
@Suite struct G711Tests {
  @Test(arguments: [(G711.alaw, "al"), (.mulaw, "ul")])
  func `Every 16-bit sample becomes the byte that sox makes of it, and every byte the same sample`(
    law: G711, type: String
  ) throws {
    let folder = TemporaryFolder()
    let all = (Int16.min...Int16.max).map { $0 }
    try all.withUnsafeBytes { try Data($0).write(to: folder.url.appendingPathComponent("in.s16")) }
    let raw = "-t raw -r 8000 -c 1"
    try Tool.succeed(
      "sh",
      [
        "-c",
        "sox -D \(raw) -e signed -b 16 in.s16 -t \(type) out"
          + " && sox -D -t \(type) -r 8000 out \(raw) -e signed -b 16 back",
      ], in: folder)
    let bytes = [UInt8](try Data(contentsOf: folder.url.appendingPathComponent("out")))
    var own = [UInt8](repeating: 0, count: all.count)
    law.encode(all.map { Float($0) / 32_768 }, into: &own, count: all.count)
    #expect(own == bytes)
    let back = try Data(contentsOf: folder.url.appendingPathComponent("back")).withUnsafeBytes {
      Array($0.bindMemory(to: Int16.self))
    }
    var samples = [Float](repeating: 0, count: all.count)
    law.decode(bytes, into: &samples, count: bytes.count)
    #expect(samples.map { Int16($0 * 32_768) } == back)
    // A byte that is decoded is encoded to itself, but for the other zero of µ-law.
    let every = (0...255).map { UInt8($0) }
    var values = [Float](repeating: 0, count: 256)
    law.decode(every, into: &values, count: 256)
    var again = [UInt8](repeating: 0, count: 256)
    law.encode(values, into: &again, count: 256)
    for (byte, same) in zip(every, again) where byte != same { #expect(law == .mulaw && byte == 0x7F && same == 0xFF) }
  }
}
