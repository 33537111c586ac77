import Hardware
import Testing

struct ClaimedNumberTests {
  @Test func `what does not fit stays out of reach`() {
    #expect(ClaimedNumber(UInt64.max).within(Int.min...Int.max) == nil)
    #expect((ClaimedNumber(Int.max) + 1 - 1).within(Int.min...Int.max) == nil)
    #expect((ClaimedNumber(1 << 40) * ClaimedNumber(1 << 40)).clamped(to: 0...7) == 7)
    #expect((ClaimedNumber(Int.min) - 1).within(Int.min...Int.max) == nil)
    #expect(ClaimedNumber(UInt8?.none).within(0...1) == nil)
  }

  @Test func `what fits is counted with`() {
    #expect((ClaimedNumber(UInt32(7)) * 6 + 1 - 3).within(0...40) == 40)
    #expect((ClaimedNumber(7) - 9).within(0...9) == nil)
    #expect((ClaimedNumber(7) - 9).clamped(to: 0...9) == 0)
    #expect(ClaimedNumber(12).clamped(to: 0...9) == 9)
  }
}
