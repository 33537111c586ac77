/// What a board file may say about a camera's picture; `nil` leaves it to the camera.
public struct CameraTuning: Hashable, Sendable {
  /// Length of an exposure.
  public var exposureMicroseconds: Int?
  /// Where it focuses, in the device's own units.
  public var focus: Int?
  /// Frequency against which lamps flicker: 50 or 60; 0 switches the filter off.
  public var powerLineHertz: Int?

  public init(exposureMicroseconds: Int? = nil, focus: Int? = nil, powerLineHertz: Int? = nil) {
    self.exposureMicroseconds = exposureMicroseconds
    self.focus = focus
    self.powerLineHertz = powerLineHertz
  }
}
