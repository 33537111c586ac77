import Glibc
import Hardware
import TestSupport
import Testing

@testable import LinuxHardware

@Suite struct SpaceReserveTests {
  private static let megabyte = 1 << 20
  private let folder = TemporaryFolder()

  private func blocks(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_blocks) * 512 : -1
  }

  @Test func itIsAnAllocationThatOrdinaryWritesNeedNotLeaveTwice() throws {
    let storage = try FileStorage(root: folder.path, reserveBytes: 20 * Self.megabyte)
    storage.keepReserve()
    #expect(blocks(folder.file("reserve")) >= 16 * Self.megabyte)
    storage.keepReserve()
    storage.keepReserve()
    #expect((20 * Self.megabyte..<21 * Self.megabyte).contains(blocks(folder.file("reserve"))))
    // Another process sees what is held, and so does the next start.
    let other = try FileStorage(root: folder.path, reserveBytes: 20 * Self.megabyte)
    var status = statvfs()
    statvfs(folder.path, &status)
    let free = Int(status.f_bavail) * Int(status.f_frsize)
    #expect(abs(try other.space().free - free) < 10 * Self.megabyte)
  }

  @Test func aFileWithHolesIsNoReserve() throws {
    folder.put("", "reserve")
    truncate(folder.file("reserve"), 4 << 20)
    let storage = try FileStorage(root: folder.path, reserveBytes: 4 * Self.megabyte)
    storage.keepReserve()
    #expect(blocks(folder.file("reserve")) >= 4 * Self.megabyte)
  }

  @Test func aFileOfAnotherNameIsNoReserve() throws {
    folder.put([UInt8](repeating: 7, count: 2 * Self.megabyte), "mine")
    try #require(link(folder.file("mine"), folder.file("reserve")) == 0)
    let storage = try FileStorage(root: folder.path, reserveBytes: Self.megabyte)
    for _ in 0..<3 { storage.keepReserve() }
    #expect(folder.bytes("mine") == [UInt8](repeating: 7, count: 2 * Self.megabyte))
  }

  @Test(.enabled(if: geteuid() == 0, "only root may mount"))
  func ofASmallCardMostIsLeftForTakes() throws {
    guard let small = try SmallFileSystem("size=8m", at: folder.file("small")) else { return }
    let storage = try FileStorage(root: small.path, reserveBytes: 64 * Self.megabyte, share: 8)
    storage.keepReserve()
    #expect(blocks("\(small.path)/reserve") == Self.megabyte)
    #expect(try storage.space().free >= 6 * Self.megabyte)
  }

  @Test(.enabled(if: geteuid() == 0, "only root may mount"))
  func whatAnotherProcessHasFilledStillTakesNotesAndTheEndsOfTakes() throws {
    guard let small = try SmallFileSystem("size=8m", at: folder.file("small")) else { return }
    let storage = try FileStorage(root: small.path, reserveBytes: 4 * Self.megabyte)
    storage.keepReserve()
    let take = try storage.create("take")
    try small.fill()
    #expect(try storage.space().free == 0)
    let piece = [UInt8](repeating: 7, count: 600_000)
    func write(at offset: Int) throws(StorageError) {
      var failure: StorageError?
      piece.withUnsafeBytes { bytes in
        do throws(StorageError) { try take.write(bytes, at: offset) } catch { failure = error }
      }
      if let failure { throw failure }
    }
    #expect(throws: StorageError.self) { try write(at: 0) }
    take.usesReserve = true
    for index in 0..<3 { try write(at: index * piece.count) }
    try storage.replace("notes", with: piece)
    try storage.replace("notes", with: piece)
    #expect(take.size == 3 * piece.count)
    #expect(try storage.read("notes", limit: 1 << 20) == piece)
    let left = blocks("\(small.path)/reserve")
    #expect(left < 3 * Self.megabyte)
    // When there is room again, it is whole again.
    try small.empty()
    storage.keepReserve()
    #expect(blocks("\(small.path)/reserve") == 4 * Self.megabyte)
  }

  @Test(.enabled(if: geteuid() == 0, "only root may mount"))
  func whatAFileSystemKeepsForRootIsNotForTakes() throws {
    let image = folder.file("image")
    guard let small = try SmallFileSystem(ext4: 24, image: image, at: folder.file("small")) else { return }
    let storage = try FileStorage(root: small.path, reserveBytes: 2 * Self.megabyte)
    storage.keepReserve()
    #expect(blocks("\(small.path)/reserve") >= 2 * Self.megabyte)
    let free = try storage.space().free
    let take = try storage.create("take")
    let piece = [UInt8](repeating: 7, count: 1 << 18)
    var failure: StorageError?
    while failure == nil, take.size < 2 * free {
      piece.withUnsafeBytes { bytes in
        do throws(StorageError) { try take.write(bytes, at: take.size) } catch { failure = error }
      }
    }
    #expect(failure?.kind == .full)
    #expect(take.size <= free)
  }
}
