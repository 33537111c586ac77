internal import Hardware
internal import Sound

/// What is asked of microphones, and in which format their sound is delivered: by what is wanted, what the board file says,
/// and the session's strategy. Opens nothing itself.
struct CaptureSession {
  /// What is wanted.
  var request: SoundRequest
  var strategy: any AudioSession = BaselineSession()
  /// The one rate that what is recorded can have, Hz, to which all else is converted; `nil`: it has the microphone's.
  var fileRate: Int?
  /// Whether periods of 10 ms at most are asked for.
  var isPrompt = false
  /// What the board file says of its microphone.
  private let board: SoundRequest

  /// - Parameter request: what is wanted at first is what the board file says.
  init(_ request: SoundRequest) { (self.request, board) = (request, request) }

  /// The same periods, in time, for another format.
  func request(for format: PCMFormat) -> SoundRequest {
    let rate = request.format.sampleRate
    return SoundRequest(
      format: format, periodFrames: request.periodFrames * format.sampleRate / rate,
      bufferFrames: request.bufferFrames * format.sampleRate / rate)
  }

  /// What a device that is to be opened is asked for, best first.
  var requests: [SoundRequest] {
    strategy.requests(for: request, held: nil, board: board).map { request in
      var request = request
      if isPrompt { request.periodFrames = min(request.periodFrames, request.format.sampleRate / 100) }
      return request
    }
  }

  /// Whether a device that is open stays as it is.
  ///
  /// - Parameter isOther: the strategy is another one: what was refused before, or what it would not have asked for, is
  ///   asked for anew.
  func keeps(_ line: MicrophoneLine, isOther: Bool) -> Bool {
    if isOther, line.fallback != nil || requests.first?.format.sampleRate != line.grant.format.sampleRate {
      return false
    }
    return strategy.requests(for: request, held: line.grant, board: board).isEmpty
  }

  /// The format in which a device's sound is delivered to a history that begins with it.
  func delivered(by line: MicrophoneLine) -> PCMFormat {
    let asked = PCMFormat(
      sampleRate: fileRate ?? request.format.sampleRate,
      channels: min(request.format.channels, line.grant.format.channels))
    var native = line.nativeFormat(channels: asked.channels)
    if let fileRate, line.canDeliver(at: fileRate) { native.sampleRate = fileRate }
    return strategy.delivered(for: asked, granted: native)
  }

  /// Whether a device can go on in a history of this format. One of another format does only where that is needed.
  func canJoin(_ line: MicrophoneLine, _ format: PCMFormat, isNeeded: Bool) -> Bool {
    let own = line.nativeFormat(channels: request.format.channels)
    return isNeeded || strategy.converts || fileRate != nil
      ? line.canDeliver(at: format.sampleRate)
      : (own.sampleRate, own.channels) == (format.sampleRate, format.channels)
  }

  /// Requested, granted, delivered.
  ///
  /// - Parameter format: what is delivered while a device is open.
  func state(of line: MicrophoneLine?, _ format: PCMFormat) -> SessionState {
    var wanted = request.format
    wanted.sampleRate = fileRate ?? wanted.sampleRate
    return SessionState(
      requested: wanted, granted: line?.grant, delivered: line == nil ? nil : format, fallback: line?.fallback)
  }
}
