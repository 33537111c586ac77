internal import CALSA
internal import CLinux
internal import Glibc

/// libasound's configuration.
enum ALSAConfiguration {
  /// Enough for `hw:`, `plughw:`, `null` and `default` on a system without /usr/share/alsa.
  static let builtIn = """
    pcm.hw {
      @args [ CARD DEV SUBDEV ]
      @args.CARD { type string default "0" }
      @args.DEV { type integer default 0 }
      @args.SUBDEV { type integer default -1 }
      type hw
      card $CARD
      device $DEV
      subdevice $SUBDEV
    }
    pcm.plughw {
      @args [ CARD DEV SUBDEV ]
      @args.CARD { type string default "0" }
      @args.DEV { type integer default 0 }
      @args.SUBDEV { type integer default -1 }
      type plug
      slave.pcm { type hw card $CARD device $DEV subdevice $SUBDEV }
    }
    pcm.default { type plug slave.pcm { type hw card 0 } }
    pcm.null { type null }
    ctl.hw { @args [ CARD ] @args.CARD { type string default "0" } type hw card $CARD }

    """

  private static let once: Void = {
    mynah_alsa_be_quiet()
    guard getenv("ALSA_CONFIG_PATH") == nil, access("/usr/share/alsa/alsa.conf", R_OK) != 0 else { return }
    // The file lives as long as the descriptor, which is never closed.
    let file = mynah_memory_file("alsa.conf")
    guard file >= 0 else { return }
    var text = builtIn
    let isWritten = text.withUTF8 { write(file, $0.baseAddress, $0.count) == $0.count }
    if isWritten { setenv("ALSA_CONFIG_PATH", "/proc/self/fd/\(file)", 0) }
  }()

  /// Keeps libasound silent and, where its own configuration is missing, gives it the built-in one. Any thread.
  static func prepare() { once }
}
