import Hardware
import Recording
import TestSupport
import Testing

@testable import Clips

@Suite struct FrameRingTests {
  private func push(_ ring: FrameRing, _ bytes: [UInt8], at time: Double, key: Bool) -> Bool {
    bytes.withUnsafeBytes { ring.push($0, FrameRing.Entry(time: .at(time), isKeyframe: key)) }
  }

  /// What the ring must be like: pictures in an array.
  private struct Model {
    struct Held { var number: Int, bytes: [UInt8], time: Double, key: Bool }
    var held: [Held] = []
    var next = 0
  }

  @Test(arguments: 0..<6) func heldPicturesAreThoseOfANaiveModel(seed: Int) {
    var dice = SeededGenerator(seed: UInt64(seed))
    var ring = FrameRing(bytes: Int.random(in: 20_000...200_000, using: &dice))
    var model = Model()
    var time = 0.0
    var hadKeyframe = false
    for _ in 0..<2000 {
      time += Double.random(in: 0.001...0.05, using: &dice)
      let key = Int.random(in: 0..<15, using: &dice) == 0
      let size = Int.random(in: 1...(key ? 20_000 : 4000), using: &dice)
      let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ model.next) }
      let pushed = push(ring, bytes, at: time, key: key)
      #expect(pushed == ((key || hadKeyframe) && size <= ring.capacity))
      guard pushed else { continue }
      hadKeyframe = hadKeyframe || key
      model.held.append(Model.Held(number: model.next, bytes: bytes, time: time, key: key))
      model.next += 1
      // The ring decides how many it holds; which ones they are and what is in them, the model says.
      #expect(ring.end == model.next)
      #expect(ring.bytes <= ring.capacity)
      model.held.removeAll { $0.number < ring.first }
      #expect(model.held.count == ring.end - ring.first)
      #expect(model.held.reduce(0) { $0 + $1.bytes.count } == ring.bytes)
      switch Int.random(in: 0..<60, using: &dice) {
      case 0:
        let start = time - Double.random(in: 0...3, using: &dice)
        let pinned = Bool.random(using: &dice) ? Int.random(in: ring.first...ring.end, using: &dice) : nil
        ring.evict(before: .at(start), pinned: pinned)
        // Whatever is to be seen from `start` on can still be decoded.
        if let shown = model.held.last(where: { $0.time <= start }),
          let keyframe = model.held.last(where: { $0.key && $0.number <= shown.number })
        {
          #expect(ring.first <= keyframe.number)
        }
        if let pinned { #expect(ring.first <= max(pinned, model.held.first?.number ?? 0)) }
      case 1:
        ring = ring.resized(to: Int.random(in: 20_000...200_000, using: &dice))
        #expect(ring.end == model.next)
        hadKeyframe = ring.first < ring.end || hadKeyframe && ring.isEmpty == false
        if ring.isEmpty { hadKeyframe = false }
      case 2:
        ring.interrupt()
        hadKeyframe = false
      default: break
      }
      model.held.removeAll { $0.number < ring.first }
      if let any = model.held.randomElement(using: &dice) {
        #expect(ring.picture(any.number).map { Array($0) } == any.bytes)
        #expect(ring[any.number]?.isKeyframe == any.key)
        #expect(ring.number(at: .at(any.time)) == any.number)
        #expect(ring.number(at: .at(any.time + 0.0005)) == any.number)
      }
      #expect(ring.firstKeyframe == model.held.first { $0.key }?.number)
      #expect(ring.keyframes == model.held.count { $0.key })
    }
  }

  @Test func aWindowOfAMinuteCostsLittleBesideItsPictures() {
    let ring = FrameRing(bytes: 4 << 20)
    for index in 0..<400 {
      _ = push(
        ring, [UInt8](repeating: 1, count: index % 15 == 0 ? 40_000 : 14_000), at: Double(index) / 30,
        key: index % 15 == 0)
    }
    let status = ring.status(window: .seconds(5))
    // Never more than a twentieth beside what is held; what the arena's end leaves unused is less than a picture.
    #expect(status.overheadBytes * 20 <= status.bytes)
    #expect(status.bytes + 40_000 + 14_000 > status.capacity)
    #expect(status.seconds > 5)
    #expect(status.isFull)
  }

  @Test func aSmallerRingKeepsTheNewestWholeGroups() {
    let ring = FrameRing(bytes: 1 << 20)
    for index in 0..<150 {
      _ = push(ring, [UInt8](repeating: UInt8(index), count: 5000), at: Double(index) / 30, key: index % 15 == 0)
    }
    let small = ring.resized(to: 200_000)
    #expect(small.end == 150)
    #expect(small[small.first]?.isKeyframe == true)
    #expect(small.end - small.first >= 25)
    #expect(small.picture(149).map { Array($0) } == [UInt8](repeating: 149, count: 5000))
    let large = small.resized(to: 1 << 20)
    #expect(large.first == small.first)
  }

  /// The clip has sent the keyframe already.
  @Test func aLargerRingKeepsTheRestOfAGroupThatAnOpenClipHasBegunToSend() {
    let ring = FrameRing(bytes: 1 << 20)
    for index in 0..<90 {
      _ = push(ring, [UInt8](repeating: UInt8(index), count: 5000), at: Double(index) / 30, key: index % 30 == 0)
    }
    ring.evict(before: .at(2), pinned: 40)
    #expect(ring.first == 40)
    let large = ring.resized(to: 2 << 20)
    #expect(large.first == 40 && large.end == 90 && large.bytes == ring.bytes)
    #expect(large.picture(40).map { Array($0) } == [UInt8](repeating: 40, count: 5000))
    for number in [40, 60] {
      #expect(large[number]?.time == ring[number]?.time && large[number]?.keyframe == ring[number]?.keyframe)
    }
    #expect(large.start(of: 50) == nil && large.start(of: 70) == 60)
    #expect(push(large, [1], at: 3, key: false) && large[90]?.keyframe == 60)
  }

  @Test func whatCannotBeDecodedIsNotTaken() {
    let ring = FrameRing(bytes: 10_000)
    #expect(!push(ring, [1], at: 0, key: false))
    #expect(push(ring, [1], at: 1, key: true))
    #expect(push(ring, [1], at: 2, key: false))
    ring.interrupt()
    #expect(!push(ring, [1], at: 3, key: false))
    #expect(push(ring, [1], at: 4, key: true))
    #expect(!push(ring, [UInt8](repeating: 0, count: 10_001), at: 5, key: true))
    #expect(ring.start(of: 1) == 0)
    #expect(ring.start(of: 2) == 2)
  }
}
