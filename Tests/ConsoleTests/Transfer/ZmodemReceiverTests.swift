import Foundation
import Hardware
import TestSupport
import Testing

@testable import Console

/// Files from a real `sz` (lrzsz) at the other end of a line.
@Suite("ZMODEM, receiving")
struct ZmodemReceiverTests {
  private let folder = TemporaryFolder()

  /// What a storage has, and how it behaves.
  private final class Shelf {
    var whole: [String: [UInt8]] = [:]
    var parts: [String: [UInt8]] = [:]
    var pieces = 0
    var largest = 0
    var refuses: (ReceivedPiece) -> String? = { _ in nil }

    func take(_ piece: ReceivedPiece, _ answer: (Result<(bytes: Int, id: String?), CommandFailure>) -> Void) {
      if let why = refuses(piece) { return answer(.failure(CommandFailure(.badArgument, why))) }
      pieces += 1
      largest = max(largest, piece.bytes.count)
      var there = parts[piece.name] ?? []
      #expect(piece.bytes.isEmpty || piece.offset == there.count)
      there += piece.bytes
      parts[piece.name] = there
      guard there.count == piece.total else { return answer(.success((there.count, nil))) }
      whole[piece.name] = there
      parts[piece.name] = nil
      answer(.success((there.count, piece.name)))
    }
  }

  private func file(_ name: String, _ bytes: [UInt8]) throws -> String {
    let path = folder.file(name)
    try Data(bytes).write(to: URL(filePath: path))
    return path
  }

  private func receive(
    _ paths: [String], _ options: [String] = [], into shelf: Shelf, line: @escaping ([UInt8]) -> [UInt8] = { $0 }
  ) throws -> (outcome: ZmodemReceiver.Outcome?, heard: Int) {
    var ends: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    let ours = ends[0]
    let theirs = FileHandle(fileDescriptor: ends[1], closeOnDealloc: false)
    let sz = Process()
    sz.executableURL = URL(filePath: "/usr/bin/env")
    sz.arguments = ["sz", "--binary", "--quiet"] + options + paths
    sz.standardInput = theirs
    sz.standardOutput = theirs
    sz.standardError = FileHandle.nullDevice
    try sz.run()
    close(ends[1])
    defer {
      close(ours)
      sz.waitUntilExit()
    }
    var outcome: ZmodemReceiver.Outcome?
    var heard = 0
    var now = Instant.zero
    let reception = FileReception(
      { shelf.take($0, $1) },
      send: { bytes in
        _ = bytes.withUnsafeBytes { Glibc.send(ours, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      }, finish: { outcome = $0 })
    reception.begin()
    var room = [UInt8](repeating: 0, count: 4096)
    while outcome == nil {
      var waits = pollfd(fd: ours, events: Int16(POLLIN), revents: 0)
      // A line on which all is lost that was said is reminded.
      let isReady = poll(&waits, 1, 3000) > 0
      if isReady {
        let count = read(ours, &room, room.count)
        guard count > 0 || outcome != nil else {
          // The other end has gone: the clock does the rest.
          for _ in 0..<200 where outcome == nil {
            now = now + .seconds(1)
            _ = reception.step(now: now)
          }
          break
        }
        heard += count
        reception.receive(line(Array(room.prefix(max(0, count)))))
      }
      for _ in 0..<(isReady ? 2 : 6) where outcome == nil {
        now = now + .seconds(isReady ? 0 : 1) + .milliseconds(300)
        _ = reception.step(now: now)
      }
    }
    return (outcome, heard)
  }

  private static func noise(_ count: Int, seed: UInt64) -> [UInt8] {
    var random = SeededGenerator(seed: seed)
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
  }

  @Test(
    "Each file of sz is here bit by bit, and never more than a window of it waits", arguments: [[], ["-e"], ["-o"]])
  func files(options: [String]) throws {
    let shelf = Shelf()
    let lengths = [1, 1023, 1024, 8193, 300_000]
    var paths: [String] = []
    for length in lengths { paths.append(try file("take \(length).wav", Self.noise(length, seed: UInt64(length)))) }
    let end = try receive(paths, options, into: shelf)
    let names = lengths.map { "take \($0).wav" }
    #expect(end.outcome == .received(names, refused: []))
    for (name, length) in zip(names, lengths) {
      #expect(shelf.whole[name] == Self.noise(length, seed: UInt64(length)), "\(name)")
    }
    #expect(shelf.parts.isEmpty && shelf.largest <= 64 * 1024)
  }

  @Test("A line that changes bytes costs time, and no byte", arguments: 1...3)
  func damagedLine(seed: UInt64) throws {
    let bytes = Self.noise(150_000, seed: seed)
    let shelf = Shelf()
    var noise = SeededGenerator(seed: seed + 100)
    var passed = 0
    let end = try receive([try file("noisy.flac", bytes)], into: shelf) { line in
      passed += line.count
      // The greeting and the offer pass.
      return passed < 600
        ? line : line.map { Int.random(in: 0..<20_000, using: &noise) == 0 ? $0 ^ 0x20 : $0 }
    }
    #expect(end.outcome == .received(["noisy.flac"], refused: []))
    #expect(shelf.whole["noisy.flac"] == bytes)
  }

  @Test("What broke off goes on where it was, whatever sz thinks of it")
  func resumes() throws {
    let bytes = Self.noise(200_000, seed: 7)
    let shelf = Shelf()
    shelf.parts["half.wav"] = Array(bytes.prefix(180_000))
    let end = try receive([try file("half.wav", bytes)], into: shelf)
    #expect(end.outcome == .received(["half.wav"], refused: []))
    #expect(shelf.whole["half.wav"] == bytes && end.heard < 30_000)
  }

  @Test("What is not wanted is passed over with the reason, an empty file too; the others come")
  func refuses() throws {
    let shelf = Shelf()
    shelf.refuses = { $0.name == "page.html" ? "page.html is no sound" : nil }
    let paths = [try file("page.html", [1, 2]), try file("empty.wav", []), try file("new.wav", [4])]
    let end = try receive(paths, into: shelf)
    guard case .received(let ids, let refused) = end.outcome else { Issue.record("\(end)"); return }
    #expect(ids == ["new.wav"] && shelf.whole == ["new.wav": [4]])
    #expect(refused.count == 2 && refused[0] == "page.html is no sound" && refused[1].contains("empty.wav"))
  }

  @Test("A card that is full in the middle ends it with the reason, and what is there stays for the next time")
  func full() throws {
    let shelf = Shelf()
    shelf.refuses = { $0.offset >= 60_000 ? "the card is full" : nil }
    let end = try receive([try file("long.wav", Self.noise(200_000, seed: 3))], into: shelf)
    #expect(end.outcome == .failed(CommandFailure(.badArgument, "the card is full")))
    #expect(shelf.whole.isEmpty && (shelf.parts["long.wav"]?.count ?? 0) >= 60_000)
  }

  @Test("^C before anything came, five ^X, commands and silence end it; nothing is ever run")
  func endings() {
    let endings: [([UInt8], FailureCode)] = [
      ([0x03], .cancelled), ([0x18, 0x18, 0x18, 0x18, 0x18], .cancelled),
      (ZmodemWire.hex(ZmodemWire.Header(.command)), .internal), (ZmodemWire.hex(ZmodemWire.Header(.abort)), .cancelled),
    ]
    for (bytes, code) in endings {
      var receiver = ZmodemReceiver()
      _ = receiver.output()
      receiver.receive(bytes)
      guard case .nothing(.failed(let failure)) = receiver.need else { Issue.record("\(receiver.need)"); continue }
      #expect(failure.code == code)
      #expect(receiver.output().contains(0x18))
    }
    var outcome: ZmodemReceiver.Outcome?
    var sent = 0
    let reception = FileReception({ _, _ in }, send: { _ in sent += 1 }, finish: { outcome = $0 })
    reception.begin()
    for second in 0..<70 { _ = reception.step(now: .zero + .seconds(100 + second)) }
    guard case .failed(let failure) = outcome else { Issue.record("\(String(describing: outcome))"); return }
    // A greeting every five seconds.
    #expect(failure.message.contains("60 s") && (10...14).contains(sent))
  }

  @Test("A sender that offers another file without waiting is told of each what is so of it")
  func anotherFile() throws {
    typealias Answer = (Result<(bytes: Int, id: String?), CommandFailure>) -> Void
    var asked: [(piece: ReceivedPiece, answer: Answer)] = []
    var outcome: ZmodemReceiver.Outcome?
    let reception = FileReception({ asked.append(($0, $1)) }, send: { _ in }, finish: { outcome = $0 })
    reception.begin()
    func say(_ body: (inout ZmodemWire.Writer) -> Void) {
      var writer = ZmodemWire.Writer()
      writer.hasLongSums = true
      body(&writer)
      reception.receive(writer.take())
    }
    func offer(_ name: String, _ total: Int) {
      say {
        $0.put(ZmodemWire.Header(.file, [0, 0, 0, 1]))
        $0.put((Array(name.utf8) + [0] + Array("\(total) 0 0".utf8) + [0])[...], .waits)
      }
    }
    offer("a.wav", 10)
    offer("b.wav", 20)
    try #require(asked.map { $0.piece.name } == ["a.wav"])
    asked[0].answer(.success((7, nil)))
    try #require(asked.map { $0.piece.name } == ["a.wav", "b.wav"] && asked[1].piece.bytes.isEmpty)
    asked[1].answer(.success((0, nil)))
    let bytes = Self.noise(20, seed: 3)
    say {
      $0.put(ZmodemWire.Header(.data, place: 0))
      $0.put(bytes[...], .last)
      $0.put(raw: ZmodemWire.hex(ZmodemWire.Header(.endOfFile, place: 20)))
    }
    try #require(asked.count == 3 && asked[2].piece.bytes == bytes)
    offer("c.wav", 5)
    asked[2].answer(.success((20, "b.wav")))
    #expect(asked.count == 3)
    offer("c.wav", 5)
    try #require(asked.count == 4 && asked[3].piece.name == "c.wav")
    asked[3].answer(.failure(CommandFailure(.badArgument, "c.wav is not wanted")))
    say { $0.put(raw: ZmodemWire.hex(ZmodemWire.Header(.finish))) }
    for second in 0..<3 { if outcome == nil { _ = reception.step(now: .zero + .seconds(second)) } }
    let refused = ["a.wav did not come to its end", "c.wav is not wanted"]
    #expect(outcome == .received(["b.wav"], refused: refused))
  }

  @Test("The same byte for byte when it comes one byte at a time")
  func slow() {
    var writer = ZmodemWire.Writer()
    writer.hasLongSums = true
    let bytes = Self.noise(5000, seed: 9)
    writer.put(ZmodemWire.Header(.file, [0, 0, 0, 1]))
    writer.put((Array("a.wav".utf8) + [0] + Array("5000 0 0".utf8) + [0])[...], .waits)
    writer.put(ZmodemWire.Header(.data, place: 0))
    for at in stride(from: 0, to: 5000, by: 1000) {
      writer.put(bytes[at..<at + 1000], at == 4000 ? .last : .more)
    }
    writer.put(raw: ZmodemWire.hex(ZmodemWire.Header(.endOfFile, place: 5000)))
    writer.put(raw: ZmodemWire.hex(ZmodemWire.Header(.finish)))
    var receiver = ZmodemReceiver()
    var got: [UInt8] = []
    for byte in writer.take() {
      receiver.receive([byte])
      guard case .piece(let piece) = receiver.need else { continue }
      got += piece.bytes
      receiver.kept(got.count, id: got.count == 5000 ? "a.wav" : nil)
    }
    #expect(got == bytes)
    #expect(receiver.need == .nothing(.received(["a.wav"], refused: [])))
  }
}
