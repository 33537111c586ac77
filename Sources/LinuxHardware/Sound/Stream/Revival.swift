internal import CALSA
internal import Glibc

/// Bringing a stream back to life on its real-time thread.
enum Revival {
  /// Brings a stream back after an xrun (EPIPE) or a suspend (ESTRPIPE).
  ///
  /// - Parameters:
  ///   - port: the device.
  ///   - error: what it said.
  ///   - starting: start it as well; a playing stream starts by itself when it is filled.
  ///   - nap: ns between two looks at a device that is still waking up.
  /// - Returns: 0, or the errno with which it is lost.
  @_noLocks @_noAllocation
  static func revive(_ port: UnsafePointer<mynah_pcm_port>, after error: Int32, starting: Bool, nap: Int64) -> Int32 {
    if error == ESTRPIPE {
      let begin = mynah_pcm_now(port)
      var result = mynah_pcm_resume(port)
      while result == -EAGAIN {
        if mynah_pcm_now(port) &- begin >= Rhythm.patience { return ETIMEDOUT }
        mynah_pcm_sleep(port, nap)
        result = mynah_pcm_resume(port)
      }
      // Resumed where it was. Hardware that cannot (ENOSYS) is prepared afresh.
      if result == 0 { return 0 }
    }
    let prepared = mynah_pcm_prepare(port)
    if prepared < 0 { return -prepared }
    guard starting else { return 0 }
    let started = mynah_pcm_start(port)
    return started < 0 ? -started : 0
  }
}
