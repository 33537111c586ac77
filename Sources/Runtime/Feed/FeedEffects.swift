internal import Appliance
internal import Dubbing
internal import Hardware
internal import Library
internal import Threads

/// Carries out what the machine asks of the feed. Control lane only.
struct FeedEffects {
  /// `nil` on a board that grants it no memory.
  let context: FeedContext?
  let storage: StorageWorker

  /// Clips and takes that are listed, of each.
  private static let listed = 100

  func perform(_ order: FeedOrder, state: State) {
    guard let feed = context else { return }
    let worker = feed.worker
    switch order {
    case .load(let source, let page, let request):
      if source.isEmpty {
        storage.localFeed(request: request, most: Self.listed)
      } else {
        worker.post(.load(source: source, page: page, request: request))
      }
    case .prepare(let items): worker.post(.prepare(items.map { feed.source(of: $0) }))
    case .play(let item, let language, let isMuted, let run):
      worker.post(.player(.order(.configure(feed.settings(state.settings, isMuted: isMuted)))))
      worker.post(
        .play(item, source: feed.source(of: item), feed: state.settings.feedSource, language: language, run: run))
    case .close: worker.post(.rest)
    case .stop: worker.post(.player(.order(.stop)))
    case .pause: worker.post(.player(.order(.pause)))
    case .resume: worker.post(.player(.order(.resume)))
    case .mute(let isMuted): worker.post(.player(.order(.configure(feed.settings(state.settings, isMuted: isMuted)))))
    case .seek(let seconds): worker.post(.player(.order(.seek(seconds: seconds))))
    case .scrub(let direction): worker.post(.player(.scrub(direction)))
    case .language(let language): worker.post(.player(.order(.language(language))))
    }
  }

  /// Makes settings count: volumes, and how much is kept.
  func apply(_ settings: Settings, state: State) {
    guard let feed = context else { return }
    feed.worker.post(.keep(megabytes: settings.feedCacheMB, days: settings.feedCacheDays))
    guard state.feed.isBusy else { return }
    feed.worker.post(.player(.order(.configure(feed.settings(settings, isMuted: state.feed.isMuted)))))
  }
}

extension StorageWorker {
  /// The newest clips and takes as a page: both count with the same numbers, so the newest come first.
  func localFeed(request: Int, most: Int) {
    let clips = status.recentClips.prefix(most).filter { !TakeName.isSealed($0) }.map {
      FeedItem(id: $0, title: ClipNames.short($0), kind: .clip)
    }
    submit { [inbox] library throws(LibraryError) in
      let takes = library.list(limit: most).takes.filter { !TakeName.isSealed($0.id) }.map { take in
        FeedItem(id: take.id, title: take.displayName, kind: .take)
      }
      let items = (takes + clips).sorted { $0.id > $1.id }
      inbox.post(.feed(.report(.page(FeedPage(items: items), request: request))))
    } onFailure: { [inbox] error in
      inbox.post(
        .feed(
          .report(.pageFailed(FeedFault(code: error.code, text: "the list cannot be read: \(error)"), request: request))
        ))
    }
  }
}
