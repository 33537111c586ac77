import Console
import Runtime

/// The built-in demonstration: arm, record, pause, mark, stop, play, clip, in virtual time; pictures, takes and clips stay.
struct Demonstration {
  let data: String

  private var steps: String {
    """
    0.5   expect mode dictaphone.idle
    0.5   expect led STATUS on
    0.5   screen \(data)/demo-1-armed.png
    6.0   press REC
    7.0   expect mode dictaphone.recording
    7.0   expect led REC on
    9.0   mark
    9.5   screen \(data)/demo-2-recording.png
    10.0  press REC
    10.5  expect mode dictaphone.paused
    10.5  screen \(data)/demo-3-paused.png
    12.0  press REC
    14.0  press STOP
    16.0  expect mode dictaphone.idle
    16.0  press CENTRE
    17.0  expect mode dictaphone.playing
    17.5  screen \(data)/demo-4-playing.png
    18.0  press RIGHT
    23.0  press STOP
    23.5  press DOWN
    24.0  expect mode dictaphone.files
    24.0  screen \(data)/demo-5-files.png
    25.0  call settings.set {"clips.postRollSeconds":2}
    25.5  hold STOP 0.7
    26.5  expect mode clips.buffering
    34.0  expect led STATUS on
    34.0  press REC
    35.0  expect mode clips.capturing
    35.0  expect led REC on
    35.0  screen \(data)/demo-6-clip.png
    38.0  expect mode clips.buffering
    38.5  press DOWN
    39.5  screen \(data)/demo-7-clips.png
    40.0  quit
    """
  }

  /// The steps as a script.
  var script: Script {
    get throws {
      do throws(ScriptError) {
        return try Script(parsing: Array(steps.utf8), name: "demonstration", table: DeviceTable.catalogue)
      } catch {
        throw Host.failure(Exit.internalError, "\(error)")
      }
    }
  }

  /// What was done, and where the results are.
  var summary: [String] {
    [
      "Mynah \(Version.text): demonstration on simulated hardware.",
      "  armed for 6 s; REC; a mark; REC to pause, REC to go on; STOP; CENTRE played the take; DOWN listed it.",
      "  The take begins 5 s before the press: that is the pre-record.",
      "  Then clip mode: REC kept a clip, of 5 s before the press and 2 s after it.",
      "  takes:    \(data)/recordings/   (.m4a with a .json beside it)",
      "  clips:    \(data)/clips/        (.mp4 with a .json beside it: the receipt)",
      "  pictures: \(data)/demo-1-armed.png to demo-7-clips.png, the OLED at 8 pixels for one",
      "On a terminal, mynah simulate shows the front panel instead.",
    ]
  }
}
