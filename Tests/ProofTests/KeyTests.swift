import Hardware
import TestSupport
import Testing

@testable import Proof

@Suite struct KeyTests {
  /// RFC 8032, 7.1, TEST 1 and TEST 2.
  @Test(arguments: [
    (
      "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
      "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
      "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
    ),
    (
      "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
      "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
      "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
    ),
  ])
  func `signatures are those of RFC 8032`(seed: String, key: String, message: String, signature: String) throws {
    let secret = try #require(Hex.bytes(seed.utf8, count: 32))
    let device = try #require(DeviceKey(seed: secret))
    let bytes = try #require(Hex.bytes(message.utf8, count: message.utf8.count / 2))
    #expect(device.publicKey.text == key)
    #expect(Hex.text(device.sign(bytes)) == signature)
    #expect(device.publicKey.verifies(device.sign(bytes), of: bytes))
    #expect(!device.publicKey.verifies(device.sign(bytes), of: bytes + [1]))
  }

  /// The roots that Certificate Transparency's own tests have for these leaves (RFC 6962).
  @Test func `the tree is that of RFC 6962`() throws {
    let leaves: [[UInt8]] = [
      [], [0x00], [0x10], [0x20, 0x21], [0x30, 0x31], [0x40, 0x41, 0x42, 0x43],
      [0x50, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57], (0x60...0x6f).map { $0 },
    ]
    let roots = [
      "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
      "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
      "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
      "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
      "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
      "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
      "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
      "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
    ]
    var tree = HashTree()
    #expect(Hex.text(tree.root) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    for (leaf, root) in zip(leaves, roots) {
      tree.add(Digest.of(HashTree.leafPrefix + leaf))
      #expect(Hex.text(tree.root) == root)
    }
  }

  @Test func `the device's key is made once`() throws {
    let storage = KeyStorage()
    let first = try DeviceKey.load(from: storage)
    #expect(try DeviceKey.load(from: storage).publicKey == first.publicKey)
    #expect(storage.isSecret)
    #expect(try DeviceKey.load(from: KeyStorage()).publicKey != first.publicKey)
    storage.bytes = Array("something else".utf8)
    #expect(throws: StorageError.self) { try DeviceKey.load(from: storage) }
  }

  @Test func `a key has eight words that others do not have`() throws {
    let words = SignedTake.key.publicKey.words
    #expect(words.count == 8 && words.allSatisfy { (3...5).contains($0.count) })
    #expect(WordList.words.count == 1296 && Set(WordList.words).count == 1296)
    #expect(words != SignedTake.otherKey.publicKey.words)
    #expect(PublicKey(SignedTake.key.publicKey.text.uppercased()) == SignedTake.key.publicKey)
    #expect(PublicKey("12") == nil && PublicKey(String(repeating: "g", count: 64)) == nil)
  }
}

/// A storage of one document.
private final class KeyStorage: Storage, @unchecked Sendable {
  var bytes: [UInt8]?
  var isSecret = false
  let root = "/"

  func read(_ path: String, limit: Int) throws(StorageError) -> [UInt8] {
    guard let bytes else { throw StorageError(.notFound, operation: "read", path: path) }
    return bytes
  }
  func replace(_ path: String, with bytes: [UInt8]) throws(StorageError) { self.bytes = bytes }
  func replace(_ path: String, with bytes: [UInt8], isSecret: Bool) throws(StorageError) {
    (self.bytes, self.isSecret) = (bytes, isSecret)
  }
  func create(_ path: String) throws(StorageError) -> any StoredFile { MemoryFile() }
  func open(_ path: String, writable: Bool) throws(StorageError) -> any StoredFile { MemoryFile() }
  func scratch() throws(StorageError) -> any StoredFile { MemoryFile() }
  func list(_ directory: String) throws(StorageError) -> [StorageEntry] { [] }
  func entry(_ path: String) throws(StorageError) -> StorageEntry {
    StorageEntry(name: path, isDirectory: false, size: 0, modified: WallTime(nanosecondsSince1970: 0))
  }
  func makeDirectory(_ path: String) throws(StorageError) {}
  func rename(_ path: String, to target: String) throws(StorageError) {}
  func remove(_ path: String) throws(StorageError) {}
  func syncDirectory(_ path: String) throws(StorageError) {}
  func space() throws(StorageError) -> (free: Int, total: Int) { (1 << 30, 1 << 30) }
}
