import Hardware
import Testing

@testable import Library

/// Files that come in by a console: whole under their own names, or not there.
@Suite struct IncomingTests {
  private static let size = (5 << 20) / 2

  private static func content(_ size: Int = size) -> [UInt8] { (0..<size).map { UInt8(truncatingIfNeeded: $0 % 253) } }

  /// Sends what is missing, in pieces of so many bytes.
  private static func send(_ bench: Bench, _ name: String, _ bytes: [UInt8], piece: Int = 40_000) throws -> String {
    func take(_ offset: Int, _ data: [UInt8]) throws -> Incoming.Progress {
      try bench.retrying { () throws(LibraryError) in
        try bench.library.incoming.take(
          Incoming.Piece(name: name, total: bytes.count, offset: offset, bytes: data))
      }
    }
    var progress = try take(0, [])
    while progress.id == nil {
      progress = try take(progress.bytes, Array(bytes[progress.bytes...].prefix(piece)))
    }
    return try #require(progress.id)
  }

  @Test func `A sound is listed once it is whole, under its name, and nothing is overwritten`() throws {
    let bench = try Bench.opened()
    let bytes = FakeDoctor.complete(frames: 200_000)
    #expect(try Self.send(bench, "/home/me/Talk: one.wav", bytes) == "Talk_ one.wav")
    #expect(try bench.storage.read("recordings/Talk_ one.wav", limit: 1 << 24) == bytes)
    #expect(bench.library.list().takes.map(\.id) == ["Talk_ one.wav"])
    bench.settle()
    #expect(bench.library.list().takes.first?.frames == 200_000)
    #expect(try Self.send(bench, "Talk_ one.wav", Array(bytes.reversed())) == "Talk_ one (2).wav")
    #expect(try bench.storage.read("recordings/Talk_ one.wav", limit: 1 << 24) == bytes)
    // The device's own names are not others' to give.
    #expect(
      try Self.send(bench, "000042_2026-11-20T21-54-00Z.wav", bytes) == "Sent 000042_2026-11-20T21-54-00Z.wav")
    // Nor with a blank before it, which goes.
    #expect(
      try Self.send(bench, " 000043_2026-11-20T21-54-00Z.wav", bytes) == "Sent 000043_2026-11-20T21-54-00Z.wav")
    #expect(bench.storage.names(in: "cache") == [])
  }

  @Test func `An update lies where it is told to, and is no take`() throws {
    let bench = try Bench.opened()
    let path = try Self.send(bench, "mynah-1.0.raucb", Self.content(3000))
    #expect(path == "\(bench.storage.root)/cache/mynah-1.0.raucb")
    #expect(bench.library.count == 0)
    #expect(try bench.storage.read("cache/mynah-1.0.raucb", limit: 1 << 20) == Self.content(3000))
  }

  @Test(arguments: ["", "..", "../settings.json", "notes.json", "a.wav.tmp", "page.html", "\u{1B}[2J", ".wav"])
  func `What is no sound and no update is refused, and leaves nothing`(name: String) throws {
    let bench = try Bench.opened()
    #expect(throws: LibraryError.self) {
      try bench.library.incoming.take(Incoming.Piece(name: name, total: 10))
    }
    #expect(throws: LibraryError.self) {
      try bench.library.incoming.take(Incoming.Piece(name: "a.wav", total: 0))
    }
    #expect(bench.storage.names(in: "cache") == [] && bench.storage.names(in: "recordings") == [])
  }

  @Test func `There has to be room, and pieces that do not go on are not taken`() throws {
    let bench = try Bench.opened()
    bench.storage.free = 2_000_000
    let error = #expect(throws: LibraryError.self) { try Self.send(bench, "a.wav", Self.content()) }
    #expect(error?.code == "storage-full" && bench.storage.names(in: "cache") == [])
    bench.storage.free = 1 << 30
    let piece = Incoming.Piece(name: "a.wav", total: 100, offset: 50, bytes: [1, 2])
    #expect(try bench.library.incoming.take(piece) == Incoming.Progress(bytes: 0))
    // Another one takes its place, and nobody else's.
    let bundle = "\(SupportFile.name).part"
    bench.storage.plant("cache/\(bundle)", [1])
    #expect(try Self.send(bench, "b.wav", FakeDoctor.complete(frames: 100)) == "b.wav")
    #expect(bench.storage.names(in: "cache") == [bundle])
  }

  @Test func `What somebody removes while it comes is not told to be there`() throws {
    let bench = try Bench.opened()
    let bytes = Self.content()
    let first = Array(bytes[..<40_000])
    _ = try bench.library.incoming.take(Incoming.Piece(name: "a.wav", total: bytes.count, bytes: first))
    try bench.storage.remove("cache/\(bytes.count) a.wav.part")
    #expect(throws: LibraryError.self) { try Self.send(bench, "a.wav", bytes) }
    #expect(bench.library.list().takes.isEmpty)
    #expect(try Self.send(bench, "a.wav", bytes) == "a.wav")
    #expect(try bench.storage.read("recordings/a.wav", limit: 1 << 24) == bytes)
  }

  @Test(arguments: [1 << 20, 2 << 20, (2 << 20) + 7])
  func `A length that a power cut left without its last megabyte is no sound`(length: Int) throws {
    let bytes = Self.content()
    let safe = length / (1 << 20) * (1 << 20) - (1 << 20)
    let bench = try Bench.opened()
    bench.storage.plant("cache/\(bytes.count) a.wav.part", bytes[..<safe] + [UInt8](repeating: 0, count: length - safe))
    #expect(try Self.send(bench, "a.wav", bytes) == "a.wav")
    #expect(try bench.storage.read("recordings/a.wav", limit: 1 << 24) == bytes)
  }

  @Test(arguments: [false, true])
  func `Cut off at any call it is whole or not there, and goes on where it was safe`(powerCut: Bool) throws {
    let bytes = Self.content()
    let whole = try Bench.opened()
    let before = whole.storage.calls
    _ = try Self.send(whole, "long.wav", bytes, piece: 400_000)
    for call in before + 1...whole.storage.calls {
      let bench = try Bench.opened()
      bench.storage.disaster = (.kill, at: call)
      do { _ = try Self.send(bench, "long.wav", bytes, piece: 400_000) } catch {}
      let again = try Bench.opened(bench.storage.reboot(powerCut: powerCut))
      if again.storage.names(in: "recordings").isEmpty {
        #expect(try Self.send(again, "long.wav", bytes) == "long.wav", "stopped at \(call)")
      }
      #expect(again.storage.names(in: "recordings") == ["long.wav"], "stopped at \(call)")
      #expect(try again.storage.read("recordings/long.wav", limit: 1 << 24) == bytes, "stopped at \(call)")
    }
    for call in before + 1...whole.storage.calls {
      let bench = try Bench.opened()
      bench.storage.disaster = (.stall, at: call)
      #expect(try Self.send(bench, "long.wav", bytes, piece: 400_000) == "long.wav", "stalled at \(call)")
      #expect(try bench.storage.read("recordings/long.wav", limit: 1 << 24) == bytes, "stalled at \(call)")
    }
  }
}
