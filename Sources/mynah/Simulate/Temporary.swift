import Hardware
final class DirectoryLock {}
final class TerminalFrontPanel {
  enum Action { case press(Button, Duration); case quit }
  init(lamps: any Lamps, display: any Display) {}
  func log(_ s: String) {}
  func start(_ a: (Action) -> Void) {}
  func stop() {}
}
extension Host {
  static func lock(_ p: String) throws -> DirectoryLock { DirectoryLock() }
}
