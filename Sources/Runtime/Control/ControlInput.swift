internal import Appliance
internal import Clips
internal import Dictaphone
internal import Hardware
internal import Library
internal import Recording

/// Everything that reaches the control loop from outside it, in order of arrival.
enum ControlInput: Sendable {
  case edge(ButtonEdge)
  case media(MediaEvent)
  case takeFiles(FileWriter.Event)
  case camera(CameraInput.Event)
  case clipFiles(FileWriter.Event)
  case dub(DubPlayerEvent)
  case feed(FeedTelling)
  /// The board's trigger input, at the kernel's time of the edge.
  case trigger(Instant)
  case library(LibraryReport)
  /// What the wall clock answers to the panel.
  case clock(ClockReport)
  case update(UpdateNews)
  /// Where the device was before the start, and the take that the power has cut off.
  case restored(LastState, cutOff: String?)
  case storageLevel(StorageLevel)
  case storageRefuses(StorageRefusal)
  case display(DeviceError?)
  /// A device failed, or (`nil`) works again.
  case device(Device, DeviceError?)
  /// A mark was put on a take in the player.
  case marked(id: String, frame: Int)
  /// A sentence for the log.
  case say(String)
  /// Work that another lane hands back: the rest of a command.
  case run(@Sendable () -> Void)
  /// Power is about to go, or the process is to end: complete what is open, then stop.
  case shutDown
}
