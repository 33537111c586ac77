import Foundation
import Glibc
import TestSupport
import Testing

/// Where a device may be made to work, and cannot.
@Suite("A file system", .enabled(if: geteuid() == 0, "only root may mount"))
struct BadPlaceTests {
  private let folder: TemporaryFolder
  private let socket: NotifySocket

  init() throws {
    folder = TemporaryFolder()
    socket = try NotifySocket(in: folder)
  }

  /// A board without devices, with its data directory there.
  private func board(data: String) throws -> String {
    let text = """
      [storage]
      data = "\(data)"
      reserve_mb = 1
      low_mb = 2
      [budget]
      rss_mb = 128
      cpu_percent = 100
      program.memory_kb = 81920
      audio_in.memory_kb = 1280
      pre_record.memory_kb = 17920
      encoder.memory_kb = 4352
      audio_out.memory_kb = 2048
      """
    let path = folder.file("board.toml")
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  @Test("that is full lets the device start; it says so, and who has the directory, and ends in order")
  func full() throws {
    guard let small = try SmallFileSystem("size=1m", at: folder.file("full")) else { return }
    try small.fill()
    let data = "\(small.path)/data"
    let board = try board(data: data)
    let mynah = try LiveMynah(["run", "--board", board], environment: ["NOTIFY_SOCKET": socket.path])
    try socket.wait(for: "READY=1")
    try socket.wait(for: "STATUS=not armed, no microphone, storage full")
    let second = try Mynah.execute(["run", "--board", board])
    #expect(second.status == 69)
    #expect(second.errors.contains("process \(mynah.identifier) works in it"), "\(second.errors)")
    #expect(try Mynah.execute(["selftest", "--board", board]).status == 1)
    #expect(mynah.terminate() == 0)
  }

  @Test("that takes no directory, or is read-only, is told with what to do")
  func unusable() throws {
    for (options, words) in [("size=1m,nr_inodes=1", "no space is left"), ("size=1m,ro", "make it writable")] {
      guard let small = try SmallFileSystem(options, at: folder.file("small")) else { return }
      let run = try Mynah.execute(["run", "--board", try board(data: "\(small.path)/data")])
      #expect(run.status == 69)
      #expect(run.errors.contains(words), "\(run.errors)")
    }
  }
}
