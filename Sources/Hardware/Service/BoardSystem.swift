/// What only the board's system may do: set the clock that annotates takes, start the board anew, switch it off, write
/// another version of itself.
///
/// Control thread only; no call blocks for long. A call that returns has handed its wish on; what came of it is seen a
/// moment later: on the clock, or by the end of this program.
public protocol BoardSystem: AnyObject {
  /// Whether something keeps the wall clock right (NTP, a receiver of time signals). `nil`: the system does not tell.
  var isClockKept: Bool? { get }
  /// Has the wall clock set, and the battery-backed clock of the board, where it has one.
  func setClock(_ time: WallTime) throws(DeviceError)
  /// Whether the board's power can be changed: before anything is closed for it.
  func check(_ change: PowerChange) throws(DeviceError)
  /// Has the board started anew or switched off. Whoever asks has closed and synced everything before.
  func power(_ change: PowerChange) throws(DeviceError)
  /// What the system has told of updates last; `nil`: it takes none.
  var update: UpdateReport? { get }
  /// Has an update checked, and written to the root that does not run.
  func install(_ source: UpdateSource) throws(DeviceError)
  /// Has a version on trial judged now, by its self-test alone.
  func confirmUpdate() throws(DeviceError)
}

/// What can be done with a board's power.
public enum PowerChange: String, Hashable, Sendable, CaseIterable {
  case reboot
  case powerOff = "power-off"
}
