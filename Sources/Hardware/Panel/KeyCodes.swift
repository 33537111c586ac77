/// A key of an input device of the kernel's (a USB keypad, a headset's remote) that is one of the panel's.
public struct InputKey: Hashable, Sendable {
  public var button: Button
  /// As `linux/input-event-codes.h` numbers it.
  public var code: Int

  public init(_ button: Button, code: Int) {
    self.button = button
    self.code = code
  }
}

/// The kernel's names of keys, without `KEY_` in front. Pure.
public enum KeyCodes {
  /// More than the kernel has.
  public static let limit = 768

  /// From 1 on, as in `linux/input-event-codes.h`; `-` has none.
  private static let names =
    """
    ESC 1 2 3 4 5 6 7 8 9 0 MINUS EQUAL BACKSPACE TAB Q W E R T Y U I O P LEFTBRACE RIGHTBRACE ENTER LEFTCTRL A \
    S D F G H J K L SEMICOLON APOSTROPHE GRAVE LEFTSHIFT BACKSLASH Z X C V B N M COMMA DOT SLASH RIGHTSHIFT \
    KPASTERISK LEFTALT SPACE CAPSLOCK F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 NUMLOCK SCROLLLOCK KP7 KP8 KP9 KPMINUS KP4 \
    KP5 KP6 KPPLUS KP1 KP2 KP3 KP0 KPDOT - ZENKAKUHANKAKU 102ND F11 F12 RO KATAKANA HIRAGANA HENKAN \
    KATAKANAHIRAGANA MUHENKAN KPJPCOMMA KPENTER RIGHTCTRL KPSLASH SYSRQ RIGHTALT LINEFEED HOME UP PAGEUP LEFT \
    RIGHT END DOWN PAGEDOWN INSERT DELETE MACRO MUTE VOLUMEDOWN VOLUMEUP POWER KPEQUAL KPPLUSMINUS PAUSE SCALE \
    KPCOMMA HANGEUL HANJA YEN LEFTMETA RIGHTMETA COMPOSE STOP AGAIN PROPS UNDO FRONT COPY OPEN PASTE FIND CUT \
    HELP MENU CALC SETUP SLEEP WAKEUP FILE SENDFILE DELETEFILE XFER PROG1 PROG2 WWW MSDOS COFFEE ROTATE_DISPLAY \
    CYCLEWINDOWS MAIL BOOKMARKS COMPUTER BACK FORWARD CLOSECD EJECTCD EJECTCLOSECD NEXTSONG PLAYPAUSE \
    PREVIOUSSONG STOPCD RECORD REWIND PHONE ISO CONFIG HOMEPAGE REFRESH EXIT MOVE EDIT SCROLLUP SCROLLDOWN \
    KPLEFTPAREN KPRIGHTPAREN NEW REDO F13 F14 F15 F16 F17 F18 F19 F20 F21 F22 F23 F24 - - - - - PLAYCD PAUSECD \
    PROG3 PROG4 ALL_APPLICATIONS SUSPEND CLOSE PLAY FASTFORWARD BASSBOOST PRINT HP CAMERA SOUND QUESTION EMAIL \
    CHAT SEARCH CONNECT FINANCE SPORT SHOP ALTERASE CANCEL BRIGHTNESSDOWN BRIGHTNESSUP MEDIA SWITCHVIDEOMODE \
    KBDILLUMTOGGLE KBDILLUMDOWN KBDILLUMUP SEND REPLY FORWARDMAIL SAVE DOCUMENTS BATTERY BLUETOOTH WLAN UWB \
    UNKNOWN VIDEO_NEXT VIDEO_PREV BRIGHTNESS_CYCLE BRIGHTNESS_AUTO DISPLAY_OFF WWAN RFKILL MICMUTE
    """.split(separator: " ")

  /// The code of a name, with `KEY_` or without, or of a number.
  public static func code(named name: String) -> Int? {
    if let code = Int(name), name.utf8.count > 1 { return (1..<limit).contains(code) ? code : nil }
    let plain = plain(name)
    return plain == "-" ? nil : names.firstIndex { $0 == plain }.map { $0 + 1 }
  }

  /// `KEY_PLAYPAUSE`; a number where it has no name.
  public static func name(of code: Int) -> String {
    guard names.indices.contains(code - 1), names[code - 1] != "-" else { return String(code) }
    return "KEY_\(names[code - 1])"
  }

  /// The name that is most like this one.
  public static func nearest(to name: String) -> String? {
    Suggestion.nearest(to: String(plain(name)), among: names.map(String.init)).map { "KEY_\($0)" }
  }

  private static func plain(_ name: String) -> Substring { name.hasPrefix("KEY_") ? name.dropFirst(4) : name[...] }
}
