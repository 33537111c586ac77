internal import Appliance
internal import Hardware

/// The screens of dubbed playback.
extension SampleScreens {
  static var dubs: [SampleScreen] {
    [
      SampleScreen("dub-sources", dubState(), dubReadings()),
      SampleScreen("dub-sources-original", dubState { $0.dub.isOn = false }, dubReadings()),
      SampleScreen("dub-empty", dubState { $0.dub.sources = SourceList() }, dubReadings()),
      SampleScreen(
        "dub-buffering",
        dubState(.buffering) { $0.dub.play?.reason = "The first segments are on their way." },
        dubReadings {
          $0.dub.bufferSeconds = 1.3
          $0.dub.segments = 1
        }),
      SampleScreen(
        "dub-buffering-lost",
        dubState(.buffering) {
          $0.dub.play?.isLinkLost = true
          $0.dub.play?.reason = "news.example does not answer: tried again in 4 s."
        },
        dubReadings {
          $0.dub.bufferSeconds = 0
          $0.dub.segments = 0
        }),
      SampleScreen("dub-playing", dubState(.playing), dubReadings()),
      SampleScreen("dub-playing-track", dubState(.playing) { $0.dub.play?.rung = .rendition }, recordedDub),
      SampleScreen("dub-playing-spoken", dubState(.playing) { $0.dub.play?.rung = .synthesised }, dubReadings()),
      SampleScreen("dub-playing-picture", dubState(.playing) { $0.dub.play?.rung = .sidecar }, picturedDub),
      SampleScreen(
        "dub-playing-large",
        dubState(.playing) {
          try? $0.settings.set("dub.picture", to: .text("large"))
          $0.dub.play?.rung = .rendition
        }, picturedDub),
      SampleScreen("dub-playing-original", dubState(.playing) { $0.dub.isOn = false }, dubReadings()),
      SampleScreen(
        "dub-playing-fallback",
        dubState(.playing) {
          $0.dub.play?.rung = .original
          $0.dub.play?.reason = "dub is late"
        }, dubReadings { $0.dub.onTimePercent = 61 }),
      SampleScreen("dub-paused", dubState(.playing) { $0.dub.play?.isPaused = true }, recordedDub),
      SampleScreen(
        "dub-link-lost",
        dubState(.playing) {
          $0.dub.play?.rung = .original
          $0.dub.play?.isLinkLost = true
          $0.notice = Notice(
            severity: .warning, code: "link-lost", text: "Link lost. The original goes on. It is tried again by itself."
          )
        }, dubReadings()),
      SampleScreen(
        "dub-link-restored",
        dubState(.playing) {
          $0.notice = Notice(severity: .information, code: "link-restored", text: "The link is back.")
        }, dubReadings()),
      SampleScreen(
        "dub-failed",
        dubState {
          $0.notice = Notice(
            severity: .error, code: "http-404",
            text:
              "http://news.example/live.m3u8: the server answered 404: there is no such thing there; check the address"
          )
        }, dubReadings()),
      SampleScreen(
        "dub-options",
        dubState {
          $0.shown = ShownScreen(.options, options: OptionsMenu(of: .dub, selected: 1))
        },
        dubReadings {
          $0.options = Mode.dub.optionsMenu.map { MenuRow($0, dubState()) }
        }),
      SampleScreen(
        "dub-guide", dubState(.playing) { $0.screen = .guide },
        dubReadings {
          let lines = dubState(.playing).keyGuide
          $0.guide = lines.map { MenuRow($0, in: .english) }
        }),
      SampleScreen("dub-extreme", extremeDub, extremeDubReadings),
    ]
  }

  static func dubState(_ activity: DubActivity = .idle, _ change: (inout State) -> Void = { _ in }) -> State {
    state {
      $0.mode = .dub
      try? $0.settings.set("dub.language", to: .text("es"))
      $0.health.hasNetwork = true
      let sources = [
        DubSource(id: "https://news.example/live.m3u8", name: "World news", kind: .stream),
        DubSource(id: "https://radio.example/talk.m3u8", name: "Talk radio", kind: .stream),
        DubSource(id: "000012.mp4", name: "Clip 12", kind: .clip),
        DubSource(id: "000011.mp4", name: "Clip 11", kind: .clip),
        DubSource(id: "000042.m4a", name: "Take 42", kind: .take),
        DubSource(id: "000041.m4a", name: "Take 41", kind: .take),
      ]
      $0.dub = DubState(isAvailable: true, sources: SourceList(sources))
      if activity != .idle { $0.dub.play = play(sources[0], isBuffering: activity == .buffering) }
      change(&$0)
    }
  }

  static func dubReadings(_ change: (inout Readings) -> Void = { _ in }) -> Readings {
    readings {
      $0.dub.positionSeconds = 754.2
      $0.dub.isLive = true
      $0.dub.behindLiveSeconds = 9.4
      $0.dub.bufferSeconds = 2.1
      $0.dub.segments = 2
      $0.dub.onTimePercent = 98.4
      change(&$0)
    }
  }

  private static var recordedDub: Readings {
    dubReadings {
      $0.dub.isLive = false
      $0.dub.behindLiveSeconds = nil
      $0.dub.durationSeconds = 3127
      $0.dub.onTimePercent = 100
    }
  }

  private static var picturedDub: Readings {
    dubReadings {
      $0.dub.isLive = false
      $0.dub.durationSeconds = 64
      $0.dub.positionSeconds = 21
      $0.dub.preview = clipReadings().clips.preview
    }
  }

  private static func play(_ source: DubSource, isBuffering: Bool) -> DubPlay {
    var play = DubPlay(of: source)
    play.isBuffering = isBuffering
    play.rung = .service
    play.languages = ["en", "es", "de", "pt-BR"]
    return play
  }

  private static var extremeDub: State {
    dubState(.playing) {
      let name = "The world service of Novosibirsk, second programme, in stereo"
      $0.dub.play = play(DubSource(id: "https://a.example/1", name: name, kind: .stream), isBuffering: false)
      try? $0.settings.set("dub.language", to: .text("pt-BR"))
      $0.dub.play?.rung = .synthesised
      $0.isLocked = true
      $0.health.isStorageLow = true
      $0.health.hasSpeaker = false
    }
  }

  private static var extremeDubReadings: Readings {
    dubReadings {
      $0.dub.positionSeconds = 359_999
      $0.dub.behindLiveSeconds = 359_999
      $0.dub.bufferSeconds = 1e9
      $0.dub.bufferGoalSeconds = 1e9
      $0.dub.segments = 100
      $0.dub.segmentLimit = 100
      $0.dub.onTimePercent = 100
    }
  }
}
