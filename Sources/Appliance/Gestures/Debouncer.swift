public import Hardware

/// Removes contact bounce from key edges. Pure: it knows no clock but the edges' own.
///
/// Leading edge: the first change counts at once, so a press costs no latency. Changes within the debounce time
/// after it are not believed; when the contact has been quiet for that long, its settled level is reconciled with
/// what was reported, so that a tap shorter than the debounce time is late by it, and never lost. Every edge that
/// comes out carries the kernel's time of a real edge.
public struct Debouncer: Sendable {
  /// Tactile switches bounce for 1–5 ms, worn ones for 10.
  public static let defaultTime: Duration = .milliseconds(10)

  private struct Contact {
    var time: Duration
    /// What has been reported.
    var isPressed = false
    /// What the contact last said, and when.
    var rawIsPressed = false
    var rawAt = Instant.zero
    /// Until then a change is not believed.
    var blindUntil: Instant?

    /// When an unbelieved level counts as settled; `nil` while there is none.
    var settlesAt: Instant? { rawIsPressed == isPressed ? nil : rawAt + time }

    mutating func report() {
      isPressed = rawIsPressed
      blindUntil = rawAt + time
    }
  }

  private var contacts: [Contact]

  /// - Parameters:
  ///   - time: the debounce time of every key; 5–20 ms are usual, zero believes every edge.
  ///   - exceptions: keys with a time of their own.
  public init(time: Duration = Debouncer.defaultTime, exceptions: [Button: Duration] = [:]) {
    contacts = Button.allCases.map { Contact(time: max(.zero, exceptions[$0] ?? time)) }
  }

  /// When `advance` wants to be called; `nil` while all is settled.
  public var nextDeadline: Instant? {
    var earliest: Instant?
    for contact in contacts {
      if let settles = contact.settlesAt { earliest = min(earliest ?? settles, settles) }
    }
    return earliest
  }

  /// Takes an edge as the driver delivers it. Edges of one key come in the order of time.
  ///
  /// - Returns: what is to be believed: nothing, the edge, or a settled earlier one and the edge.
  public mutating func accept(_ edge: ButtonEdge) -> [ButtonEdge] {
    let index = edge.button.ordinal
    var believed: [ButtonEdge] = []
    if let settles = contacts[index].settlesAt, settles <= edge.at {
      believed.append(settled(index))
    }
    contacts[index].rawIsPressed = edge.isPressed
    contacts[index].rawAt = edge.at
    if edge.isPressed != contacts[index].isPressed, edge.at >= contacts[index].blindUntil ?? edge.at {
      believed.append(settled(index))
    }
    return believed
  }

  /// Believes every level that has been quiet for its debounce time, the earliest first.
  public mutating func advance(to now: Instant) -> [ButtonEdge] {
    var believed: [ButtonEdge] = []
    for index in contacts.indices {
      if let settles = contacts[index].settlesAt, settles <= now { believed.append(settled(index)) }
    }
    return believed.count > 1 ? believed.sorted { $0.at < $1.at } : believed
  }

  /// Takes every contact for open: the keys went away.
  public mutating func forget() {
    for index in contacts.indices { contacts[index] = Contact(time: contacts[index].time) }
  }

  private mutating func settled(_ index: Int) -> ButtonEdge {
    contacts[index].report()
    let contact = contacts[index]
    return ButtonEdge(Button.allCases[index], isPressed: contact.isPressed, at: contact.rawAt)
  }
}

extension Button {
  /// Position in `allCases`, for tables by key.
  var ordinal: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
