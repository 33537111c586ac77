import Foundation
import Hardware
import TestSupport
import Testing

@testable import Console

/// Files to a real `rz` (lrzsz) at the other end of a line.
@Suite("ZMODEM")
struct ZmodemTests {
  private let folder = TemporaryFolder()

  /// What is sent, and how the line behaves.
  private func send(
    _ files: [(name: String, bytes: [UInt8])], _ options: [String] = [],
    line: @escaping ([UInt8]) -> [UInt8] = { $0 }
  ) throws -> (outcome: ZmodemSender.Outcome?, sent: Int) {
    var ends: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    let ours = ends[0]
    let theirs = FileHandle(fileDescriptor: ends[1], closeOnDealloc: false)
    let rz = Process()
    rz.executableURL = URL(filePath: "/usr/bin/env")
    rz.arguments = ["rz", "--binary", "--quiet"] + options
    rz.currentDirectoryURL = URL(filePath: folder.path)
    rz.standardInput = theirs
    rz.standardOutput = theirs
    rz.standardError = FileHandle.nullDevice
    try rz.run()
    close(ends[1])
    defer {
      close(ours)
      rz.waitUntilExit()
    }

    var outcome: ZmodemSender.Outcome?
    var sent = 0
    var now = Instant.zero
    let transfer = FileTransfer(
      files.map { file in
        TransferFile(name: file.name, modified: WallTime(seconds: 1_700_000_000)) { offset, bytes, answer in
          answer(.success((Array(file.bytes.dropFirst(offset).prefix(bytes)), file.bytes.count)))
        }
      },
      send: { bytes in
        let bytes = line(bytes)
        sent += bytes.count
        var at = 0
        while at < bytes.count {
          let count = bytes[at...].withUnsafeBytes {
            Glibc.send(ours, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
          }
          if count <= 0 { return }
          at += count
        }
      },
      finish: { outcome = $0 })
    transfer.begin()
    var room = [UInt8](repeating: 0, count: 4096)
    while outcome == nil {
      var waits = pollfd(fd: ours, events: Int16(POLLIN), revents: 0)
      guard poll(&waits, 1, 120_000) > 0 else { break }
      let count = read(ours, &room, room.count)
      guard count > 0 else { break }
      transfer.receive(Array(room.prefix(count)))
      for _ in 0..<2 where outcome == nil {
        now = now + .seconds(1)
        _ = transfer.step(now: now)
      }
    }
    return (outcome, sent)
  }

  private func received(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(filePath: folder.path).appending(path: name)))
  }

  @Test("rz has each file bit by bit, with its name and its time")
  func files() throws {
    var random = SeededGenerator(seed: 1)
    let lengths = [0, 1, 1023, 1024, 8192, 8193, 300_000]
    // Every byte that is escaped, behind every other one, is among them.
    let files = lengths.map { length in
      (name: "take \(length).wav", bytes: (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) })
    }
    let end = try send(files)
    #expect(end.outcome == .sent(files: 7, bytes: lengths.reduce(0, +), skipped: 0))
    for file in files {
      #expect(try received(file.name) == file.bytes, "\(file.name)")
      let about = try FileManager.default.attributesOfItem(atPath: "\(folder.path)/\(file.name)")
      #expect(about[.modificationDate] as? Date == Date(timeIntervalSince1970: 1_700_000_000))
    }
  }

  @Test("A line that changes bytes costs time, and no byte", arguments: 1...4)
  func noise(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let bytes = (0..<200_000).map { _ in UInt8.random(in: 0...255, using: &random) }
    var noise = SeededGenerator(seed: UInt64(seed + 100))
    let end = try send([("noisy.flac", bytes)]) { line in
      // The greeting and the offer pass; of the rest about one subpacket in twenty is hit.
      line.count < 500 ? line : line.map { Int.random(in: 0..<20_000, using: &noise) == 0 ? $0 ^ 0x20 : $0 }
    }
    #expect(end.outcome == .sent(files: 1, bytes: bytes.count, skipped: 0))
    #expect(try received("noisy.flac") == bytes)
  }

  @Test("rz -r goes on where an earlier transfer broke off")
  func resumes() throws {
    let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
    try Data(bytes.prefix(90_000)).write(to: URL(filePath: folder.path).appending(path: "half.wav"))
    let end = try send([("half.wav", bytes)], ["--resume"])
    #expect(end.outcome == .sent(files: 1, bytes: bytes.count, skipped: 0))
    #expect(end.sent < 20_000)
    #expect(try received("half.wav") == bytes)
  }

  @Test("What is there already, rz does not take; the next file is sent")
  func skips() throws {
    try Data([1]).write(to: URL(filePath: folder.path).appending(path: "there.wav"))
    let end = try send([("there.wav", [2, 3]), ("new.wav", [4])], ["--protect"])
    #expect(end.outcome == .sent(files: 1, bytes: 1, skipped: 1))
    #expect(try received("there.wav") == [1])
    #expect(try received("new.wav") == [4])
  }

  @Test(
    "^C, five ^X and a receiver that gives up end it, and the console has its bytes back",
    arguments: [
      [0x03], [0x18, 0x18, 0x18, 0x18, 0x18], ZmodemWire.hex(ZmodemWire.Header(.finish)),
      ZmodemWire.hex(ZmodemWire.Header(.failure)), ZmodemWire.hex(ZmodemWire.Header(.abort)),
    ])
  func cancelled(bytes: [UInt8]) {
    for greets in [false, true] {
      var sender = ZmodemSender([ZmodemSender.File(name: "a", modified: 0)])
      if greets {
        sender.receive(ZmodemWire.hex(ZmodemWire.Header(.initialise, [0, 0, 0, 0x23])))
        sender.take([1], at: 0, total: 4000)
        sender.receive(ZmodemWire.hex(ZmodemWire.Header(.position)))
      }
      sender.receive(bytes)
      guard case .nothing(.failed(let failure)) = sender.need else { Issue.record("\(sender.need)"); continue }
      // Somebody wanted it so, but for a receiver that could not write.
      let isFault = bytes == ZmodemWire.hex(ZmodemWire.Header(.failure))
      #expect(failure.code == (isFault ? .internal : .cancelled) && !failure.message.isEmpty)
      #expect(sender.output().contains(0x18))
    }
  }

  @Test(
    "A peer that says nothing is given up after a minute; what became of it is told when it does not listen any more")
  func silence() {
    var outcome: ZmodemSender.Outcome?
    let file = TransferFile(name: "a", modified: nil) { _, _, answer in answer(.success(([], 0))) }
    let transfer = FileTransfer([file], send: { _ in }, finish: { outcome = $0 })
    transfer.begin()
    let start = Instant.zero + .seconds(100)
    #expect(transfer.step(now: start) == start + .seconds(60))
    transfer.receive([0x20])
    #expect(transfer.step(now: start + .seconds(59)) == start + .seconds(119))
    let due = transfer.step(now: start + .seconds(119))
    #expect(due == start + .milliseconds(119_500) && outcome == nil)
    _ = transfer.step(now: due)
    guard case .failed(let failure) = outcome else { Issue.record("\(String(describing: outcome))"); return }
    #expect(failure.message.contains("60 s") && failure.code == .internal)
  }

  @Test("Of a file that is cancelled nothing comes any more but the cancellation")
  func cancelledWithMuchOnTheWay() {
    var onTheWay: [UInt8] = []
    let file = TransferFile(name: "a", modified: nil) { offset, count, answer in
      answer(.success((Array(repeating: 65, count: min(count, 1_000_000 - offset)), 1_000_000)))
    }
    let transfer = FileTransfer(
      [file], send: { onTheWay += $0 }, discardUnsent: { onTheWay = [] }, finish: { _ in })
    transfer.begin()
    transfer.receive(ZmodemWire.hex(ZmodemWire.Header(.initialise, [0, 0, 0, 3])))
    transfer.receive(ZmodemWire.hex(ZmodemWire.Header(.position)))
    #expect(onTheWay.count > 4096)
    transfer.receive([UInt8](repeating: 0x18, count: 5))
    #expect(onTheWay == ZmodemWire.cancellation)
  }

  @Test("A peer that can hold so much, and no more, is waited for")
  func smallPeer() {
    var sender = ZmodemSender([ZmodemSender.File(name: "a", modified: 0)])
    sender.receive(ZmodemWire.hex(ZmodemWire.Header(.initialise, [0, 2, 0, 0])))
    sender.take([0], at: 0, total: 2000)
    sender.receive(ZmodemWire.hex(ZmodemWire.Header(.position)))
    #expect(sender.need == .piece(file: 0, offset: 0, bytes: 512))
    sender.take([UInt8](repeating: 65, count: 512), at: 0, total: 2000)
    #expect(sender.need == .peer)
    sender.receive(ZmodemWire.hex(ZmodemWire.Header(.acknowledge, place: 512)))
    #expect(sender.need == .piece(file: 0, offset: 512, bytes: 512))
  }

  @Test("Whatever a peer says, pieces lie in the file, little is under way, and it ends", arguments: 0..<300)
  func anything(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    let total = Int.random(in: 0...70_000, using: &random)
    var sender = ZmodemSender([ZmodemSender.File(name: "a", modified: 0), ZmodemSender.File(name: "b", modified: -5)])
    for _ in 0..<400 {
      #expect(sender.output().count < 150_000)
      switch sender.need {
      case .piece(let file, let offset, let bytes):
        #expect((0...1).contains(file) && offset >= 0 && offset <= total && bytes > 0)
        if Bool.random(using: &random) {
          let there = max(0, min(bytes, total - offset))
          sender.take([UInt8](repeating: UInt8(truncatingIfNeeded: seed), count: there), at: offset, total: total)
          continue
        }
      case .nothing: return
      case .peer: break
      }
      let kind = ZmodemWire.Kind(rawValue: UInt8.random(in: 0...18, using: &random)) ?? .position
      let place = Bool.random(using: &random) ? Int.random(in: 0...(total + 10), using: &random) : Int.max
      var bytes = ZmodemWire.hex(ZmodemWire.Header(kind, place: place))
      if Int.random(in: 0..<4, using: &random) == 0 {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      sender.receive(bytes)
    }
  }
}
