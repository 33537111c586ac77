internal import Appliance
internal import Clips
internal import Console
internal import Hardware

enum ClipsStatus: DeviceMethod {
  static let row = MethodRow(
    "clips.status", "tells what camera and ring hold, and which clips are open", .viewer)

  struct Camera: WireObject {
    var isPresent: Bool
    var isOpening: Bool
    var format: String
    var name: String?
    var grant: CameraGrant?

    static let fields: [Field<Self>] = [
      Field("present", \.isPresent, "whether it delivers"), Field("opening", \.isOpening, "whether it is being opened"),
      Field("format", \.format, "size, rate and coding: what it granted, or else what will be asked for"),
      Field("name", ifAny: \.name, "its name"),
      Field("codec", ifAny: \.grant?.format.codec.rawValue, "what its pictures are encoded with"),
      Field("width", ifAny: \.grant?.format.width, "dots"), Field("height", ifAny: \.grant?.format.height, "dots"),
      Field("framesPerSecond", ifAny: \.grant?.format.framesPerSecond, "pictures a second, as granted"),
      Field("timestamps", ifAny: \.grant?.timestamps, "who stamps the pictures"),
    ]
  }

  /// A clip that is not finished.
  struct OpenClip: WireObject {
    let number: Int
    let isSaving: Bool
    /// `nil`: until it is ended.
    let ends: Instant?
    let secondsToGo: Double?

    static let fields: [Field<Self>] = [
      Field("clip", \.number, "its number, as in onCaptureStarted"),
      Field("saving", \.isSaving, "whether only the storage has to finish"),
      Field("endTime", \.ends?.seconds, "its end on the monotonic clock, in seconds; null until it is ended"),
      Field("secondsToGo", \.secondsToGo, "from now to that end; null until it is ended"),
    ]
  }

  struct Answer: WireObject {
    let mode: String
    let camera: Camera
    let clips: ClipStatus
    let largestWindowSeconds: Int
    let reserveBytes: Int
    let open: [OpenClip]
    let last: String?

    static let fields: [Field<Self>] = [
      Field("mode", \.mode, "what the device is doing"), Field("armed", \.clips.isArmed, "whether the ring fills"),
      Field("camera", \.camera, "the camera"), Field("bufferSeconds", \.clips.ring.seconds, "what the ring holds"),
      Field("windowSeconds", \.clips.ring.wantedSeconds, "what it is to hold"),
      Field("largestWindowSeconds", \.largestWindowSeconds, "what it could hold on this board"),
      Field("bufferBytes", \.clips.ring.bytes, "pictures in the ring"),
      Field("capacityBytes", \.clips.ring.capacity, "room for pictures"),
      Field("overheadBytes", \.clips.ring.overheadBytes, "what the ring needs beside them"),
      Field("reserveBytes", \.reserveBytes, "room for what waits for the storage"),
      Field("onDisk", \.clips.isSpooling, "whether the storage has a copy of the ring"),
      Field("fps", \.clips.framesPerSecond, "pictures that came in the last second"),
      Field("dropped", \.clips.droppedPictures, "pictures lost since the start"),
      Field("open", \.open, "clips that are not finished"),
      Field(
        "secondsToGo", { $0.clips.remainingSeconds.isFinite ? $0.clips.remainingSeconds : nil },
        "until the last of them ends; null until it is ended"),
      Field("continuous", \.clips.isContinuous, "whether everything is being kept"),
      Field("last", \.last, "the newest clip; null if there is none"),
    ]
  }

  static func answer(_: NoParameters, in device: CommandContext) throws(CommandFailure) -> Answer {
    let context = try device.camera
    let state = device.state
    let now = device.clock.now
    let clips = device.media.status.clips
    let grant = context.sight(clips)
    let camera = Camera(
      isPresent: state.health.hasCamera, isOpening: state.health.isCameraOpening, format: context.formatText(clips),
      name: grant == nil ? nil : context.cameraName, grant: grant)
    let open = state.clips.open.map { clip in
      let ends = clip.ends == .distantFuture ? nil : clip.ends
      return OpenClip(
        number: clip.number, isSaving: clip.isSaving, ends: ends, secondsToGo: ends.map { max(0, ($0 - now).inSeconds) }
      )
    }
    return Answer(
      mode: state.modeName, camera: camera, clips: clips,
      largestWindowSeconds: state.clips.largestSeconds, reserveBytes: context.reserveBytes, open: open,
      last: state.clips.last?.id)
  }
}
