import Appliance
import Hardware
import Testing

@testable import Runtime

struct AttentionTests {
  @Test func `meters are lively for five seconds after a press, and calm until the next one`() {
    var (attention, state, start) = (Attention(), State(), Instant.zero)
    state.mode = .dictaphone
    #expect(attention.pace(state, at: start).next == start + Attention.span)
    #expect(attention.pace(state, at: start + .seconds(4)).pace == .lively)
    #expect(attention.pace(state, at: start + .seconds(5)).pace == .calm)
    start = start + .seconds(60)
    attention.touch(at: start)
    #expect(attention.pace(state, at: start + .seconds(4)).pace == .lively)
    let later = attention.pace(state, at: start + .seconds(5))
    #expect(later.pace == .calm && later.next == nil)
  }

  @Test func `calm is 20 readings a second, a dub that waits needs none`() {
    #expect(MeterPace.calm.interval <= .milliseconds(50) && MeterPace.lively.interval == .zero)
    var (attention, state) = (Attention(), State())
    state.mode = .dub
    #expect(attention.pace(state, at: .zero).pace == .resting)
  }
}
