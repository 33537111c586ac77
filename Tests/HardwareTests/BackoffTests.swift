import Testing

@testable import Hardware

struct BackoffTests {
  let refused = Backoff.Ending.failed(NetworkError(.unreachable, subject: "x", reason: "y"))

  @Test func theFirstRetryIsAtOnce() {
    for seed in 0..<100 {
      var backoff = Backoff(seed: UInt64(seed))
      #expect(backoff.ended(refused, at: .zero) == .zero)
    }
  }

  @Test func delaysAreUniformBelowABoundThatDoublesUpToTheCap() {
    var sums = [Double](repeating: 0, count: 12)
    for seed in 0..<2000 {
      var backoff = Backoff(seed: UInt64(seed))
      _ = backoff.ended(refused, at: .zero)
      for step in 0..<12 {
        let bound = min(0.5 * Double(1 << step), 30)
        let delay = ((backoff.ended(refused, at: .zero) ?? .distantFuture) - .zero).inSeconds
        #expect(delay >= 0 && delay <= bound)
        sums[step] += delay / bound
      }
    }
    // Full jitter: half of the bound on average; 2000 draws are within 5 deviations of it.
    for sum in sums { #expect(abs(sum / 2000 - 0.5) < 0.033) }
  }

  @Test func neverLaterThanTheCapHoweverOftenItFails() {
    var backoff = Backoff(seed: 3)
    for _ in 0..<10_000 {
      let retry = backoff.ended(refused, at: .zero)
      #expect(retry.map { $0 - .zero <= .seconds(30) } == true)
    }
  }

  @Test func onlyAHealthyConnectionBeginsAnew() {
    var backoff = Backoff(seed: 4)
    var now = Instant.zero
    for _ in 0..<20 {
      now = backoff.ended(refused, at: now) ?? now
      backoff.opened(at: now)
      now = now + .seconds(4)
    }
    #expect(backoff.failures == 20)
    backoff.opened(at: now)
    now = now + .seconds(5)
    #expect(backoff.ended(refused, at: now) == now)
    #expect(backoff.failures == 1)
  }

  @Test func anHourWithAServerThatHangsUpAtOnceIsNoStorm() {
    var backoff = Backoff(seed: 5)
    var now = Instant.zero
    var attempts = 0
    while now < .zero + .seconds(3600) {
      attempts += 1
      backoff.opened(at: now)
      now = backoff.ended(.closed(code: 1006), at: now + .milliseconds(10)) ?? .distantFuture
    }
    // An average of 15 s, once the bound is at the cap.
    #expect((180...330).contains(attempts))
  }

  @Test func codesThatAskForPatienceGetIt() {
    for seed in 0..<500 {
      var backoff = Backoff(seed: UInt64(seed))
      let restart = backoff.ended(.closed(code: 1012), at: .zero) ?? .zero
      #expect(restart >= .zero + .seconds(5) && restart <= .zero + .seconds(30))
      #expect(backoff.linkCameUp(at: .zero) == restart)
      let later = backoff.ended(.closed(code: 1013), at: .zero) ?? .zero
      #expect(later >= .zero + .seconds(15) && later <= .zero + .seconds(30))
    }
  }

  @Test func aLinkThatComesUpIsTriedAtOnce() {
    var backoff = Backoff(seed: 6)
    for _ in 0..<8 { _ = backoff.ended(refused, at: .zero) }
    #expect(backoff.linkCameUp(at: .zero + .milliseconds(1)) == .zero + .milliseconds(1))
    backoff.opened(at: .zero + .seconds(1))
    #expect(backoff.linkCameUp(at: .zero + .seconds(2)) == nil)
  }

  @Test func errorsThatNeedAPersonAreNotRetried() {
    var backoff = Backoff(seed: 7)
    for kind in [NetworkError.Kind.certificate, .redirects, .address, .tooLarge, .status(404)] {
      #expect(backoff.ended(.failed(NetworkError(kind, subject: "", reason: "")), at: .zero) == nil)
      #expect(backoff.linkCameUp(at: .zero + .seconds(1)) == nil)
    }
  }

  @Test func theSameSeedGivesTheSameTimes() {
    var one = Backoff(seed: 8), other = Backoff(seed: 8), third = Backoff(seed: 9)
    let times = (0..<20).map { _ in one.ended(refused, at: .zero) }
    #expect(times == (0..<20).map { _ in other.ended(refused, at: .zero) })
    #expect(times != (0..<20).map { _ in third.ended(refused, at: .zero) })
  }
}
