internal import Glibc
internal import Hardware

/// Files beside a clip that belong to it by their names: `clip.es.vtt`, `clip.fr.srt`, `clip.de.m4a` beside `clip.mp4`.
struct SidecarFiles: Hashable, Sendable {
  struct Sidecar: Hashable, Sendable {
    var path: String
    var language: String
    /// Those of the least are read first, of whatever region they are.
    var rank = 0
  }

  private(set) var subtitles: [Sidecar] = []
  private(set) var sounds: [Sidecar] = []
  /// Subtitles whose name says no language.
  private(set) var nameless: String?

  /// Subtitles for the deaf tell noises, too; those for a film's own viewers, what is foreign to them only.
  private static let ranks = ["sdh": 1, "cc": 1, "hi": 1, "forced": 2, "foreign": 2]
  private static let soundExtensions: Set<String> = ["m4a", "wav", "opus", "ogg", "mp3", "flac"]
  private static let most = 64

  /// Looks into the clip's folder; blocks on the medium.
  init(beside path: String) {
    let (parent, last) = path.pathParts
    let name = KernelName.listed(last)
    let folder = parent ?? "."
    let point = UInt8(ascii: ".")
    guard let dot = name.utf8.lastIndex(of: point), dot != name.startIndex else { return }
    let base = String(name[..<name.utf8.index(after: dot)])
    guard let directory = opendir(folder.isEmpty ? "/" : folder) else { return }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      let file = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        KernelName.text(UnsafeBufferPointer(rebasing: bytes.bindMemory(to: UInt8.self).prefix { $0 != 0 }))
      }
      guard let rest = Self.rest(of: file, behind: base), file != name, Self.isFile(file, in: directory) else {
        continue
      }
      let parts = rest.utf8.split(separator: point, omittingEmptySubsequences: false).map { String(Substring($0)) }
      if parts.count == 1, ["vtt", "srt"].contains(parts[0].lowercased()) { nameless = file }
      guard (2...3).contains(parts.count), let language = Self.language(parts[0]),
        let rank = parts.count == 2 ? 0 : Self.ranks[parts[1].lowercased()]
      else { continue }
      let sidecar = Sidecar(path: folder + "/" + file, language: language, rank: rank)
      let kind = parts[parts.count - 1].lowercased()
      if kind == "vtt" || kind == "srt", subtitles.count < Self.most { subtitles.append(sidecar) }
      if Self.soundExtensions.contains(kind), parts.count == 2, sounds.count < Self.most { sounds.append(sidecar) }
    }
    // WebVTT says more than SRT does.
    let order = { (one: Sidecar) in (one.rank, one.path.hasSuffix("srt") ? 1 : 0, one.path) }
    subtitles.sort { order($0) < order($1) }
    sounds.sort { $0.path < $1.path }
  }

  /// Subtitles for somebody who asks for a language, the most welcome first.
  func subtitles(serving language: String) -> [Sidecar] {
    (0...2).flatMap { rank in
      Languages.serving(language, subtitles.filter { $0.rank == rank }, tag: \.language)
    }
  }

  /// What a name has behind another's beginning, byte by byte: how one byte stands in a name's text depends on all others.
  private static func rest(of file: String, behind base: String) -> String? {
    let (name, beginning) = (KernelName.bytes(file).dropLast(), KernelName.bytes(base).dropLast())
    guard name.starts(with: beginning) else { return nil }
    let rest = name.dropFirst(beginning.count).map { UInt8(bitPattern: $0) }
    return String(validating: rest, as: UTF8.self).map(KernelName.composed)
  }

  /// A pipe of that name would hold up whoever opens it.
  private static func isFile(_ name: String, in directory: OpaquePointer) -> Bool {
    var status = stat()
    return fstatat(dirfd(directory), KernelName.bytes(name), &status, 0) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// `es`, `pt-BR` (also as `pt_BR`), and `es` for `Español`; nil: a word that is no language.
  private static func language(_ word: String) -> String? {
    let tag = String(word.map { $0 == "_" ? "-" : $0 })
    return Languages.isTag(tag) ? tag : Languages.tag(of: word).flatMap { Languages.isTag($0) ? $0 : nil }
  }

  /// A file, or its first `most` bytes; `nil` if it cannot be read.
  static func read(_ path: String, most: Int) -> [UInt8]? {
    let descriptor = Glibc.open(KernelName.path(path), O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { _ = Glibc.close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 32 << 10)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return count == 0 ? bytes : nil }
      bytes += buffer.prefix(count)
      guard bytes.count < most else { return Array(bytes.prefix(most)) }
    }
  }
}
