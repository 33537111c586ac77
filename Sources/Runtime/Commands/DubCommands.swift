internal import Appliance
internal import Console
internal import Hardware
internal import JSON

/// `dub.*`: what is wanted is the machine's to decide; what is heard, the dubbing lane's to tell.
extension Commands {
  func dub(_ call: CommandCall, _ reply: @escaping Reply) {
    guard let context = device.dub else { return reply(.failure(failure(.notOnBoard(.network)))) }
    switch call.method {
    case "dub.start":
      if let reason = device.handle(
        .command(.startDub(source: call.text("source"), language: call.text("language"))))
      {
        return reply(.failure(failure(reason)))
      }
      let state = device.state
      reply(
        .success([
          "source": .string(state.dub.current?.publicID ?? ""), "language": .string(state.settings.dubLanguage),
        ]))
    case "dub.stop": order(.stopDub, reply)
    case "dub.pause": whileDubbing(.pause, reply)
    case "dub.resume": whileDubbing(.resume, reply)
    case "dub.seek":
      let seconds = call.number("seconds") ?? 0
      whileDubbing(.seek(seconds: seconds)) { reply($0.map { _ in ["seconds": .number(seconds)] }) }
    case "dub.language": language(call, reply)
    case "dub.volume": volume(call, reply)
    case "dub.enable":
      let isOn = call.parameters["on"]?.boolValue ?? true
      order(.enableDub(isOn)) { reply($0.map { _ in ["on": .bool(isOn)] }) }
    case "dub.sources":
      let sources = device.state.dub.sources
      let rows = sources.all.map { source -> JSONValue in
        ["id": .string(source.publicID), "name": .string(source.name), "kind": .string(source.kind.rawValue)]
      }
      reply(.success(["sources": .array(rows), "selected": .integer(sources.selected)]))
    case "dub.status":
      let state = device.state
      reply(.success(.object(state.dubbingStatus.fields.merging(context.figures(run: state.dub.run)) { $1 })))
    default: refuse(call, reply)
    }
  }

  /// Orders that mean something else in the other modes.
  private func whileDubbing(_ command: Command, _ reply: Reply) {
    guard device.state.mode == .dub else {
      return reply(.failure(failure(.noMeaning(mode: device.state.modeName))))
    }
    order(command, reply)
  }

  private func language(_ call: CommandCall, _ reply: Reply) {
    if let language = call.text("language") {
      let command = Command.set(["dub.language": .text(language)])
      if let reason = device.handle(.command(command)) { return reply(.failure(failure(reason))) }
    }
    let state = device.state
    reply(
      .success([
        "language": .string(state.settings.dubLanguage),
        "languages": .array(state.dub.offeredLanguages.map { .string($0) }),
      ]))
  }

  private func volume(_ call: CommandCall, _ reply: Reply) {
    for (name, key) in [("original", "dub.originalVolumeDb"), ("dub", "dub.dubVolumeDb")] {
      guard let decibels = call.integer(name) else { continue }
      let command = Command.set([key: .integer(decibels)])
      if let reason = device.handle(.command(command)) { return reply(.failure(failure(reason))) }
    }
    let settings = device.state.settings
    reply(
      .success([
        "original": .integer(settings.dubOriginalVolume), "dub": .integer(settings.dubVolume),
        "mode": .string(settings.dubMix.rawValue),
      ]))
  }
}
