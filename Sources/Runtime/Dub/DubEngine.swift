internal import Appliance
internal import Dubbing
internal import Hardware

/// What the glue needs of the dub player: orders in, news and a status out. Dubbing lane only.
protocol DubEngine: AnyObject {
  func perform(_ order: DubPlayerOrder, now: Instant)
  /// Does what is due; bounded work.
  ///
  /// - Returns: when to be called again at the latest.
  func step(now: Instant) -> Instant?
  var status: DubStatus { get }
}

/// What the dubbing lane is told.
enum DubTask: Sendable {
  /// Plays a file or a stream as the machine's run of this number.
  case start(run: Int, source: String, language: String, isOn: Bool)
  case order(DubPlayerOrder)
  /// −1 and +1 step back and forth until 0.
  case scrub(Int)
  /// Power is to be saved, or need not be.
  case lowPower
  case shutDown
}

/// What the dubbing lane tells the control loop.
enum DubPlayerEvent: Sendable {
  case report(Appliance.DubReport, run: Int)
  /// Some time has passed: the figures are worth telling.
  case figures(run: Int)
  /// What can be played.
  case sources([DubSource])
  /// The screen cannot be had, or it can (`nil`).
  case screen(DeviceError?)
  /// For the log.
  case remark(String)
  /// What was to be played is not there.
  case missing(run: Int, text: String)
}
