internal import Appliance
internal import Console
internal import Hardware
internal import JSON
internal import Panel

/// Lets a script act on the running device. Control lane only.
final class DeviceStage: ScriptStage {
  private let device: CommandContext
  private let dispatcher: CommandDispatcher
  private let writeFile: (String, [UInt8]) -> String?
  private let pictureOfScreen: () -> [UInt8]?

  /// - Parameters:
  ///   - writeFile: writes a file anywhere; returns a complaint, or `nil`.
  ///   - pictureOfScreen: what is on the screen for pictures, as a PNG.
  init(
    device: CommandContext, writeFile: @escaping (String, [UInt8]) -> String?,
    pictureOfScreen: @escaping () -> [UInt8]?
  ) {
    self.pictureOfScreen = pictureOfScreen
    self.device = device
    self.writeFile = writeFile
    dispatcher = CommandDispatcher(DeviceTable.table, context: device)
  }

  func perform(_ action: ScriptAction, now: Instant, done: @escaping (String?) -> Void) {
    switch action {
    // A press that does nothing is no failure: `expect` says what has to be.
    case .press(let button):
      device.press(button, for: .milliseconds(100)) { _ in }
      done(nil)
    case .hold(let button, let length):
      device.press(button, for: length) { _ in }
      done(nil)
    case .mark(let title): done(device.handle(.command(.mark(title: title))).map { device.state.explain($0) })
    case .fault(let fault):
      do throws(CommandFailure) {
        try device.inject(fault)
        done(nil)
      } catch {
        done("\(error)")
      }
    case .expect(let expectation): done(expectation.mismatch(in: device.snapshot))
    case .screen(let path): done(writeFile(path, PNG.encode(device.picture.frame, scale: 8)))
    case .picture(let path):
      done(pictureOfScreen().map { writeFile(path, $0) } ?? "nothing is on the screen for pictures")
    case .call(let request): call(request, done)
    case .quit: done(nil)
    }
  }

  /// Makes a call; its result goes to the events, whatever it is.
  private func call(_ request: CommandRequest, _ done: @escaping (String?) -> Void) {
    dispatcher.dispatch(request) { [device] result in
      let outcome: JSONValue =
        switch result {
        case .success(let value): ["method": .string(request.method), "result": value]
        case .failure(let failure):
          [
            "method": .string(request.method),
            "error": ["code": .string(failure.code.rawValue), "message": .string(failure.message)],
          ]
        }
      device.events.publish(.result, outcome, at: device.clock.now)
      done(nil)
    }
  }
}
