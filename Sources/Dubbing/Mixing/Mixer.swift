internal import Hardware
internal import Sound
internal import Streaming

/// Mixes original and dub into one stereo sound, frame by frame on one timeline: they cannot drift apart.
///
/// The original is always there, and always running; a dub is laid over it (a voice, with the original ducked) or takes
/// its place (a track, with an equal-power cross-fade of 25 ms). Switching is therefore a change of gain. What is not
/// there when it is needed is faded out beforehand, and the original comes back. One thread; a call's work is bounded.
final class Mixer {
  /// 25 ms.
  static let fadeFrames = 48_000 * 25 / 1000
  /// Frames mixed at a time.
  static let blockFrames = 480
  /// The original and the track that may take its place.
  var original = FrameStore()
  var track = FrameStore()
  /// The next frame to be mixed.
  private(set) var position = 0
  /// Whether the track is wanted from where on; decided at boundaries.
  private var trackFrom: Int?
  private var trackUntil: Int?
  /// 0: the original, 1: the track.
  private var trackWeight = 0.0
  private var voices: [PlacedVoice] = []
  private var ducker = Ducker()
  private let programme = ProgrammeLoudness(format: PCMFormat(sampleRate: 48_000, channels: 2))
  private var originalGain: Float = 1
  private var dubGain: Float = 1
  /// Something was mixed: from then on a volume is gone to, and before it there is none to come from.
  private var hasMixed = false
  private let scratch: UnsafeMutablePointer<Float>

  var settings = DubSettings()
  /// Whether the loudness of the original is measured: voices may be laid over it.
  var measuresProgramme = true
  /// Whether the track's sound was not there when it should have been heard, since the last look.
  private var isTrackBroken = false

  init() {
    scratch = .allocate(capacity: 4 * Self.blockFrames)
    scratch.initialize(repeating: 0, count: 4 * Self.blockFrames)
  }

  deinit { scratch.deallocate() }

  // MARK: What is played

  /// Forgets everything and goes on at `frame`: another place or another programme.
  func reset(at frame: Int) {
    original.clear()
    track.clear()
    voices = []
    trackFrom = nil
    trackWeight = 0
    ducker = Ducker()
    position = frame
    isTrackBroken = false
  }

  /// Goes on where the original begins, once it is known.
  func start(at frame: Int) { position = frame }

  /// Lays a voice over the original. One that is still speaking when it begins is faded away.
  func place(slot: Int, rung: DubRung, epoch: Int, start: Int, voice: ReadyVoice) {
    guard !voice.samples.isEmpty else { return }
    cutVoices(at: start)
    voices.append(PlacedVoice(slot: slot, rung: rung, epoch: epoch, start: start, voice: voice))
  }

  /// Fades away what would still speak at `frame`.
  private func cutVoices(at frame: Int) {
    for index in voices.indices where voices[index].end > frame && voices[index].start < frame {
      voices[index].cutAt = min(voices[index].cutAt, max(position, frame - Self.fadeFrames))
    }
  }

  /// Lets the track take the original's place from `frame` on, or the original come back.
  func setTrack(_ isWanted: Bool, from frame: Int) {
    if isWanted {
      cutVoices(at: frame)
      trackUntil = nil
      if trackFrom == nil { trackFrom = frame }
    } else if trackFrom != nil {
      trackUntil = frame
    }
  }

  /// Ends every dub where it is: the original is back within 25 ms.
  func dropDubs() {
    for index in voices.indices { voices[index].cutAt = min(voices[index].cutAt, position) }
    voices.removeAll { $0.start >= position }
    if trackFrom != nil { trackUntil = position }
    ducker.returnAtOnce()
  }

  /// Another track takes the place of the one that is wanted: they are cross-faded where the mixer is.
  func changeTrack(to new: FrameStore) {
    var new = new
    new.drop(before: position)
    if trackWeight > 0 { new.fadeIn(at: position, frames: Self.fadeFrames, from: track) }
    track = new
  }

  /// The rung of the voice that speaks at the position, or will.
  var voiceRung: DubRung? { voices.first { position < $0.end }?.rung }
  /// Whether a voice speaks at the position.
  var isSpeaking: Bool { voices.contains { $0.start <= position && position < $0.end } }
  /// Whether the track is heard, or about to be.
  var isTrackHeard: Bool { trackWeight > 0 || (trackFrom != nil && trackUntil == nil) }

  func takeBroken() -> Bool {
    defer { isTrackBroken = false }
    return isTrackBroken
  }

  // MARK: Mixing

  /// Mixes the next `blockFrames` frames, or fewer at the end of what there is.
  ///
  /// - Returns: how many; 0 if the original is not there.
  func mix(into target: UnsafeMutablePointer<Float>) -> Int {
    let frames = min(Self.blockFrames, original.end - position)
    guard frames > 0, position >= original.start else { return 0 }
    if !hasMixed { (originalGain, dubGain) = (Float(settings.originalVolume), Float(settings.dubVolume)) }
    hasMixed = true
    // The sound is about to break off: not with a click.
    if original.end - position <= Self.blockFrames { original.fadeEnd() }
    original.copy(from: position, into: target, frames: frames)
    if measuresProgramme { programme.add(target, frames: frames) }
    crossFade(target, frames)
    duckAndSpeak(target, frames)
    position += frames
    original.drop(before: position)
    track.drop(before: position)
    voices.removeAll { $0.end + Ducker.holdFrames <= position }
    return frames
  }

  /// Whether the track is there, of the same epoch, for this block and for the fade after it.
  private func hasTrack(_ frames: Int) -> Bool {
    // At the end of the programme both end.
    let needed = min(position + frames + Self.fadeFrames, original.end)
    guard track.start <= position, track.end >= needed else { return false }
    let last = needed - 1
    return track.epoch(at: position) == original.epoch(at: position)
      && track.epoch(at: last) == original.epoch(at: last)
  }

  private func crossFade(_ target: UnsafeMutablePointer<Float>, _ frames: Int) {
    if let until = trackUntil, until <= position {
      trackFrom = nil
      trackUntil = nil
    }
    var wanted = 0.0
    if let from = trackFrom, from <= position {
      if hasTrack(frames) {
        wanted = 1
      } else {
        isTrackBroken = true
        trackFrom = nil
        trackUntil = nil
      }
    }
    guard wanted > 0 || trackWeight > 0 else { return }
    track.copy(from: position, into: scratch, frames: frames)
    for frame in 0..<frames {
      let change = 1 / Double(Self.fadeFrames)
      trackWeight = wanted > trackWeight ? min(1, trackWeight + change) : max(0, trackWeight - change)
      let gains = Self.equalPower(trackWeight)
      for channel in 0...1 {
        let place = 2 * frame + channel
        target[place] = target[place] * gains.out + scratch[place] * gains.in
      }
    }
  }

  /// Gains of what goes and what comes: their squares sum to 1.
  private static func equalPower(_ weight: Double) -> (out: Float, in: Float) {
    if weight <= 0 { return (1, 0) }
    if weight >= 1 { return (0, 1) }
    return (Float((1 - weight).squareRoot()), Float(weight.squareRoot()))
  }

  private func duckAndSpeak(_ target: UnsafeMutablePointer<Float>, _ frames: Int) {
    let volume = settings.dubVolume
    let heard = volume < 0.01 ? [] : voices
    let loudness = Decibels.ofAmplitude(volume)
    let plan = heard.filter { isOfItsEpoch($0) && $0.cutAt > position }.flatMap {
      $0.stretches(settings.mode, volume: loudness)
    }
    let programmeLUFS = plan.isEmpty ? nil : programme.shortTermLUFS
    var done = 0
    while done < frames {
      let count = min(Ducker.controlFrames, frames - done)
      let gain = ducker.advance(at: position + done, voices: plan, programme: programmeLUFS, settings: settings)
      if gain.from == 1, gain.to == 1, originalGain == 1, settings.originalVolume == 1 {
        done += count
        continue
      }
      for index in 0..<count {
        let part = Float(index) / Float(count)
        originalGain += (Float(settings.originalVolume) - originalGain) * 0.004
        // A gain that has arrived leaves the samples as they are.
        if abs(Float(settings.originalVolume) - originalGain) < 1e-5 { originalGain = Float(settings.originalVolume) }
        let factor = (gain.from + (gain.to - gain.from) * part) * originalGain
        target[2 * (done + index)] *= factor
        target[2 * (done + index) + 1] *= factor
      }
      done += count
    }
    for voice in voices { speak(voice, target, frames) }
  }

  private func isOfItsEpoch(_ voice: PlacedVoice) -> Bool {
    guard let now = original.epoch(at: position) else { return false }
    return now == voice.epoch || (voice.start > position && voice.epoch > now)
  }

  private func speak(_ voice: PlacedVoice, _ target: UnsafeMutablePointer<Float>, _ frames: Int) {
    let first = max(voice.start, position)
    var last = min(voice.end, position + frames)
    guard first < last, original.epoch(at: first) == voice.epoch else { return }
    // What belongs to one epoch is not heard in another.
    if let boundary = original.epochEnd(after: first) { last = min(last, boundary) }
    let epochEnd = original.epochEnd(after: first) ?? .max
    for frame in first..<max(first, last) {
      dubGain += (Float(settings.dubVolume) - dubGain) * 0.004
      var gain = dubGain
      if frame >= voice.cutAt { gain *= max(0, 1 - Float(frame - voice.cutAt) / Float(Self.fadeFrames)) }
      if epochEnd - frame < 240 { gain *= Float(epochEnd - frame) / 240 }
      let sample = voice.samples[frame - voice.start] * gain
      target[2 * (frame - position)] += sample
      target[2 * (frame - position) + 1] += sample
    }
  }
}
