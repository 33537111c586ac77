internal import Console
internal import Dictaphone

/// Who waits for a take or clip to be open in the player. Control lane only.
final class PlayerAnswers {
  typealias Reply = (Result<Done, CommandFailure>) -> Void

  private var waiting: [(id: String, reply: Reply)] = []

  /// It has been ordered to be opened.
  func expect(_ id: String, _ reply: @escaping Reply) { waiting.append((id, reply)) }

  /// Something is being opened: whoever waits for something else waits for nothing any more.
  func opening(_ id: String) {
    answer(.failure(CommandFailure(.busy, "something else was opened meanwhile"))) { $0 != id }
  }

  func hear(_ event: Player.Event) {
    switch event {
    case .loaded(let id, _, _, _): answer(.success(Done())) { $0 == id }
    case .failed(let code, let text):
      answer(.failure(CommandFailure(FailureCode(rawValue: code) ?? .internal, text))) { _ in true }
    case .ended, .brokeOff, .looped: break
    }
  }

  private func answer(_ result: Result<Done, CommandFailure>, to isMeant: (String) -> Bool) {
    let replies = waiting.filter { isMeant($0.id) }.map(\.reply)
    waiting.removeAll { isMeant($0.id) }
    for reply in replies { reply(result) }
  }
}
