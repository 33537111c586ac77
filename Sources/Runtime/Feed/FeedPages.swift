internal import Appliance
internal import Hardware
internal import Streaming

/// Fetches pages of a feed, one at a time: a newer question ends the one before. Dubbing lane only.
final class FeedPages {
  private struct Question {
    var source: String
    var address: String
    var isFirst: Bool
    var number: Int
    var transfer: any HTTPTransfer
    /// When it is given up, whatever the network does; set when it is seen to first.
    var deadline: Instant?
  }

  private let network: (any Network)?
  private let cache: FeedCache
  private let wake: @Sendable () -> Void
  private let tell: (FeedReport) -> Void
  private var question: Question?

  /// Everything together may take so long: then it is a card.
  private static let patience = Duration.seconds(3)

  init(
    network: (any Network)?, cache: FeedCache, wake: @escaping @Sendable () -> Void,
    tell: @escaping (FeedReport) -> Void
  ) {
    self.network = network
    self.cache = cache
    self.wake = wake
    self.tell = tell
  }

  /// Asks for a page; `page` `nil`: the first one.
  func load(source: String, page: String?, request: Int) {
    cancel()
    guard let network else {
      return fail(StreamFault("unreachable", "there is no network"), source, isFirst: page == nil, request)
    }
    let address = page ?? source
    let wanted = HTTPRequest(
      url: address, largest: FeedDocument.mostBytes, connectTimeout: Self.patience, stallTimeout: Self.patience,
      timeout: Self.patience)
    question = Question(
      source: source, address: address, isFirst: page == nil, number: request,
      transfer: network.fetch(wanted, wake: wake))
  }

  func cancel() {
    question?.transfer.cancel()
    question = nil
  }

  /// - Returns: when to call again at the latest.
  func step(now: Instant) -> Instant? {
    guard let asked = question else { return nil }
    switch asked.transfer.progress {
    case .running:
      let deadline = asked.deadline ?? now + Self.patience
      question?.deadline = deadline
      guard now >= deadline else { return min(deadline, asked.transfer.nextChange ?? deadline) }
      // What was kept may be all there is.
      if cache.isChecking { return now }
      cancel()
      let fault = StreamFault("timeout", "\(DubSource.shortName(of: asked.address).shown) did not answer within 3 s")
      fail(fault, asked.source, isFirst: asked.isFirst, asked.number)
    case .failed(let error):
      // What was kept may be all there is.
      if cache.isChecking { return now }
      question = nil
      fail(StreamFault(error), asked.source, isFirst: asked.isFirst, asked.number)
    case .finished(let response):
      question = nil
      read(response, asked)
    }
    return nil
  }

  private func read(_ response: HTTPResponse, _ asked: Question) {
    do throws(FeedDocumentError) {
      let page = try FeedDocument.page(response.body, at: response.url)
      tell(.page(page, request: asked.number))
    } catch {
      let name = DubSource.shortName(of: asked.address).shown
      tell(
        .pageFailed(
          FeedFault(code: "feed-malformed", text: "\(name): \(error.reason). It has to be a feed as the manual says."),
          request: asked.number))
    }
  }

  /// Without its first page, what was kept of a feed plays.
  private func fail(_ fault: StreamFault, _ source: String, isFirst: Bool, _ number: Int) {
    if isFirst, ["unreachable", "no-such-host", "timeout", "interrupted", "tls"].contains(fault.code) {
      let kept = cache.shelf.items(of: source)
      if !kept.isEmpty { return tell(.page(FeedPage(items: kept, isOffline: true), request: number)) }
    }
    tell(.pageFailed(FeedFault(code: fault.code, text: fault.text), request: number))
  }
}
