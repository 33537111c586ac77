import Hardware

extension Turn {
  /// Shows a message, unless a graver one is being shown.
  ///
  /// - Parameter duration: until it goes by itself; `nil`: until a key is pressed or its cause has gone.
  mutating func raise(
    _ severity: Notice.Severity, _ code: String, _ text: String, for duration: Duration? = nil, device: Device? = nil
  ) {
    if let shown = state.notice, shown.severity > severity { return }
    let wasTimed = state.notice?.expires != nil
    let expires = duration.map { now + $0 }
    state.notice = Notice(severity: severity, code: code, text: text, expires: expires, device: device)
    if let expires {
      effects.append(.setTimer(.noticeExpires, at: expires))
    } else if wasTimed {
      effects.append(.cancelTimer(.noticeExpires))
    }
  }

  mutating func dismissNotice() {
    guard let notice = state.notice else { return }
    state.notice = nil
    if notice.expires != nil { effects.append(.cancelTimer(.noticeExpires)) }
  }

  mutating func dismissNotice(code: String) {
    if state.notice?.code == code { dismissNotice() }
  }

  mutating func fail(_ code: String, _ text: String, device: Device? = nil) {
    raise(.error, code, text, device: device)
    announce(.error(code: code, text: text))
  }

  mutating func ranOut(_ timer: Timer) {
    switch timer {
    case .noticeExpires:
      guard let expires = state.notice?.expires, expires <= now else { return }
      state.notice = nil
    case .lockHintExpires: hintRanOut()
    }
  }
}
