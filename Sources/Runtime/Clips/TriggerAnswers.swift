internal import Clips
internal import Console
internal import Hardware
internal import Recording

/// Who waits for what becomes of a trigger, or a snapshot, that the console has ordered. Control lane only.
///
/// The recorder answers triggers of one cause in the order in which they were given; snapshots are kept in theirs.
final class TriggerAnswers {
  typealias Reply = (Result<TriggeredClip, CommandFailure>) -> Void

  private var waiting: [(wantsPath: Bool, reply: Reply)] = []
  /// Those who wait for a clip's file, and when their triggers were.
  private var saving: [Int: [(time: Instant, reply: Reply)]] = [:]
  /// The clips of the last triggers, for one that is told to be one with another.
  private var clips: [Int: Int] = [:]

  /// A trigger was given.
  func expect(wantsPath: Bool, _ reply: @escaping Reply) { waiting.append((wantsPath, reply)) }

  /// The recorder has answered one.
  func hear(_ trigger: Trigger, _ outcome: TriggerOutcome) {
    var clip: Int?
    switch outcome {
    // Nobody has asked for it: a split.
    case .started(let next, let clip?) where trigger.number == 0: return follow(clip, to: next, at: trigger.time)
    case .started(let number, _), .joined(let number): clip = number
    case .bounced(let other): clip = clips[other]
    case .refused: break
    }
    clips = clips.filter { $0.key > trigger.number - 64 }
    clips[trigger.number] = clip
    guard trigger.cause == .console, !waiting.isEmpty else { return }
    let (wantsPath, reply) = waiting.removeFirst()
    guard let clip else {
      var failure = CommandFailure(.busy, "no clip was made")
      if case .refused(let code, let text) = outcome { failure = Self.failure(code, text) }
      return reply(.failure(failure))
    }
    guard wantsPath else { return reply(.success(TriggeredClip(number: clip))) }
    saving[clip, default: []].append((trigger.time, reply))
  }

  /// A clip goes on in another one: who has triggered later than that waits for the other.
  private func follow(_ clip: Int, to next: Int, at time: Instant) {
    for one in saving.removeValue(forKey: clip) ?? [] {
      saving[one.time < time ? clip : next, default: []].append(one)
    }
  }

  func saved(_ clip: Int, path: String) {
    for one in saving.removeValue(forKey: clip) ?? [] { one.reply(.success(TriggeredClip(number: clip, path: path))) }
  }

  func failed(_ clip: Int, code: String, text: String) {
    for one in saving.removeValue(forKey: clip) ?? [] { one.reply(.failure(Self.failure(code, text))) }
  }

  // MARK: Snapshots

  /// Who waits for each that was ordered, in their order; `nil`: nobody, for a key has ordered it.
  private var snapshots: [SnapshotReply?] = []

  typealias SnapshotReply = (Result<KeptSnapshot, CommandFailure>) -> Void

  /// One was ordered.
  func snapshotOrdered() { snapshots.append(nil) }

  /// Somebody waits for the one that was ordered last.
  func expectSnapshot(_ reply: @escaping SnapshotReply) {
    if snapshots.isEmpty { snapshotOrdered() }
    snapshots[snapshots.count - 1] = reply
  }

  func snapshotSaved(path: String) { answerSnapshot(.success(KeptSnapshot(path: path))) }

  func snapshotFailed(code: String, text: String) { answerSnapshot(.failure(Self.failure(code, text))) }

  private func answerSnapshot(_ result: Result<KeptSnapshot, CommandFailure>) {
    if !snapshots.isEmpty { snapshots.removeFirst()?(result) }
  }

  private static func failure(_ code: String, _ text: String) -> CommandFailure {
    CommandFailure(FailureCode(rawValue: code) ?? .internal, text)
  }
}

/// The clip that holds what a trigger asked for.
struct TriggeredClip: WireObject {
  var number: Int
  var path: String?

  static let fields: [Field<Self>] = [
    Field("clip", \.number, "its number, as in onCaptureStarted"),
    Field("path", ifAny: \.path, "in the data directory, once it is durable: with wait"),
  ]
}

/// A picture that was kept.
struct KeptSnapshot: WireObject {
  let path: String

  static let fields: [Field<Self>] = [Field("path", \.path, "in the data directory")]
}
