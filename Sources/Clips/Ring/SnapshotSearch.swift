internal import Hardware
internal import Recording

extension PictureBuffer {
  /// What the picture that was to be seen at an instant is decoded from; nothing, if there is none.
  ///
  /// - Parameter mayWait: what is not there yet may still come.
  /// - Returns: `nil`: it is to be asked again.
  func snapshot(of instant: Instant, takenAt wall: WallTime, mayWait: Bool) -> SnapshotOrder? {
    withLock { shared -> SnapshotOrder? in
      let nothing = SnapshotOrder(pictures: [], codec: .mjpeg, takenAt: wall)
      guard let ring = shared.ring, var turn = ring.number(at: instant) ?? ring.firstKeyframe else { return nothing }
      // A picture's time is that of a turn; where they come out of order, the one that is seen in it may come later.
      if ring.number(inTurn: turn) == nil {
        if mayWait { return nil }
        while turn > ring.first, ring.number(inTurn: turn) == nil { turn -= 1 }
      }
      guard let number = ring.number(inTurn: turn), let entry = ring[number],
        let codec = shared.formats[entry.epoch]?.codec
      else { return nothing }
      guard codec != .mjpeg else {
        return SnapshotOrder(pictures: ring.picture(number).map { [Array($0)] } ?? [], codec: codec, takenAt: wall)
      }
      guard let start = ring.start(of: turn) else { return mayWait && shared.isRunning ? nil : nothing }
      let pictures = start...max(start, number)
      var order = SnapshotOrder(
        pictures: pictures.compactMap { ring.picture($0).map { Array($0) } }, codec: codec, takenAt: wall)
      order.later = pictures.count { ring.turn(of: $0).map { $0 > turn } ?? true }
      order.depth = pictures.compactMap { ring[$0].map { Int($0.depth) } }.max() ?? 0
      return order
    }
  }
}
