internal import Console
internal import JSON

/// The receipt of a clip as its file has it.
struct ClipReceiptAnswer: WireValue {
  let json: JSONValue

  static let schema = Schema.object(range + contents + end, isOpen: true)

  private static let range: [Schema.Member] = [
    .init("version", .integer, isOptional: true, "of the receipt"),
    .init("id", .text, isOptional: true, "the clip's file name"),
    .init("path", .text, isOptional: true, "in the data directory"),
    .init("clip", .integer, isOptional: true, "its number in the run that made it"),
    .init("triggers", .array(trigger), isOptional: true, "what started it, and what joined"),
    .init("requestedStart", .number, isOptional: true, "on the monotonic clock, in seconds, as the next two"),
    .init("start", .number, isOptional: true, "where it begins: with the picture that was to be seen then"),
    .init("startErrorSeconds", .number, isOptional: true, "how far that is from what was asked for"),
    .init("durationSeconds", .number, isOptional: true, "exact length"),
    .init("timeLapseSeconds", .number, isOptional: true, "from picture to picture of a time-lapse"),
    .init("continues", .integer, isOptional: true, "the number of the clip whose end is this one's start"),
    .init("operator", .text, isOptional: true, "who was logged in"),
    .init("protected", .flag, isOptional: true, "whether it is kept from being deleted"),
    .init("inProgress", .flag, isOptional: true, "true until it is whole"),
    .init("sources", .array(.text), isOptional: true, "the clips that it was made of"),
    .init("range", .array(.number), isOptional: true, "from where to where of a clip it is, in seconds"),
  ]

  private static let contents: [Schema.Member] = [
    .init("pictures", pictures, isOptional: true, "the picture track"),
    .init("sound", sound, isOptional: true, "the sound track"),
    .init("gaps", .array(gap), isOptional: true, "what was asked for and is not in it"),
    .init("governor", .array(GovernorStatus.note), isOptional: true, "what gave way or came back meanwhile"),
    .init(
      "longestStepMilliseconds", .map(.number), isOptional: true,
      "the longest step of each lane that records meanwhile, of processor time"),
    .init("soundDriftPPM", .number, isOptional: true, "how far the sound's clock is off"),
    .init("largestSkewSeconds", .number, isOptional: true, "most that a picture is away from its place on the sound"),
    .init("anchors", .array(anchor), isOptional: true, "what the wall clock showed when"),
  ]

  private static let end: [Schema.Member] = [
    .init("requestedEnd", .number, isOptional: true, "on the monotonic clock, in seconds, as the next"),
    .init("end", .number, isOptional: true, "where it ends"),
    .init("endErrorSeconds", .number, isOptional: true, "how far that is from what was asked for"),
    .init("stopReason", .text, isOptional: true, "why it ended"),
    .init("fileBytes", .integer, isOptional: true, "size of the file"),
    .init("lastMediaAt", .number, isOptional: true, "when its last picture was in, on the monotonic clock"),
    .init("durableAt", .number, isOptional: true, "when the file was whole and durable"),
    .init("mediaToDurableSeconds", .number, isOptional: true, "from one to the other"),
    .init("triggerToDurableSeconds", .number, isOptional: true, "from the trigger to the durable file"),
  ]

  private static let trigger = Schema.object(
    [
      .init("number", .integer, "counts triggers"), .init("t", .number, "on the monotonic clock, in seconds"),
      .init("cause", .text, "key, console, input, sound, motion, continuous, timeLapse"),
      .init("outcome", .text, "started or joined"),
    ], isOpen: true)

  private static let pictures = Schema.object(
    [
      .init("codec", .text, "h264 or mjpeg"), .init("width", .integer, "dots"), .init("height", .integer, "dots"),
      .init("captured", .integer, "pictures to be seen"), .init("keyframes", .integer, "those that need no other"),
      .init("late", .integer, "came more than half their duration away from their turn"),
      .init("longestDeltaSeconds", .number, "longest time from one to the next"),
      .init("largestSmoothingSeconds", .number, "most that a time stamp was moved to take out jitter"),
      .init("dropped", .map(.integer), "lost, by cause: byDevice, queue, keyframe, storage"),
    ], isOpen: true)

  private static let sound = Schema.object(
    [
      .init("sampleRate", .integer, "Hz"), .init("channels", .integer, "how many"),
      .init("frames", .integer, "exact length"), .init("bitrateKbps", .integer, "kbit/s"),
    ], isOpen: true)

  private static let gap = Schema.object(
    [
      .init("track", .text, "picture or sound"), .init("start", .number, "seconds from the clip's start"),
      .init("seconds", .number, "how long"), .init("reason", .text, "why"),
    ], isOpen: true)

  private static let anchor = Schema.object(
    [
      .init("t", .number, "on the monotonic clock, in seconds"),
      .init("wall", .integer, "the wall clock then, in nanoseconds since 1970"),
    ], isOpen: true)
}
