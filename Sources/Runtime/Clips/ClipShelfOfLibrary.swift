internal import Appliance
internal import Clips
internal import Console
internal import Hardware
internal import JSON
internal import Library

// The files of clips.
extension ClipParts {
  func makeStorer(on library: TakeLibrary, _ hardware: HardwareSet) -> ClipStorer? { nil }
}
extension EffectRunner {
  func performOnClips(_ order: LibraryOrder) {}
}
extension Commands {
  func clipFiles(_ call: CommandCall, _ reply: @escaping Reply) { refuse(call, reply) }
}
extension ClipReceipt {
  var json: JSONValue { [:] }
}
