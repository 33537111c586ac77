public import Hardware
public import JSON

/// Numbers everything that happens and passes it on at once to whoever listens. Control loop only.
public final class EventHub {
  /// Names a listener, to take it off again.
  public struct Listener: Hashable, Sendable {
    fileprivate let number: Int
  }

  /// Events so far; the `seq` of the latest.
  public private(set) var count = 0
  private var sinks: [(listener: Listener, sink: (EventRecord) -> Void)] = []
  private var listeners = 0
  /// The `t` of the latest.
  private var latest = Instant.zero
  private var undelivered: [EventRecord] = []
  private var isDelivering = false

  public init() {}

  /// Passes every event from now on to `sink`, in the order of their happening. A sink that wants only some
  /// topics keeps a `Subscription`, as `ConsoleSession` does.
  public func attach(_ sink: @escaping (EventRecord) -> Void) -> Listener {
    listeners += 1
    let listener = Listener(number: listeners)
    sinks.append((listener, sink))
    return listener
  }

  /// Passes nothing more to this listener. May be called from a sink.
  public func detach(_ listener: Listener) { sinks.removeAll { $0.listener == listener } }

  /// Numbers an event and passes it on. What a sink publishes meanwhile follows, so that all see the same order.
  ///
  /// - Parameter t: when it happened. A step goes by the time at which it began, a command in it by the time at which it
  ///   was read: of two events the later one is never told to have been earlier.
  @discardableResult
  public func publish(_ topic: EventTopic, _ data: JSONValue, at t: Instant) -> EventRecord {
    count += 1
    latest = max(latest, t)
    let record = EventRecord(seq: count, t: latest, topic: topic, data: data)
    undelivered.append(record)
    guard !isDelivering else { return record }
    isDelivering = true
    defer { isDelivering = false }
    while !undelivered.isEmpty {
      let next = undelivered.removeFirst()
      for entry in sinks { entry.sink(next) }
    }
    return record
  }
}

/// One subscriber's choice of topics, its numbering and its bounded queue.
///
/// An event gets its number when it leaves the queue, so that numbers have no hole; what did not fit is dropped,
/// oldest first, and counted in `lost` of the next event that leaves. Loss is never silent.
public struct Subscription: Sendable {
  /// The topics that are wanted.
  public let topics: Set<EventTopic>
  /// Events that wait at most.
  public let capacity: Int
  /// The number that the next event to leave will have.
  public private(set) var nextSeq = 1
  private var waiting: [EventRecord] = []
  private var lost = 0

  public init(topics: Set<EventTopic> = Set(EventTopic.allCases), capacity: Int = 256) {
    self.topics = topics
    self.capacity = max(1, capacity)
  }

  /// True when nothing waits.
  public var isEmpty: Bool { waiting.isEmpty }

  /// The same numbering with other topics.
  public func retuned(to topics: Set<EventTopic>) -> Subscription {
    var result = Subscription(topics: topics, capacity: capacity)
    result.nextSeq = nextSeq
    result.lost = lost
    result.waiting = waiting
    return result
  }

  /// Queues an event if its topic is wanted.
  public mutating func offer(_ event: EventRecord) {
    guard topics.contains(event.topic) else { return }
    if waiting.count >= capacity {
      waiting.removeFirst()
      lost += 1
    }
    waiting.append(event)
  }

  /// The next event with this stream's number, left in the queue.
  public var next: EventRecord? {
    guard var event = waiting.first else { return nil }
    event.seq = nextSeq
    event.lost = lost
    return event
  }

  /// Takes the next event from the queue.
  public mutating func take() -> EventRecord? {
    guard let event = next else { return nil }
    waiting.removeFirst()
    nextSeq += 1
    lost = 0
    return event
  }
}
