internal import Hardware
internal import Media

/// Which variant of a stream is played (RFC 8216 section 6.3.1). Pure.
struct VariantChoice: Hashable, Sendable {
  /// Part of the measured width that is used.
  static let safety = 0.7
  /// Taken for the width before anything is measured, in bits a second.
  static let assumed = 1_000_000
  /// A better variant is only taken so long after the last change.
  static let patience = Duration.seconds(10)

  private let variants: [MasterPlaylist.Variant]
  /// Those without pictures, or with too many lines: better than nothing, where none of the others can be had.
  private let spares: [MasterPlaylist.Variant]
  private(set) var current: MasterPlaylist.Variant
  private var changed: Instant?
  /// For so long one that could not be had is left out.
  static let penalty = Duration.seconds(60)
  /// Variants that could not be had, by the number of their address, until when.
  private var avoided: [Int: Instant] = [:]

  /// - Parameters:
  ///   - wantsPictures: without them, variants that are only sound are preferred where there are any.
  ///   - mostLines: variants with more lines are left out; if all have more, the one with the fewest is left.
  init?(
    _ variants: [MasterPlaylist.Variant], wantsPictures: Bool, mostLines: Int = .max, isLowPower: Bool, bandwidth: Int?
  ) {
    // What cannot be decoded is only taken where there is nothing else: its CODECS may be wrong.
    let audible = Self.those(of: variants) { !$0.codecs.contains(where: StreamCodecs.isRefused) }
    let variants = Self.those(of: audible) { variant in
      !wantsPictures || variant.codecs.allSatisfy { StreamCodecs.isSound($0) || StreamCodecs.isPicture($0) }
    }
    let soundOnly = variants.filter(\.isSoundOnly)
    let fitting = (!wantsPictures && !soundOnly.isEmpty ? soundOnly : variants.filter { !$0.isSoundOnly })
    let usable = Self.within(mostLines, fitting.isEmpty ? variants : fitting)
    self.variants = usable.sorted { $0.bandwidth < $1.bandwidth }
    let chosen = Set(usable.map(\.number))
    spares = audible.filter { !chosen.contains($0.number) }.sorted { $0.bandwidth < $1.bandwidth }
    guard let first = self.variants.first else { return nil }
    current = first
    current = best(bandwidth: bandwidth, isLowPower: isLowPower, now: .zero)
  }

  /// Those that fit, or all where none does.
  private static func those(
    of variants: [MasterPlaylist.Variant], _ fits: (MasterPlaylist.Variant) -> Bool
  ) -> [MasterPlaylist.Variant] {
    let found = variants.filter(fits)
    return found.isEmpty ? variants : found
  }

  private static func within(_ lines: Int, _ variants: [MasterPlaylist.Variant]) -> [MasterPlaylist.Variant] {
    let small = variants.filter { ($0.height ?? 0) <= lines }
    guard small.isEmpty else { return small }
    let fewest = variants.compactMap(\.height).min()
    return variants.filter { $0.height == fewest }
  }

  /// What should be played now; another one than `current` is made so by `take`.
  func wanted(bandwidth: Int?, isLowPower: Bool, now: Instant) -> MasterPlaylist.Variant {
    let isBad = !isFree(current, now)
    guard bandwidth != nil || isLowPower || isBad else { return current }
    let best = best(bandwidth: bandwidth, isLowPower: isLowPower, now: now)
    if !isBad, best.bandwidth > current.bandwidth, let changed, now - changed < Self.patience { return current }
    return best
  }

  mutating func take(_ variant: MasterPlaylist.Variant, now: Instant) {
    current = variant
    changed = now
  }

  /// What else there is, the best suited first.
  func others(now: Instant) -> [MasterPlaylist.Variant] {
    func isLeft(_ variant: MasterPlaylist.Variant) -> Bool {
      variant.addressNumber != current.addressNumber && isFree(variant, now)
    }
    let left = variants.filter(isLeft)
    return left.filter { $0.bandwidth <= current.bandwidth }.reversed()
      + left.filter { $0.bandwidth > current.bandwidth } + spares.filter(isLeft)
  }

  /// Leaves a variant out for so long.
  mutating func avoid(_ variant: MasterPlaylist.Variant, for time: Duration = Self.penalty, now: Instant) {
    avoided[variant.addressNumber] = now + time
  }

  private func isFree(_ variant: MasterPlaylist.Variant, _ now: Instant) -> Bool {
    avoided[variant.addressNumber].map { $0 <= now } ?? true
  }

  private func best(bandwidth: Int?, isLowPower: Bool, now: Instant) -> MasterPlaylist.Variant {
    let usable = variants.filter { isFree($0, now) }
    guard let lowest = usable.first else { return spares.first { isFree($0, now) } ?? current }
    guard !isLowPower else { return lowest }
    let most = Double(bandwidth ?? Self.assumed) * Self.safety
    let narrower = bandwidth == nil ? nil : spares.last { $0.isSoundOnly && Double($0.bandwidth) <= most }
    return usable.last { Double($0.bandwidth) <= most } ?? narrower ?? lowest
  }
}
