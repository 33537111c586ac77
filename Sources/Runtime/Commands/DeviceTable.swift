public import Console

/// The commands of this firmware: the one list. A method is a type with its row and its handler; what is not in the
/// list is in no help, no schema and no completion, and cannot be called.
public enum DeviceTable {
  /// What the table says, for scripts, the manual page and the published schema.
  public static let catalogue: CommandCatalogue = table.catalogue

  static let table = CommandTable<CommandContext>(
    methods: [panel, recorder, player, library, marks, clips, dubbing, feed, schedules, device, operators].flatMap(
      \.self),
    words: Words.all)

  private typealias Row = MethodEntry<CommandContext>

  private static let panel = [
    Row(PanelPress.self), Row(PanelMode.self), Row(PanelState.self), Row(PanelScreen.self),
  ]

  private static let recorder = [
    Row(RecorderStart.self), Row(RecorderPause.self), Row(RecorderResume.self), Row(RecorderStop.self),
    Row(RecorderMark.self), Row(RecorderStatus.self), Row(RecorderMeters.self), Row(RecorderSources.self),
  ]

  private static let player = [
    Row(PlayerPlay.self), Row(PlayerPause.self), Row(PlayerStop.self), Row(PlayerSeek.self), Row(PlayerSkip.self),
    Row(PlayerLoop.self), Row(PlayerStatus.self),
  ]

  private static let library = [
    Row(LibraryList.self), Row(LibraryShow.self), Row(LibraryRename.self), Row(LibraryDelete.self),
    Row(LibraryUndelete.self), Row(LibraryProtect.self), Row(LibraryTag.self), Row(LibraryTags.self),
    Row(LibraryFavourite.self), Row(LibraryCopy.self), Row(LibraryCancel.self), Row(LibraryVerify.self),
    Row(LibraryRepair.self), Row(LibraryExport.self), Row(ExportStart.self), Row(ExportProgress.self),
    Row(StickStatus.self), Row(FilesList.self), Row(FilesRead.self),
    Row(FilesWrite.self), Row(ProofKeyMethod.self), Row(ProofVerify.self),
  ]

  private static let marks = [Row(MarksList.self), Row(MarksSet.self), Row(MarksMove.self), Row(MarksRemove.self)]

  private static let clips = [
    Row(ClipsTrigger.self), Row(ClipsEndPostRoll.self), Row(ClipsContinuous.self), Row(ClipsTimeLapse.self),
    Row(ClipsSnapshot.self), Row(ClipsStatus.self), Row(ClipsList.self), Row(ClipsReceipt.self),
    Row(ClipsProtect.self), Row(ClipsDelete.self), Row(ClipsTrim.self), Row(ClipsConcat.self),
    Row(ClipsTelemetry.self),
  ]

  private static let dubbing = [
    Row(DubStart.self), Row(DubStop.self), Row(DubPause.self), Row(DubResume.self), Row(DubSeek.self),
    Row(DubLanguage.self), Row(DubVolume.self), Row(DubEnable.self), Row(DubSources.self), Row(DubNow.self),
    Row(DubReceipt.self), Row(DubReceipts.self),
  ]

  private static let feed = [
    Row(FeedOpen.self), Row(FeedNext.self), Row(FeedPrevious.self), Row(FeedNow.self), Row(FeedPause.self),
    Row(FeedResume.self), Row(FeedSeek.self), Row(FeedStop.self), Row(FeedMute.self), Row(FeedRefresh.self),
    Row(FeedFavourite.self),
  ]

  private static let schedules = [
    Row(ScheduleList.self), Row(ScheduleAdd.self), Row(ScheduleRemove.self), Row(ScheduleEnable.self),
  ]

  private static let operators = [
    Row(OperatorsList.self), Row(OperatorsAdd.self), Row(OperatorsRemove.self), Row(OperatorsPassword.self),
    Row(AuditTail.self),
  ]

  private static let device = [
    Row(SettingsGet.self), Row(SettingsSet.self), Row(BudgetNow.self), Row(GovernorStatus.self), Row(LogTail.self),
    Row(EventsRecent.self),
    Row(LogCrash.self), Row(SessionStatusMethod.self), Row(SessionStrategyMethod.self), Row(SessionTalkBack.self),
    Row(SystemVersion.self), Row(SystemInfo.self), Row(ClockGet.self), Row(ClockSet.self), Row(SystemReboot.self),
    Row(SystemPowerOff.self),
    Row(UpdateStatus.self),
    Row(UpdateInstall.self), Row(UpdateCancel.self), Row(UpdateConfirm.self), Row(SystemDoctor.self),
    Row(SystemSelftest.self),
    Row(SystemBundle.self),
    Row(TrialShow.self), Row(TrialKey.self), Row(TrialTone.self), Row(TrialNote.self), Row(FaultInject.self),
  ]
}
