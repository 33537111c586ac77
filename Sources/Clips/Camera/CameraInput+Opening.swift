public import Hardware
internal import Media

extension CameraInput {
  /// Opens the camera, or tells once why that cannot be, and when it is tried again.
  func open(_ request: CameraRequest, now: Instant) {
    guard let camera else { return }
    do throws(DeviceError) {
      let granted = try camera.open(request)
      let queue = FrameQueue(bytes: Self.queueBytes(granted.format))
      do throws(DeviceError) {
        encoder = try makeEncoder(granted, request, camera: camera.name)
        try camera.start(into: queue)
      } catch {
        camera.close()
        encoder = nil
        throw error
      }
      begin(granted, queue, request)
    } catch {
      nextAttempt = now + Self.retryInterval
      if !hasReportedLoss { report(.lost("\(error)")) }
      hasReportedLoss = true
    }
  }

  /// Bytes of the queue between the driver's thread and this lane, for the budget.
  public static func queueBytes(_ format: VideoFormat) -> Int {
    let picture = format.largestFrameBytes
    // Compressed pictures are hardly ever as large as the largest.
    return (picture + 256) * (format.codec.isRaw ? queuedPictures : 3)
  }

  private func makeEncoder(
    _ granted: CameraGrant, _ request: CameraRequest, camera: String
  ) throws(DeviceError) -> VideoEncoder? {
    guard granted.format.codec.isRaw else { return nil }
    do throws(MediaError) {
      return try VideoEncoder(
        granted.format, bitrate: request.bitrate, keyframeInterval: request.keyframeInterval, kinds: encoders)
    } catch {
      throw DeviceError(.unsupported, device: camera, operation: "encode its pictures", hint: "\(error)")
    }
  }

  private func begin(_ granted: CameraGrant, _ queue: FrameQueue, _ request: CameraRequest) {
    self.queue = queue
    grant = granted
    hasReportedLoss = false
    let kept = encoder?.output ?? granted.format
    if clock.period == 0 || buffer.withLock({ $0.format }) != kept {
      clock = PictureClock(nominal: granted.format.frameDuration)
      completer = KeyframeCompleter()
    }
    clock.restart()
    needsKeyframe = true
    countersSeen = counters
    buffer.withLock { shared in
      shared.isRunning = true
      if shared.format != kept {
        shared.format = kept
        shared.epoch += 1
        shared.ring?.clear()
      }
    }
    report(.opened(granted, name: name))
  }
}
