/// The feeds that one can choose from: what is on the device first, then those that the settings name.
public struct FeedSources: Hashable, Sendable {
  /// Addresses and names; the device's own has no address.
  public let all: [DubSource]

  public init(_ settings: Settings) {
    let own = DubSource(id: "", name: Self.ownName, kind: .take)
    all = [own] + (DubSource.streams(in: settings.feedSources) ?? [])
  }

  /// What the console calls clips and takes.
  public static let ownName = "local"

  /// Finds what the console names: a name, a place counted from 1, or an address.
  public func address(named name: String) -> String? {
    let lower = name.lowercased()
    if let known = all.first(where: { $0.id == name || $0.name.lowercased() == lower }) { return known.id }
    if let place = Int(name), all.indices.contains(place &- 1) { return all[place &- 1].id }
    return lower.hasPrefix("http://") || lower.hasPrefix("https://") ? name : nil
  }

  /// Why what the console names cannot be opened; `nil` if it can.
  func refusal(toOpen name: String, _ settings: Settings) -> IgnoredReason? {
    guard let address = address(named: name) else { return .nothingLoaded }
    var changed = settings
    do { try changed.set("feed.source", to: .text(address)) } catch { return .refused(error) }
    return nil
  }

  func neighbour(of address: String, _ direction: Int) -> String? {
    guard let place = all.firstIndex(where: { $0.id == address }) else { return all.first?.id }
    let next = place + direction
    return all.indices.contains(next) ? all[next].id : nil
  }

  /// What people call a feed.
  public static func name(of address: String, _ settings: Settings) -> String {
    FeedSources(settings).all.first { $0.id == address }?.name ?? DubSource.shortName(of: address)
  }
}
