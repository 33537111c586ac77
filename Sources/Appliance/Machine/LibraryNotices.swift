internal import Hardware

/// What the library has done is said on the screen.
enum LibraryNotices {
  static func tell(_ report: LibraryReport, _ modes: Modes, _ transition: inout Transition) {
    switch report {
    case .deleted(let file, let number):
      // Whoever looks at the list has just done that; in a take LEFT is the level.
      if transition.screen == .files, modes.openWork == nil {
        transition.raise(
          .information, "deleted", .deleted(file.displayName, number: number, comesBack: true), for: .seconds(10))
        transition.offer(.undelete, with: "deleted")
      } else {
        transition.raise(
          .information, "deleted", .deleted(file.displayName, number: number, comesBack: false), for: .seconds(3))
      }
    case .restored(let file, let number):
      transition.raise(.information, "restored", .restored(file.displayName, number: number), for: .seconds(3))
    case .worked(let work, let done, let failed):
      guard work != .delete || failed > 0 else { break }
      transition.raise(
        failed > 0 ? .warning : .information, "takes", .worked(work, done: done, failed: failed), for: .seconds(3))
    case .copied(let file):
      transition.raise(.information, "copied", .copied(file.displayName), for: .seconds(3))
    case .exported(let count, let name):
      transition.raise(.information, "exported", .exported(name, count: count), for: .seconds(10))
    case .exportFailed(let trouble, let text):
      transition.raise(.error, trouble.rawValue, .stick(trouble))
      transition.announce(.error(code: trouble.rawValue, text: text))
    // Why any of it fails then.
    case .failed(let code, let text) where transition.health.isStorageMissing:
      transition.raise(.error, "device-lost", .storageLost, device: .storage)
      transition.announce(.error(code: code, text: text))
    case .failed(let code, let text): transition.fail(code, text)
    // What the modes show, or wait for.
    case .window, .changed, .renewed, .tags, .facts, .copying, .working, .stick, .exporting, .marks, .clipWindow,
      .clipsChanged, .protected:
      break
    }
  }
}
