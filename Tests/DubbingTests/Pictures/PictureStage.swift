import Foundation
import Hardware
import Media
import SimulatedHardware
import Streaming
import Synchronization

@testable import Dubbing

/// Pictures that carry their number, made by ffmpeg: 25 a second, with B-frames, a keyframe every two seconds.
enum CodedVideo {
  static let rate = 25
  static let framesEach = 48_000 / rate

  static func make(seconds: Int, size: String = "320x180", keyframes: Int = 50) throws -> [ProgrammePicture] {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).mp4").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let tool = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../Tools/video_stream.py")
      .standardizedFileURL
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    process.arguments = [
      tool.path, path, "--seconds", "\(seconds)", "--size", size, "--rate", "\(rate)", "--keyframes", "\(keyframes)",
    ]
    try process.run()
    process.waitUntilExit()
    let file = try PictureFile(path: path)
    var pictures: [ProgrammePicture] = []
    while let next = file.next() {
      pictures.append(
        ProgrammePicture(epoch: 0, start: next.start, bytes: next.bytes, isKeyframe: next.isKeyframe))
    }
    return pictures
  }

  /// The number in a picture on the screen, wherever it lies there; `nil` if there is none.
  static func number(_ shown: SimulatedScreen.Shown, x: Int = 0, y: Int = 0, width: Int? = nil, height: Int? = nil)
    -> Int?
  {
    PictureCode(width: width ?? shown.width, height: height ?? shown.height) { column, row in
      UInt8(truncatingIfNeeded: shown.pixels[(y + row) * shown.width + x + column] >> 8)
    }.map { Int($0.number) }
  }
}

/// A show in virtual time: pictures come as the player hands them on, half a second and more before they are due.
final class PictureStage {
  let clock = VirtualClock()
  let screen: SimulatedScreen
  let show: PictureShow
  /// What was on the screen: when, and which picture.
  private(set) var seen: [(at: Double, number: Int?)] = []
  private let box = ShownBox()
  private let pictures: [ProgrammePicture]
  private var next = 0
  private var due: Instant? = .zero
  private let woken = WokenFlag()
  /// The frame that is heard, and how it moves.
  var origin = (frame: 0.0, at: Instant.zero)
  var isRunning = true
  /// Pictures that are further ahead are not handed on yet.
  var lead = 48_000.0
  /// The player hands nothing on, as when the link is down.
  var isCut = false
  let errors = ErrorBox()

  init(_ pictures: [ProgrammePicture], width: Int = 640, height: Int = 360, isPlugged: Bool = true) {
    self.pictures = pictures
    let screen = SimulatedScreen(width: width, height: height, clock: clock, isPlugged: isPlugged)
    self.screen = screen
    let errors = errors
    show = PictureShow(screen: screen, room: PictureRoom(waiting: 4 << 20) { 64 << 20 }, report: { errors.add($0) })
    screen.observe { [box] in box.add($0) }
    show.attach { [woken] in woken.set() }
    show.look()
    show.restart(isPlaying: true)
  }

  var heard: Double {
    isRunning ? origin.frame + clock.now.seconds * 48_000 - origin.at.seconds * 48_000 : origin.frame
  }

  /// Lets virtual time pass; the player steps every 20 ms.
  func run(until seconds: Double) {
    let end = Instant(nanoseconds: Int64(seconds * 1e9))
    var playerDue = clock.now
    while clock.now < end {
      if clock.now >= playerDue {
        player()
        playerDue = clock.now + .milliseconds(20)
      }
      var turns = 0
      while woken.take() || (due.map { $0 <= clock.now } ?? false) {
        due = show.step(now: clock.now)
        turns += 1
        precondition(turns < 100_000, "the show does not come to rest")
      }
      for shown in box.take() { seen.append((shown.at.seconds, CodedVideo.number(shown))) }
      clock.advance(to: min(end, min(playerDue, max(due ?? .distantFuture, clock.now + .microseconds(1)))))
    }
  }

  private func player() {
    if show.isWanted, !isCut {
      while next < pictures.count, Double(pictures[next].start) < heard + lead {
        show.take(pictures[next])
        next += 1
      }
    }
    show.follow(
      HeardClock(
        frame: heard, at: clock.now, isRunning: isRunning, isEnding: next == pictures.count))
  }

  /// Goes elsewhere, from the keyframe before it on.
  func seek(to frame: Int) {
    next = pictures.lastIndex { $0.isKeyframe && $0.start <= frame } ?? 0
    origin = (Double(frame), clock.now)
    show.restart(isPlaying: true)
  }

  func pause() {
    origin = (heard, clock.now)
    isRunning = false
  }

  func resume() {
    origin = (origin.frame, clock.now)
    isRunning = true
  }

  /// The number that should be seen of the sound at `time`, as the clock stands now.
  func expected(at time: Double) -> Double { (origin.frame + (time - origin.at.seconds) * 48_000) / 1920 }
}

/// Whether somebody has called since the last look. Any thread.
final class WokenFlag: Sendable {
  private let flag = Atomic<Bool>(true)
  func set() { flag.store(true, ordering: .releasing) }
  func take() -> Bool { flag.exchange(false, ordering: .acquiringAndReleasing) }
}

final class ShownBox: Sendable {
  private let kept = Mutex<[SimulatedScreen.Shown]>([])
  func add(_ shown: SimulatedScreen.Shown) { kept.withLock { $0.append(shown) } }
  func take() -> [SimulatedScreen.Shown] {
    kept.withLock { kept in
      defer { kept = [] }
      return kept
    }
  }
}

final class ErrorBox: @unchecked Sendable {
  private(set) var all: [DeviceError?] = []
  func add(_ error: DeviceError?) { all.append(error) }
}
