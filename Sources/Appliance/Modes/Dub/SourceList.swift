/// What can be played with a dub: streams first, then the newest clips and takes.
public struct SourceList: Hashable, Sendable {
  public private(set) var all: [DubSource]
  /// The highlighted one, and the one that plays unless another was asked for by its address.
  public private(set) var selected: Int

  /// More sources are not shown.
  private static let most = 128

  public init(_ all: [DubSource] = [], selected: Int = 0) {
    self.all = all
    self.selected = selected
  }

  /// The highlighted source.
  public var selection: DubSource? { all.indices.contains(selected) ? all[selected] : nil }

  /// What stands before or after the highlighted one.
  func neighbour(_ step: Int) -> DubSource? { Row.moved(selected, by: step, count: all.count).map { all[$0] } }

  /// Shows the list from its top.
  mutating func open() { selected = 0 }

  mutating func select(_ id: String) { if let place = all.firstIndex(where: { $0.id == id }) { selected = place } }

  /// - Returns: whether there was another row in that direction.
  mutating func move(by step: Int) -> Bool {
    guard let place = Row.moved(selected, by: step, count: all.count) else { return false }
    selected = place
    return true
  }

  /// The list has come anew, and keeps its place: at what plays, else at what was highlighted.
  mutating func receive(_ sources: [DubSource], keeping playing: String?) {
    let chosen = playing ?? selection?.id
    all = Array(sources.prefix(Self.most))
    selected = min(selected, max(0, all.count - 1))
    if let chosen { select(chosen) }
  }

  /// Finds what the console names: an address, the name or id of a source, its place in the list counted from 1.
  func source(named name: String, _ settings: Settings) -> DubSource? {
    // What the settings name counts at once; the list comes when the storage has looked for clips, which may take a while.
    let known = (DubSource.streams(in: settings.dubSources) ?? []) + all
    if let exact = known.first(where: { $0.id == name || $0.name == name || $0.publicID == name }) { return exact }
    let lower = name.lowercased()
    if let similar = known.first(where: { $0.name.lowercased() == lower }) { return similar }
    if let place = Int(name), all.indices.contains(place &- 1) { return all[place &- 1] }
    // Of any scheme: who plays it says which of them can be.
    let place = lower.drop { $0 != ":" }
    if place.hasPrefix("://"), place.dropFirst(3).first.map({ $0 != "/" }) == true {
      return DubSource(id: name, name: DubSource.shortName(of: name), kind: .stream)
    }
    // A file name that is not in the part of the list that is known here: the player finds it, or says that it cannot.
    guard !name.utf8.contains(UInt8(ascii: "/")), !name.hasPrefix(".") else { return nil }
    if lower.hasSuffix(".mp4") { return DubSource(id: name, name: name, kind: .clip) }
    if lower.hasSuffix(".m4a") || lower.hasSuffix(".wav") { return DubSource(id: name, name: name, kind: .take) }
    return nil
  }
}
