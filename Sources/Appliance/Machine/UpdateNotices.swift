internal import Hardware

/// What is known of updates is said on the screen, and offered where somebody can do something about it.
enum UpdateNotices {
  /// Nothing is offered while something is open: what is recorded comes first.
  static func tell(_ news: UpdateNews, _ modes: Modes, _ transition: inout Transition) {
    let code = "update"
    switch news {
    case .found(let name):
      guard modes.openWork == nil else { return }
      transition.raise(.information, code, .updateFound(name), for: .seconds(30))
      transition.offer(.install, with: code)
    case .told(let report):
      switch report.phase {
      case .none: break
      case .fetching where modes.openWork != nil: break
      case .fetching, .checking, .writing: transition.raise(.information, code, .update(report), for: .seconds(60))
      case .installed:
        transition.raise(.information, code, .update(report), for: .seconds(300))
        transition.offer(.restart, with: code)
      case .refused, .failed: transition.raise(.warning, code, .update(report))
      case .trial, .good: transition.raise(.information, code, .update(report), for: .seconds(10))
      }
    }
  }
}
