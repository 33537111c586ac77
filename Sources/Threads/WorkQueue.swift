internal import Synchronization

/// Orders of one lane that another carries out, and the products on their way back: both in order, both with a bound.
///
/// `work`: the working lane only. Everything else: any thread; it blocks no longer than the closures do that `attach` and
/// `listen` were given. Not for real-time threads: it locks and allocates.
public final class WorkQueue<Order: Sendable, Product: Sendable>: Sendable {
  private struct Content {
    var orders: [Order] = []
    var products: [Product] = []
    /// Grows with every `cancel`: what was worked on then is not wanted any more.
    var turn = 0
    var isClosed = false
  }

  private let content = Mutex(Content())
  private let limit: Int
  private let wake = WakeCell()
  private let told = WakeCell()

  /// - Parameter limit: orders that may wait, and products that may wait to be taken.
  public init(limit: Int = .max) { self.limit = limit }

  // MARK: Any thread

  /// Sets the function that is called after each piece of work.
  public func listen(_ tell: @escaping @Sendable () -> Void) { told.set(tell) }

  /// Sets what wakes the working lane.
  public func attach(wake: @escaping @Sendable () -> Void) { self.wake.set(wake) }

  /// Appends an order.
  ///
  /// - Returns: false if too many wait, or if none is taken any more.
  public func submit(_ order: Order) -> Bool {
    let isTaken = content.withLock { content in
      guard content.orders.count < limit, !content.isClosed else { return false }
      content.orders.append(order)
      return true
    }
    if isTaken { wake.call() }
    return isTaken
  }

  /// What was made since the last call, oldest first.
  public func take() -> [Product] {
    let (products, wasFull) = content.withLock { content in
      defer { content.products = [] }
      return (content.products, content.products.count >= limit)
    }
    // The lane sleeps when there is no place for what it makes.
    if wasFull { wake.call() }
    return products
  }

  /// Forgets everything that waits, and what is being worked on.
  public func cancel() {
    content.withLock { content in
      content.orders = []
      content.products = []
      content.turn += 1
    }
  }

  /// Forgets the orders that wait, and takes no more.
  public func close() {
    content.withLock { content in
      content.orders = []
      content.isClosed = true
    }
  }

  /// Calls who listens: for what the working lane has to tell beside its products.
  public func tell() { told.call() }

  // MARK: The working lane

  /// Carries out the order that has waited longest, if there is one and a place for its product.
  ///
  /// - Parameter make: called outside of the lock; may take long. What it makes is dropped after a `cancel` meanwhile.
  /// - Returns: whether there is more to do at once.
  public func work(_ make: (Order) -> Product) -> Bool {
    let next: (Order, Int)? = content.withLock { content in
      guard hasWork(content) else { return nil }
      return (content.orders.removeFirst(), content.turn)
    }
    guard let (order, turn) = next else { return false }
    let product = make(order)
    let hasMore = content.withLock { content in
      if content.turn == turn { content.products.append(product) }
      return hasWork(content)
    }
    tell()
    return hasMore
  }

  private func hasWork(_ content: borrowing Content) -> Bool {
    !content.orders.isEmpty && content.products.count < limit
  }
}
