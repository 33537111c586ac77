public import Hardware

/// A finished file as others are to see it, who know nothing of the library.
public struct ShownFile: Hashable, Sendable {
  /// Path in the data directory.
  public var source: String
  /// As it would be called on a stick; no two takes, and no two clips, are called alike, also where case does not count.
  public var name: String
  public var createdAt: WallTime
  public var isClip: Bool
}

extension Exports {
  /// All finished takes, newest first, then all finished clips and the pictures that were kept, without notes.
  public func shown(words: ExportWords) throws(LibraryError) -> [ShownFile] {
    var names = [Set<String>(), Set<String>()]
    func named(_ file: ExportFile, _ time: WallTime, isClip: Bool) -> ShownFile {
      var number = 1
      var name = file.name
      // Capitals first: two small letters can have the same one, as ς and σ have.
      while !names[isClip ? 1 : 0].insert(name.uppercased().lowercased()).inserted {
        number += 1
        name = StickName.numbered(file.name, number)
      }
      return ShownFile(source: file.source, name: name, createdAt: time, isClip: isClip)
    }
    let films = finishedClips + (try pictures())
    return finishedTakes.flatMap { take in
      ExportPlan.files(of: take, withSafety: true, words: words).filter { !$0.isNotes }
        .map { named($0, take.createdAt, isClip: false) }
    }
      + films.flatMap { id in
        ExportPlan.files(ofClip: id, words: words).filter { !$0.isNotes }
          .map { named($0, TakeName(id)?.createdAt ?? WallTime(seconds: 0), isClip: true) }
      }
  }
}
