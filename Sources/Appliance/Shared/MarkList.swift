/// A mark as the machine needs to know it.
public struct MarkReference: Hashable, Sendable {
  /// Unique in its take.
  public var id: String
  /// Of the take.
  public var frame: Int
  /// Empty if nobody gave it one.
  public var title: String

  public init(id: String, frame: Int, title: String = "") {
    self.id = id
    self.frame = frame
    self.title = title
  }
}

/// The marks of the take in the player, in the order of time: what its list shows, and LEFT and RIGHT may go to.
public struct MarkList: Hashable, Sendable {
  /// The take.
  public private(set) var take: String
  public private(set) var marks: [MarkReference]
  /// The highlighted one.
  public private(set) var selected = 0

  /// How far LEFT and RIGHT move a mark, as a part of a second.
  static let movesASecond = 10
  /// More are not known here: nobody goes through them with keys.
  public static let most = 1000

  public init(of take: String = "", _ marks: [MarkReference] = []) {
    self.take = take
    self.marks = Array(marks.prefix(Self.most))
  }

  public var selection: MarkReference? { marks.indices.contains(selected) ? marks[selected] : nil }

  /// Its number in the take, from 1.
  func number(at frame: Int) -> Int? { marks.lastIndex { $0.frame == frame }.map { $0 + 1 } }

  /// The library has told the marks of a take. What was highlighted stays so, wherever it has been moved to.
  mutating func receive(_ take: String, _ marks: [MarkReference]) {
    let highlighted = self.take == take ? selection?.id : nil
    self = MarkList(of: take, marks)
    selected = self.marks.firstIndex { $0.id == highlighted } ?? 0
  }

  /// - Returns: whether there was another row in that direction.
  mutating func move(by step: Int) -> Bool {
    guard let row = Row.moved(selected, by: step, count: marks.count) else { return false }
    selected = row
    return true
  }

  /// The highlighted mark moved by so many steps; `nil` if there is none, or if it stays where it is.
  func moved(by steps: Int, in take: TakeReference) -> MarkReference? {
    guard var mark = selection, take.sampleRate > 0 else { return nil }
    let end = take.frames > 0 ? take.frames : .max
    mark.frame = max(0, min(mark.frame + steps * take.sampleRate / Self.movesASecond, end))
    return mark == selection ? nil : mark
  }
}
