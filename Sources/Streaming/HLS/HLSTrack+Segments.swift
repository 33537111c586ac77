internal import Hardware
internal import Media

// Fetching of segments, with the keys and initialisation sections that they need.
extension HLSTrack {
  /// - Returns: whether something came of it.
  func stepSegment(_ now: Instant, room: Int) -> Bool {
    if let current = job {
      switch current.fetch.progress {
      case .running: return false
      case .failed(let error):
        job = nil
        problem = "\(error)"
        // The playlist has gone on without it.
        guard plan.next == current.segment.sequence else { return true }
        if plan.segmentFailed(current.segment, error, now: now) == .skip {
          deliver(current.segment, .missing("\(error)"), now)
        }
      case .finished(let response):
        job = nil
        finish(current, response, now)
      }
      return true
    }
    switch plan.segment(now: now, room: room) {
    case nil: return false
    case .skip(let segment, let reason): deliver(segment, .missing(reason), now)
    case .fetch(let segment):
      plan.segmentRequested()
      begin(segment)
    }
    return true
  }

  /// Asks for what of a segment is not there yet: key, initialisation section, the segment.
  private func begin(_ segment: MediaSegment) {
    let part: Job.Part
    var request = HTTPRequest(url: segment.url, range: segment.range, largest: limits.segmentBytes)
    if let key = segment.key ?? segment.map?.key, self.key(key.url) == nil {
      part = .key(key.url)
      request = HTTPRequest(url: key.url, largest: 1024, timeout: .seconds(10))
    } else if let key = segment.map?.key, self.key(key.url) == nil {
      part = .key(key.url)
      request = HTTPRequest(url: key.url, largest: 1024, timeout: .seconds(10))
    } else if let map = segment.map, self.map?.map != map {
      part = .map(map)
      request = HTTPRequest(url: map.url, range: map.range, largest: 1 << 20, timeout: .seconds(10))
    } else {
      part = .segment
    }
    job = Job(segment: segment, part: part, fetch: network.fetch(request, wake: wake))
  }

  private func finish(_ job: Job, _ response: HTTPResponse, _ now: Instant) {
    var bytes = response.body
    do throws(MediaError) {
      switch job.part {
      case .key(let url):
        guard bytes.count == 16 else {
          throw MediaError(
            .damaged, subject: HLSTrack.name(url), operation: "use the key",
            reason: "\(bytes.count) bytes; AES-128 needs 16")
        }
        keys.removeAll { $0.url == url }
        keys.append((url, bytes))
        if keys.count > 4 { keys.removeFirst() }
        begin(job.segment)
      case .map(let map):
        try decrypt(&bytes, map.key, sequence: 0, name: map.url)
        self.map = (map, bytes)
        begin(job.segment)
      case .segment:
        measured(bytes.count, response.finished - response.requested)
        try decrypt(&bytes, job.segment.key, sequence: job.segment.sequence, name: job.segment.url)
        let initialization = job.segment.map == nil ? [] : map?.bytes ?? []
        deliver(job.segment, .bytes(bytes, initialization: initialization), now)
      }
    } catch {
      // Trying again would bring the same bytes.
      problem = "\(error)"
      deliver(job.segment, .missing("\(error)"), now)
    }
  }

  private func decrypt(
    _ bytes: inout [UInt8], _ key: SegmentKey?, sequence: Int, name: String
  ) throws(MediaError) {
    guard let key, let secret = self.key(key.url) else { return }
    try SegmentCipher.decrypt(
      &bytes, key: secret, vector: key.vector(sequence: sequence), name: HLSTrack.name(name))
  }

  private func key(_ url: String) -> [UInt8]? { keys.first { $0.url == url }?.bytes }

  private func deliver(_ segment: MediaSegment, _ content: Loaded.Content, _ now: Instant) {
    let isBreak = plan.breakAt == segment.sequence
    var wasSkipped = false
    if case .missing = content { wasSkipped = true }
    plan.segmentDone(segment, now: now, wasSkipped: wasSkipped)
    loaded.append(Loaded(segment: segment, content: content, isAfterBreak: isBreak))
  }
}

extension HLSTrack.Loaded {
  var hasBytes: Bool {
    if case .bytes = content { true } else { false }
  }
}
