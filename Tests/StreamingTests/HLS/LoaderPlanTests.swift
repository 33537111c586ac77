import Hardware
import TestSupport
import Testing

@testable import Streaming

/// The plan against servers and ways that behave in every manner.
@Suite struct LoaderPlanTests {
  private func playlist(_ first: Int, _ count: Int, ended: Bool = false) throws -> MediaPlaylist {
    var text = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-MEDIA-SEQUENCE:\(first)\n"
    for index in 0..<count { text += "#EXTINF:4,\ns\(first + index).ts\n" }
    return try MediaPlaylist(Array((text + (ended ? "#EXT-X-ENDLIST\n" : "")).utf8), url: "http://h/l.m3u8")
  }

  /// Encoders that call their longest segment 10 s, and keep 6 s of 2: ten seconds later all of it has gone by.
  @Test func aWindowShorterThanItsTargetDurationIsAskedForBeforeItHasGone() throws {
    let text =
      "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXT-X-MEDIA-SEQUENCE:7\n#EXTINF:2,\na\n#EXTINF:2,\nb\n#EXTINF:2,\nc\n"
    for isOther in [false, true] {
      var plan = LoaderPlan(seed: 1)
      let list = try MediaPlaylist(Array(text.utf8), url: "http://h/l.m3u8")
      plan.playlistRequested(now: .zero)
      plan.playlistCame(list, now: .zero)
      if isOther { plan.adopt(list, now: .zero) }
      #expect(!plan.needsPlaylist(now: .zero + .milliseconds(2900)))
      #expect(plan.needsPlaylist(now: .zero + .seconds(3)))
    }
    // One segment that is as long as is said: as any other list.
    var plan = LoaderPlan(seed: 1)
    plan.playlistRequested(now: .zero)
    plan.playlistCame(try playlist(0, 1), now: .zero)
    #expect(!plan.needsPlaylist(now: .zero + .milliseconds(3900)))
  }

  @Test func whateverHappensSegmentsComeInOrderAndReloadsKeepTheirDistance() throws {
    for seed in 0..<400 as Range<UInt64> {
      var dice = SeededGenerator(seed: seed)
      var plan = LoaderPlan(seed: seed)
      var now = Instant.zero
      var edge = Int.random(in: 1..<20, using: &dice)
      let length = Int.random(in: 1..<8, using: &dice)
      var delivered: [Int] = []
      var fetching: MediaSegment?
      var lastLoad: Instant?
      var lastFailed = true
      for _ in 0..<200 {
        now = now + .milliseconds(Int.random(in: 1...1500, using: &dice))
        if Int.random(in: 0..<3, using: &dice) == 0 { edge += Int.random(in: 0..<3, using: &dice) }
        if plan.needsPlaylist(now: now) {
          if let lastLoad, !lastFailed { #expect(now - lastLoad >= .seconds(2)) }
          lastLoad = now
          plan.playlistRequested(now: now)
          lastFailed = Int.random(in: 0..<5, using: &dice) == 0
          if lastFailed {
            let error = NetworkError(.status([404, 503].randomElement(using: &dice) ?? 404), subject: "l", reason: "r")
            guard plan.playlistFailed(error, now: now) else {
              #expect(plan.playlist == nil && error.kind == .status(404))
              break
            }
          } else {
            plan.playlistCame(try playlist(max(0, edge - length), min(edge, length)), now: now)
          }
        }
        if let segment = fetching, Bool.random(using: &dice) {
          fetching = nil
          if Int.random(in: 0..<4, using: &dice) == 0 {
            let code = [404, 500].randomElement(using: &dice) ?? 404
            let error = NetworkError(.status(code), subject: "s", reason: "r")
            if plan.next == segment.sequence, plan.segmentFailed(segment, error, now: now) == .skip {
              plan.segmentDone(segment, now: now, wasSkipped: true)
              delivered.append(segment.sequence)
            }
          } else {
            plan.segmentDone(segment, now: now)
            delivered.append(segment.sequence)
          }
        }
        if fetching == nil, case .fetch(let segment) = plan.segment(now: now, room: 1) {
          let list = try #require(plan.playlist)
          #expect(segment.sequence >= list.mediaSequence && segment.sequence < list.endSequence)
          plan.segmentRequested()
          fetching = segment
        }
      }
      #expect(zip(delivered, delivered.dropFirst()).allSatisfy { $0 < $1 })
      #expect(plan.wake != nil || fetching != nil || plan.playlist == nil)
    }
  }

  /// Another variant's list, whose numbers may be others, goes on with the same: by the wall clock, or by the edges.
  @Test(arguments: [(false, 0), (true, 0), (false, 5000), (true, 5000), (true, -2), (false, -90)])
  func anotherVariantGoesOnWhereThisOneIs(_ hasDates: Bool, _ shift: Int) throws {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    func list(_ shift: Int) throws -> MediaPlaylist {
      var text = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-MEDIA-SEQUENCE:\(100 + shift)\n"
      for index in 100..<106 {
        // The clock was set meanwhile.
        let second = 4 * index + (index >= 104 ? 7 : 0)
        let date = "2026-11-21T12:\(two(second / 60)):\(two(second % 60)).000Z"
        text += (hasDates ? "#EXT-X-PROGRAM-DATE-TIME:\(date)\n" : "") + "#EXTINF:4,\ns\(index).ts\n"
      }
      return try MediaPlaylist(Array(text.utf8), url: "http://h/l.m3u8")
    }
    var plan = LoaderPlan(seed: 1)
    let now = Instant.zero
    plan.playlistRequested(now: now)
    plan.playlistCame(try list(0), now: now)
    for index in 103..<106 {
      // Two segments of this one, the last of the other.
      if index == 105 { plan.adopt(try list(shift), now: now + .seconds(1)) }
      guard case .fetch(let segment) = plan.segment(now: now + .seconds(1), room: 1) else {
        return #expect(Bool(false), "nothing comes at \(index)")
      }
      #expect(segment.url == "http://h/s\(index).ts")
      plan.segmentDone(segment, now: now + .seconds(1))
    }
    #expect(plan.origin == .zero && plan.next == 106 + shift)
    // And back, where all has been fetched.
    plan.adopt(try list(0), now: now + .seconds(2))
    #expect(plan.origin == .zero && plan.next == 106)
  }

  /// Lists of an EVENT that did not begin at the same time go on at their edge; what one has had added meanwhile is had.
  @Test(arguments: [(0, 10), (1, 10), (2, 10), (9, 19), (-5, 5)])
  func anotherEventGoesOnAtItsEdge(_ more: Int, _ expected: Int) throws {
    func event(_ count: Int) throws -> MediaPlaylist {
      var text = "#EXTM3U\n#EXT-X-PLAYLIST-TYPE:EVENT\n#EXT-X-TARGETDURATION:4\n"
      for index in 0..<count { text += "#EXTINF:4,\ns\(index).ts\n" }
      return try MediaPlaylist(Array(text.utf8), url: "http://h/l.m3u8")
    }
    var plan = LoaderPlan(seed: 1)
    let now = Instant.zero
    plan.playlistRequested(now: now)
    plan.playlistCame(try event(10), now: now)
    while case .fetch(let segment) = plan.segment(now: now, room: 1) { plan.segmentDone(segment, now: now) }
    #expect(plan.next == 10)
    plan.adopt(try event(10 + more), now: now + .seconds(3))
    #expect(plan.next == expected)
  }

  /// A show that has ended is whole in the other list: it is not gone back in.
  @Test(arguments: [3, 5]) func aLiveListIsNotGoneBackInWhereTheOtherIsWhole(_ had: Int) throws {
    var plan = LoaderPlan(seed: 1)
    let now = Instant.zero
    plan.playlistRequested(now: now)
    plan.playlistCame(try playlist(90, 5), now: now)
    while let next = plan.next, next < 90 + had, case .fetch(let segment) = plan.segment(now: now, room: 1) {
      plan.segmentDone(segment, now: now)
    }
    plan.adopt(try playlist(0, 96, ended: true), now: now + .seconds(3))
    #expect(plan.next == 90 + had)
  }

  /// Time that goes back behind a change has been heard where nothing was added for long; else it is another clock's.
  @Test(arguments: [(3, false), (30, true)]) func whatStoodStillMayBeHadAgain(_ seconds: Int, _ repeats: Bool) throws {
    var plan = LoaderPlan(seed: 1)
    let now = Instant.zero
    plan.playlistRequested(now: now)
    plan.playlistCame(try playlist(100, 6), now: now)
    while case .fetch(let segment) = plan.segment(now: now, room: 1) { plan.segmentDone(segment, now: now) }
    plan.adopt(try playlist(5000, 6), now: now + .seconds(seconds))
    #expect((plan.repeats > 0) == repeats)
  }

  /// The other one was being fetched again when it came.
  @Test func anotherVariantsListIsFetchedAgain() throws {
    var plan = LoaderPlan(seed: 1)
    let now = Instant.zero
    plan.playlistRequested(now: now)
    plan.playlistCame(try playlist(0, 5), now: now)
    plan.playlistRequested(now: now + .seconds(4))
    plan.adopt(try playlist(0, 5), now: now + .seconds(5))
    #expect(!plan.needsPlaylist(now: now + .seconds(8)))
    #expect(plan.needsPlaylist(now: now + .seconds(9)) && plan.wake == now + .seconds(9))
  }

  @Test func reloadsFollowTheRFC() throws {
    var plan = LoaderPlan(seed: 1)
    let start = Instant.zero
    plan.playlistRequested(now: start)
    plan.playlistCame(try playlist(0, 5), now: start + .seconds(1))
    // Changed: a target duration after the load began. Unchanged: half of it.
    #expect(plan.wake == start + .seconds(4))
    plan.playlistRequested(now: start + .seconds(4))
    plan.playlistCame(try playlist(0, 5), now: start + .seconds(5))
    #expect(plan.wake == start + .seconds(6))
    #expect(plan.next == 2)
    plan.playlistRequested(now: start + .seconds(6))
    plan.playlistCame(try playlist(0, 6, ended: true), now: start + .seconds(6))
    #expect(plan.wake == nil && !plan.needsPlaylist(now: start + .seconds(100)))
  }

  @Test func anOlderCopyDoesNotLeadBackButARestartedServerDoes() throws {
    var plan = LoaderPlan(seed: 1)
    var now = Instant.zero
    func load(_ playlist: MediaPlaylist) {
      plan.playlistRequested(now: now)
      plan.playlistCame(playlist, now: now)
      now = now + .seconds(4)
    }
    load(try playlist(100, 5))
    #expect(plan.next == 102)
    load(try playlist(90, 5))
    #expect(plan.next == 102)
    load(try playlist(101, 5))
    #expect(plan.next == 102 && plan.breakAt == nil)
    for _ in 0..<3 { load(try playlist(0, 5)) }
    #expect(plan.next == 2 && plan.breakAt == 2)
  }

  /// A list that was there and is gone is asked for again soon, and then less and less often.
  @Test func aListThatIsGoneForAMomentCostsAMoment() throws {
    var plan = LoaderPlan(seed: 1)
    plan.playlistRequested(now: .zero)
    plan.playlistCame(try playlist(0, 5), now: .zero)
    var now = Instant.zero
    for code in [404, 403, 304, 410, 404, 404] {
      plan.playlistRequested(now: now)
      let isTold = plan.playlistFailed(NetworkError(.status(code), subject: "l", reason: "r"), now: now)
      #expect(isTold)
      let wait = (1...60).first { plan.needsPlaylist(now: now + .seconds($0)) }
      #expect(wait.map { $0 <= (now == .zero ? 1 : 10) } == true)
      now = now + .seconds(wait ?? 60)
    }
    #expect(now >= .zero + .seconds(30))
  }

  /// However many are gone of a list that is at its end, what lies behind them is there.
  @Test func aHoleInAFinishedListIsPassedOver() throws {
    var plan = LoaderPlan(seed: 1)
    plan.playlistRequested(now: .zero)
    plan.playlistCame(try playlist(0, 20, ended: true), now: .zero)
    let gone = NetworkError(.status(404), subject: "s", reason: "gone")
    for number in 0..<12 {
      guard case .fetch(let segment) = plan.segment(now: .zero, room: 1) else {
        return #expect(Bool(false), "\(number) is waited for")
      }
      plan.segmentRequested()
      #expect(plan.segmentFailed(segment, gone, now: .zero) == .skip)
      plan.segmentDone(segment, now: .zero, wasSkipped: true)
    }
    #expect(plan.next == 12)
  }

  /// One that breaks off whenever it is asked for does not hold up what lies behind it; where all break it is the way, which
  /// may come again, and of what is live the window goes on.
  @Test(arguments: [false, true]) func whatBreaksAgainAndAgainIsLeftOutOfAFinishedList(_ isEnded: Bool) throws {
    var plan = LoaderPlan(start: .time(.zero), seed: 1)
    plan.playlistRequested(now: .zero)
    plan.playlistCame(try playlist(0, 20, ended: isEnded), now: .zero)
    let broken = NetworkError(.interrupted, subject: "s", reason: "broken")
    var (now, tries) = (Instant.zero, 0)
    for _ in 0..<200 {
      now = now + .seconds(40)
      guard case .fetch(let segment) = plan.segment(now: now, room: 1) else {
        return #expect(Bool(false), "none is due")
      }
      plan.segmentRequested()
      tries += 1
      if plan.segmentFailed(segment, broken, now: now) == .skip {
        #expect((4...10).contains(tries))
        tries = 0
        plan.segmentDone(segment, now: now, wasSkipped: true)
      }
    }
    #expect(plan.next == (isEnded ? 5 : 0))
  }

  @Test func theMeterFallsFastAndRisesSlowly() {
    var meter = BandwidthMeter()
    #expect(meter.estimate == nil)
    meter.add(bytes: 1000, over: .seconds(1))
    #expect(meter.estimate == nil)
    for _ in 0..<20 { meter.add(bytes: 1_000_000, over: .seconds(1)) }
    #expect(abs((meter.estimate ?? 0) - 8_000_000) < 10_000)
    meter.add(bytes: 250_000, over: .seconds(2))
    let fallen = meter.estimate ?? 0
    #expect(fallen < 6_000_000 && fallen > 1_000_000)
    meter.add(bytes: 1_000_000, over: .seconds(1))
    #expect((meter.estimate ?? 0) < 6_800_000)
  }

  /// From a wide way to one that takes longer for a segment than that lasts: one of them shows it.
  @Test func theMeterBelievesASlowSegmentAfterAWideWay() {
    var meter = BandwidthMeter()
    for _ in 0..<20 { meter.add(bytes: 86_000, over: .milliseconds(2)) }
    #expect(meter.estimate ?? 0 > 300_000_000)
    meter.add(bytes: 86_000, over: .milliseconds(3500))
    #expect((meter.estimate ?? 0) < 1_200_000)
  }
}
