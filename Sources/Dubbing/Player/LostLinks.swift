/// What does not come at the moment. Reported when something goes, and once when everything is back. Dubbing lane only.
final class LostLinks {
  enum Link {
    case stream
    case service
  }

  private var lost: Set<Link> = []
  private let report: (DubEvent) -> Void

  init(report: @escaping (DubEvent) -> Void) { self.report = report }

  func lose(_ link: Link, reason: String) {
    if lost.insert(link).inserted { report(.linkLost(reason: reason)) }
  }

  func find(_ link: Link) {
    if lost.remove(link) != nil, lost.isEmpty { report(.linkRestored) }
  }
}
