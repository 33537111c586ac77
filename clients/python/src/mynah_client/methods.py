"""The methods of the console, typed. Made by tools/generate_methods.py from the program's schema."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Literal, Mapping, Optional, Sequence, TypedDict, Union

Scalar = Union[str, float, bool]


def _given(**members: Any) -> Dict[str, Any]:
    # Python's words for names that are words of Python end in an underscore.
    return {name.rstrip("_"): value for name, value in members.items() if value is not None}


class _Noun:
    def __init__(self, call: Callable[..., Any]):
        self._call = call


Topic = Literal[
    "onModeChanged",
    "onTakeStarted",
    "onTakeSaved",
    "onMark",
    "onGap",
    "onDeviceLost",
    "onDeviceReturned",
    "onSourceChanged",
    "onStorageLow",
    "onLock",
    "onBudget",
    "onGovernorStep",
    "onSchedule",
    "onSettingChanged",
    "onSessionChanged",
    "onPrompt",
    "onBufferReady",
    "onCaptureStarted",
    "onCaptureExtended",
    "onCaptureCompleted",
    "onSnapshotSaved",
    "onLibraryProgress",
    "onStick",
    "onError",
    "onTelemetryUpdate",
    "onDubbingStatus",
    "onFeedChanged",
    "result",
]
"""What events are about."""

ErrorCode = Literal[
    "locked",
    "busy",
    "not-found",
    "storage-full",
    "denied",
    "bad-argument",
    "unsupported",
    "device-lost",
    "cancelled",
    "internal",
]
"""Why a call was refused."""


class PanelPress(TypedDict, total=False):
    ignored: str
    """Why the press did nothing."""


class PanelMode(TypedDict):
    mode: str
    """What the device is doing now."""


class PanelStateNotice(TypedDict):
    code: str
    """Stable, for programs."""
    severity: str
    """Info, warning or error."""
    text: str
    """For people."""


class _PanelState(TypedDict):
    leds: Dict[str, str]
    """Each LED and its pattern."""
    locked: bool
    """Whether the keys are locked."""
    mode: str
    """What the device is doing, such as dictaphone.recording."""
    notice: Optional[PanelStateNotice]
    """What the screen reports; null for nothing."""
    screen: str
    """The name of the screen."""
    takes: int
    """Takes in the library."""
    texts: List[str]
    """The texts on the screen, top to bottom."""


class PanelState(_PanelState, total=False):
    prompt: str
    """What was said last; absent while nothing has been."""


class PanelScreen(TypedDict):
    height: int
    """Dots."""
    png: str
    """The picture as a PNG, in base64."""
    width: int
    """Dots."""


class _RecorderStatus(TypedDict):
    activity: str
    """What the dictaphone is doing."""
    armed: bool
    """Whether sound before the next press is being kept."""
    channels: int
    """How many."""
    format: str
    """What the next take is written as."""
    frames: int
    """The same in frames."""
    gainDb: int
    """Input gain of the open or the next take; levels are after it."""
    gaps: int
    """Gaps of the take that is open, or else of the last one; silence stands for them."""
    preRecordedSeconds: float
    """What a press would have before it now."""
    queuedBytes: int
    """What waits for the storage."""
    sampleRate: int
    """Hz."""
    seconds: float
    """Its length so far."""
    waiting: bool
    """Whether the open take waits for a voice."""
    xruns: int
    """Times that the microphone's buffer ran over."""


class RecorderStatus(_RecorderStatus, total=False):
    id: str
    """The take that is open: its file name."""
    name: str
    """The name of it that people see."""
    secondsLeft: float
    """What the storage has room for; absent while it is not known."""
    source: str
    """The microphone that is heard, by its name in recording.source."""


class RecorderMetersChannels(TypedDict):
    averageDecibels: float
    """Average over 400 ms."""
    clips: int
    """Times that full scale was reached."""
    holdDecibels: float
    """Peak, held for 1.5 s."""
    peakDecibels: float
    """Highest sample since the last reading."""


class RecorderMeters(TypedDict):
    channels: List[RecorderMetersChannels]
    """Left first; in decibels below full scale, silence reads -120."""


class _RecorderSources(TypedDict):
    sources: List[str]
    """Their names; the board's own is board."""


class RecorderSources(_RecorderSources, total=False):
    heard: str
    """The one that is heard; absent while none is."""


class _PlayerStatus(TypedDict):
    codec: str
    """What it is encoded with."""
    lengthSeconds: float
    """How long that is in all."""
    pitchCents: int
    """Its pitch."""
    rate: float
    """Its speed."""
    sampleRate: int
    """Hz."""
    seconds: float
    """Where it is."""
    state: Literal["playing", "paused", "stopped"]
    """What it does."""
    xruns: int
    """Times that the speaker's buffer ran empty."""


class PlayerStatus(_PlayerStatus, total=False):
    id: str
    """What is loaded: its file name."""
    loopFrom: float
    """A: where what is repeated begins, in seconds."""
    loopTo: float
    """B: where it ends."""
    name: str
    """The name of it that people see."""


class LibraryListTakesParts(TypedDict):
    bytes: int
    """Size of the file."""
    frames: int
    """Length."""
    id: str
    """Its file name in recordings/."""


class _LibraryListTakes(TypedDict):
    bytes: int
    """Size of the file."""
    channels: int
    """How many."""
    createdAt: str
    """When REC was pressed, by the wall clock, in ISO 8601."""
    favourite: bool
    """Whether it is one."""
    format: str
    """What it is written as."""
    frames: int
    """The same in frames."""
    id: str
    """Its file name in recordings/."""
    marks: int
    """How many marks it has."""
    name: str
    """The name that people see."""
    pending: bool
    """A file that has not been looked at yet: only its name and size are known."""
    protected: bool
    """Whether it is locked against deletion."""
    safety: bool
    """Whether there is a safety take beside it, 12 dB lower."""
    sampleRate: int
    """Hz."""
    seconds: float
    """Length; 0 while it is being recorded."""
    stopReason: Optional[str]
    """Why it ended; null while it is being recorded."""
    tags: List[str]
    """Its tags."""
    unreadable: bool
    """A file from elsewhere of which nothing can be made; it is left as it is."""


class LibraryListTakes(_LibraryListTakes, total=False):
    parts: List[LibraryListTakesParts]
    """The files of a split take, in their order; what is told of it is of all of them."""
    safetyBytes: int
    """Size of that."""


class LibraryList(TypedDict):
    offset: int
    """How many were left out at the beginning."""
    pending: int
    """Takes that are still being looked at after a power cut."""
    takes: List[LibraryListTakes]
    """Those of this page."""
    total: int
    """Takes that fit in all."""


class _LibraryShowAudio(TypedDict):
    channels: int
    """How many."""
    duration: float
    """Seconds."""
    fileSizeBytes: int
    """Size of the file."""
    format: str
    """What it is written as."""
    sampleRate: int
    """Hz."""


class LibraryShowAudio(_LibraryShowAudio, total=False):
    bitrateKbps: int
    """Kbit/s."""


class _LibraryShowBookmarks(TypedDict):
    createdAt: str
    """In ISO 8601."""
    id: str
    """Stable."""
    time: float
    """Seconds from the start."""


class LibraryShowBookmarks(_LibraryShowBookmarks, total=False):
    frame: int
    """The same in frames."""
    note: str
    """For people."""
    title: str
    """For people."""


class LibraryShowGaps(TypedDict):
    frame: int
    """Where it begins."""
    frames: int
    """How long it is; silence stands there."""
    reason: str
    """Why: overrun, device-lost."""


class LibraryShowLoudness(TypedDict, total=False):
    integratedLUFS: float
    """LUFS."""
    truePeakDBTP: float
    """DB true peak."""


class LibraryShowReceiptAnchors(TypedDict):
    t: float
    """Monotonic clock."""
    wall: int
    """Wall clock at the same instant, nanoseconds since 1970."""


class LibraryShowReceiptCoderSteps(TypedDict):
    cheaper: int
    """With less work."""
    dearer: int
    """With more again."""


class LibraryShowReceiptGovernor(TypedDict):
    direction: str
    """Down or up."""
    limit: float
    """Its limit."""
    reason: str
    """The reading, or calm."""
    rung: str
    """What gave way or came back."""
    t: float
    """On the monotonic clock, in seconds."""
    value: float
    """What it was, in its unit."""


class LibraryShowReceiptSources(TypedDict):
    frame: int
    """Its first."""
    source: str
    """Its name."""


class LibraryShowReceiptXruns(TypedDict):
    device: int
    """The device's own."""
    ring: int
    """For want of time to read it."""


class _LibraryShowReceipt(TypedDict):
    anchors: List[LibraryShowReceiptAnchors]
    """Both clocks, at the beginning and at the end."""
    capturedFrames: int
    """Of these, what the microphone delivered."""
    durationSeconds: float
    """Length."""
    end: float
    """Of the last frame."""
    fileBytes: int
    """Size of the file."""
    frames: int
    """Exact length."""
    lastMediaAt: float
    """When the last sound came."""
    lostFrames: int
    """Of these, silence in the place of lost sound."""
    soundDriftPPM: float
    """The microphone's clock against the system's."""
    start: float
    """Of the first frame."""
    version: int
    """Of this form."""
    xruns: LibraryShowReceiptXruns
    """Losses by cause."""


class LibraryShowReceipt(_LibraryShowReceipt, total=False):
    coder: str
    """What AAC was coded with in the end: thorough, fast, narrow."""
    coderSteps: LibraryShowReceiptCoderSteps
    """Times that a busy processor had sound coded otherwise."""
    durableAt: float
    """When the whole file was safe."""
    firstDurableAt: float
    """When its first sound was safe."""
    governor: List[LibraryShowReceiptGovernor]
    """What gave way or came back meanwhile."""
    grantedSampleRate: int
    """Hz that the microphone's device ran at."""
    longestStepMilliseconds: Dict[str, float]
    """The longest step of each lane that records meanwhile, of processor time."""
    mediaToDurableSeconds: float
    """How long that took after the last sound."""
    part: int
    """Which part of a split take."""
    requestedSampleRate: int
    """Hz that were asked for; audio has what was given."""
    sources: List[LibraryShowReceiptSources]
    """Where other microphones begin."""
    triggeredAt: float
    """When REC was pressed."""


class _LibraryShow(TypedDict):
    audio: LibraryShowAudio
    """The sound."""
    bookmarks: List[LibraryShowBookmarks]
    """Its marks."""
    createdAt: str
    """When REC was pressed, by the wall clock, in ISO 8601."""
    custom: Dict[str, str]
    """Whatever others keep with it."""
    displayName: str
    """The name that people see."""
    favourite: bool
    """Whether it is one."""
    frames: int
    """Exact length."""
    gaps: List[LibraryShowGaps]
    """What is missing in it."""
    id: str
    """Its file name in recordings/."""
    inProgress: bool
    """Whether it is being recorded, or its file is still to be completed."""
    userTags: List[str]
    """Its tags."""


class LibraryShow(_LibraryShow, total=False):
    lastPlayedPosition: float
    """Where the player was, in seconds."""
    linkedTake: str
    """The take that this one continues."""
    loudness: LibraryShowLoudness
    """As EBU R 128 measures it."""
    newMarks: bool
    """The file itself does not have its last changes of marks yet."""
    operator: str
    """Who had logged in where it was started."""
    preRecordSeconds: float
    """What it has from before the press."""
    protected: bool
    """Whether it is locked against deletion."""
    receipt: LibraryShowReceipt
    """What was captured, and when it was safe."""
    safety: bool
    """There is a safety take beside it, 12 dB lower."""
    safetyBytes: int
    """Size of that file."""
    session: int
    """Its number."""
    source: str
    """Name of the microphone."""
    startedMonotonic: float
    """The monotonic clock at the first sample, in seconds."""
    stopReason: str
    """Why it ended."""


class LibraryRename(TypedDict):
    id: str
    """The take's file name."""
    name: str
    """Its new name."""


class LibraryDeleteFailed(TypedDict):
    code: str
    """As that of an error."""
    id: str
    """The take."""
    message: str
    """Why."""


class _LibraryDelete(TypedDict):
    cancelled: bool
    """Whether library.cancel has ended it before all were done."""
    done: int
    """To how many takes it was done."""
    failed: List[LibraryDeleteFailed]
    """Those to which it was not done, of many."""


class LibraryDelete(_LibraryDelete, total=False):
    id: str
    """The take, of one."""


class LibraryUndelete(TypedDict):
    id: str
    """Its file name, or that of the last."""
    ids: List[str]
    """All that are back."""


class LibraryProtect(TypedDict):
    id: str
    """Its file name."""
    protected: bool
    """Whether it is protected now."""


class LibraryTagFailed(TypedDict):
    code: str
    """As that of an error."""
    id: str
    """The take."""
    message: str
    """Why."""


class _LibraryTag(TypedDict):
    cancelled: bool
    """Whether library.cancel has ended it before all were done."""
    done: int
    """To how many takes it was done."""
    failed: List[LibraryTagFailed]
    """Those to which it was not done, of many."""


class LibraryTag(_LibraryTag, total=False):
    id: str
    """The take, of one."""
    tags: List[str]
    """Those that it has now, of one."""


class LibraryTagsTags(TypedDict):
    tag: str
    """The tag."""
    takes: int
    """How many takes have it."""


class LibraryTags(TypedDict):
    tags: List[LibraryTagsTags]
    """From A to Z."""


class LibraryFavouriteFailed(TypedDict):
    code: str
    """As that of an error."""
    id: str
    """The take."""
    message: str
    """Why."""


class _LibraryFavourite(TypedDict):
    cancelled: bool
    """Whether library.cancel has ended it before all were done."""
    done: int
    """To how many takes it was done."""
    failed: List[LibraryFavouriteFailed]
    """Those to which it was not done, of many."""


class LibraryFavourite(_LibraryFavourite, total=False):
    id: str
    """The take, of one."""


class LibraryCopy(TypedDict):
    id: str
    """The copy's file name."""
    name: str
    """The name that people see."""


class LibraryCancel(TypedDict):
    works: int
    """How much of that was under way."""


class LibraryVerifyProblems(TypedDict):
    id: str
    """The take or clip."""
    problem: str
    """What is wrong with it."""
    remedy: Optional[str]
    """What helps, or that it is done; null if nothing does."""


class LibraryVerify(TypedDict):
    checked: int
    """Takes and clips that were looked at."""
    problems: List[LibraryVerifyProblems]
    """What was found."""


class LibraryRepairProblems(TypedDict):
    id: str
    """The take or clip."""
    problem: str
    """What is wrong with it."""
    remedy: Optional[str]
    """What helps, or that it is done; null if nothing does."""


class LibraryRepair(TypedDict):
    checked: int
    """Takes and clips that were looked at."""
    problems: List[LibraryRepairProblems]
    """What was found."""


class LibraryExportFailed(TypedDict):
    code: str
    """As that of an error."""
    id: str
    """The take."""
    message: str
    """Why."""


class LibraryExport(TypedDict):
    cancelled: bool
    """Whether library.cancel, or a key, has ended it before all were done."""
    copied: int
    """Files that were copied."""
    done: int
    """Takes and clips that are whole on the stick."""
    failed: List[LibraryExportFailed]
    """Those that could not be read."""
    safe: bool
    """Whether the stick may be pulled out."""
    there: int
    """Files that were on it already."""


class ExportStatusFailed(TypedDict):
    code: str
    """As that of an error."""
    id: str
    """The take."""
    message: str
    """Why."""


class _ExportStatus(TypedDict):
    done: int
    """Takes and clips that are whole on the stick; once it is over."""
    doneBytes: int
    """Bytes that have been copied, or were there."""
    failed: List[ExportStatusFailed]
    """Those that could not be read."""
    phase: str
    """None, waiting (for the stick, or for what is being recorded), mounting, copying, releasing; then done,
    cancelled or failed."""
    safe: bool
    """Whether the stick may be pulled out."""
    totalBytes: int
    """Of so many."""


class ExportStatus(_ExportStatus, total=False):
    code: str
    """As that of an error, of what ended it."""
    message: str
    """What was wrong."""


class StickStatus(TypedDict):
    bytes: int
    """Its size; 0 while it is not known."""
    label: str
    """What the stick is called; may be empty."""
    reason: str
    """Why it cannot be used; empty if it can."""
    socket: bool
    """Whether the board has one."""
    state: str
    """Absent, plugged, mounted, safe (may be pulled out), or unusable."""


class _FilesListFiles(TypedDict):
    bytes: int
    """How long it is."""
    id: str
    """Its name, for `files.read`."""
    safety: bool
    """Whether it is a safety take."""


class FilesListFiles(_FilesListFiles, total=False):
    createdAt: str
    """When its take was begun, in UTC."""


class FilesList(TypedDict):
    files: List[FilesListFiles]
    """In their order."""


class _FilesRead(TypedDict):
    data: str
    """The piece, in base64; empty at the end of the file."""
    sha256: str
    """Of the piece, in hexadecimal digits."""
    total: int
    """Bytes in the file now; one that is being recorded grows."""


class FilesRead(_FilesRead, total=False):
    fileSha256: str
    """Of the whole file, with its last piece."""


class _FilesWrite(TypedDict):
    bytes: int
    """How many are there: the next piece begins here."""


class FilesWrite(_FilesWrite, total=False):
    id: str
    """Once all are there: the take's file name, or the update's path."""


class ProofKey(TypedDict):
    key: str
    """64 hexadecimal digits, for mynah verify --key."""
    signs: bool
    """Whether new takes and clips are signed."""
    words: str
    """Eight words that stand for it, to compare."""


class _ProofVerify(TypedDict):
    reason: str
    """Why."""
    verdict: str
    """Whole, cut off, changed, unsigned."""


class ProofVerify(_ProofVerify, total=False):
    key: str
    """Who signed it."""
    seconds: float
    """Up to which it is proven, where it is cut off or changed."""
    words: str
    """The same in words."""


class _MarksListMarks(TypedDict):
    mark: str
    """Its id, which stays."""
    number: int
    """Its place among the marks, from 1."""
    seconds: float
    """Where it is in the take."""


class MarksListMarks(_MarksListMarks, total=False):
    frame: int
    """The same in frames."""
    note: str
    """Its note."""
    title: str
    """Its title."""


class MarksList(TypedDict):
    id: str
    """The take's file name."""
    marks: List[MarksListMarks]
    """Its marks, the earliest first."""


class _MarksSetMarks(TypedDict):
    mark: str
    """Its id, which stays."""
    number: int
    """Its place among the marks, from 1."""
    seconds: float
    """Where it is in the take."""


class MarksSetMarks(_MarksSetMarks, total=False):
    frame: int
    """The same in frames."""
    note: str
    """Its note."""
    title: str
    """Its title."""


class MarksSet(TypedDict):
    id: str
    """The take's file name."""
    marks: List[MarksSetMarks]
    """Its marks, the earliest first."""


class _MarksMoveMarks(TypedDict):
    mark: str
    """Its id, which stays."""
    number: int
    """Its place among the marks, from 1."""
    seconds: float
    """Where it is in the take."""


class MarksMoveMarks(_MarksMoveMarks, total=False):
    frame: int
    """The same in frames."""
    note: str
    """Its note."""
    title: str
    """Its title."""


class MarksMove(TypedDict):
    id: str
    """The take's file name."""
    marks: List[MarksMoveMarks]
    """Its marks, the earliest first."""


class _MarksRemoveMarks(TypedDict):
    mark: str
    """Its id, which stays."""
    number: int
    """Its place among the marks, from 1."""
    seconds: float
    """Where it is in the take."""


class MarksRemoveMarks(_MarksRemoveMarks, total=False):
    frame: int
    """The same in frames."""
    note: str
    """Its note."""
    title: str
    """Its title."""


class MarksRemove(TypedDict):
    id: str
    """The take's file name."""
    marks: List[MarksRemoveMarks]
    """Its marks, the earliest first."""


class _ClipsTrigger(TypedDict):
    clip: int
    """Its number, as in onCaptureStarted."""


class ClipsTrigger(_ClipsTrigger, total=False):
    path: str
    """In the data directory, once it is durable: with wait."""


class ClipsSnapshot(TypedDict):
    path: str
    """In the data directory."""


class _ClipsStatusCamera(TypedDict):
    format: str
    """Size, rate and coding: what it granted, or else what will be asked for."""
    opening: bool
    """Whether it is being opened."""
    present: bool
    """Whether it delivers."""


class ClipsStatusCamera(_ClipsStatusCamera, total=False):
    codec: str
    """What its pictures are encoded with."""
    framesPerSecond: int
    """Pictures a second, as granted."""
    height: int
    """Dots."""
    name: str
    """Its name."""
    timestamps: str
    """Who stamps the pictures."""
    width: int
    """Dots."""


class ClipsStatusOpen(TypedDict):
    clip: int
    """Its number, as in onCaptureStarted."""
    endTime: Optional[float]
    """Its end on the monotonic clock, in seconds; null until it is ended."""
    saving: bool
    """Whether only the storage has to finish."""
    secondsToGo: Optional[float]
    """From now to that end; null until it is ended."""


class ClipsStatus(TypedDict):
    armed: bool
    """Whether the ring fills."""
    bufferBytes: int
    """Pictures in the ring."""
    bufferSeconds: float
    """What the ring holds."""
    camera: ClipsStatusCamera
    """The camera."""
    capacityBytes: int
    """Room for pictures."""
    continuous: bool
    """Whether everything is being kept."""
    dropped: int
    """Pictures lost since the start."""
    fps: float
    """Pictures that came in the last second."""
    largestWindowSeconds: int
    """What it could hold on this board."""
    last: Optional[str]
    """The newest clip; null if there is none."""
    mode: str
    """What the device is doing."""
    onDisk: bool
    """Whether the storage has a copy of the ring."""
    open: List[ClipsStatusOpen]
    """Clips that are not finished."""
    overheadBytes: int
    """What the ring needs beside them."""
    reserveBytes: int
    """Room for what waits for the storage."""
    secondsToGo: Optional[float]
    """Until the last of them ends; null until it is ended."""
    windowSeconds: float
    """What it is to hold."""


class ClipsListClips(TypedDict):
    bytes: int
    """Size of the file."""
    createdAt: Optional[str]
    """When it was made, by the wall clock, in ISO 8601; null if its name does not say."""
    frames: int
    """Length of its sound."""
    id: str
    """Its file name in clips/."""
    path: str
    """In the data directory."""
    protected: bool
    """Whether it is kept from being deleted."""
    sampleRate: int
    """Hz of its sound; 0 without sound."""
    seconds: float
    """Length; 0 if nobody can tell."""
    stopReason: Optional[str]
    """Why it ended; null if its receipt does not say."""
    trigger: Optional[str]
    """What started it; null for a clip made of others."""
    unreadable: bool
    """A file from elsewhere of which nothing can be made; it is left as it is."""


class ClipsList(TypedDict):
    clips: List[ClipsListClips]
    """Those of this page."""
    offset: int
    """How many were left out at the beginning."""
    total: int
    """Clips that fit in all."""


class ClipsReceiptAnchors(TypedDict):
    t: float
    """On the monotonic clock, in seconds."""
    wall: int
    """The wall clock then, in nanoseconds since 1970."""


class ClipsReceiptGaps(TypedDict):
    reason: str
    """Why."""
    seconds: float
    """How long."""
    start: float
    """Seconds from the clip's start."""
    track: str
    """Picture or sound."""


class ClipsReceiptGovernor(TypedDict):
    direction: str
    """Down or up."""
    limit: float
    """Its limit."""
    reason: str
    """The reading, or calm."""
    rung: str
    """What gave way or came back."""
    t: float
    """On the monotonic clock, in seconds."""
    value: float
    """What it was, in its unit."""


class ClipsReceiptPictures(TypedDict):
    captured: int
    """Pictures to be seen."""
    codec: str
    """H264 or mjpeg."""
    dropped: Dict[str, int]
    """Lost, by cause: byDevice, queue, keyframe, storage."""
    height: int
    """Dots."""
    keyframes: int
    """Those that need no other."""
    largestSmoothingSeconds: float
    """Most that a time stamp was moved to take out jitter."""
    late: int
    """Came more than half their duration away from their turn."""
    longestDeltaSeconds: float
    """Longest time from one to the next."""
    width: int
    """Dots."""


class ClipsReceiptSound(TypedDict):
    bitrateKbps: int
    """Kbit/s."""
    channels: int
    """How many."""
    frames: int
    """Exact length."""
    sampleRate: int
    """Hz."""


class ClipsReceiptTriggers(TypedDict):
    cause: str
    """Key, console, input, sound, motion, continuous, timeLapse."""
    number: int
    """Counts triggers."""
    outcome: str
    """Started or joined."""
    t: float
    """On the monotonic clock, in seconds."""


class ClipsReceipt(TypedDict, total=False):
    anchors: List[ClipsReceiptAnchors]
    """What the wall clock showed when."""
    clip: int
    """Its number in the run that made it."""
    continues: int
    """The number of the clip whose end is this one's start."""
    durableAt: float
    """When the file was whole and durable."""
    durationSeconds: float
    """Exact length."""
    end: float
    """Where it ends."""
    endErrorSeconds: float
    """How far that is from what was asked for."""
    fileBytes: int
    """Size of the file."""
    gaps: List[ClipsReceiptGaps]
    """What was asked for and is not in it."""
    governor: List[ClipsReceiptGovernor]
    """What gave way or came back meanwhile."""
    id: str
    """The clip's file name."""
    inProgress: bool
    """True until it is whole."""
    largestSkewSeconds: float
    """Most that a picture is away from its place on the sound."""
    lastMediaAt: float
    """When its last picture was in, on the monotonic clock."""
    longestStepMilliseconds: Dict[str, float]
    """The longest step of each lane that records meanwhile, of processor time."""
    mediaToDurableSeconds: float
    """From one to the other."""
    operator: str
    """Who was logged in."""
    path: str
    """In the data directory."""
    pictures: ClipsReceiptPictures
    """The picture track."""
    protected: bool
    """Whether it is kept from being deleted."""
    range: List[float]
    """From where to where of a clip it is, in seconds."""
    requestedEnd: float
    """On the monotonic clock, in seconds, as the next."""
    requestedStart: float
    """On the monotonic clock, in seconds, as the next two."""
    sound: ClipsReceiptSound
    """The sound track."""
    soundDriftPPM: float
    """How far the sound's clock is off."""
    sources: List[str]
    """The clips that it was made of."""
    start: float
    """Where it begins: with the picture that was to be seen then."""
    startErrorSeconds: float
    """How far that is from what was asked for."""
    stopReason: str
    """Why it ended."""
    timeLapseSeconds: float
    """From picture to picture of a time-lapse."""
    triggerToDurableSeconds: float
    """From the trigger to the durable file."""
    triggers: List[ClipsReceiptTriggers]
    """What started it, and what joined."""
    version: int
    """Of the receipt."""


class ClipsProtect(TypedDict):
    id: str
    """Its file name."""
    protected: bool
    """Whether it is protected now."""


class ClipsDelete(TypedDict):
    id: str
    """Its file name."""


class ClipsTrim(TypedDict):
    id: str
    """The new clip's file name."""
    path: str
    """In the data directory."""


class ClipsConcat(TypedDict):
    id: str
    """The new clip's file name."""
    path: str
    """In the data directory."""


class _ClipsTelemetryReadings(TypedDict):
    bufferBytes: int
    """The same in bytes."""
    bufferSeconds: float
    """What the ring holds."""
    dropped: int
    """Pictures lost since the start."""
    fps: float
    """Pictures in the last second."""
    soundDriftPPM: float
    """How far the sound's clock is off."""
    t: float
    """When, on the monotonic clock, in seconds."""


class ClipsTelemetryReadings(_ClipsTelemetryReadings, total=False):
    cpuPercent: float
    """Percent of a core."""
    freeBytes: int
    """Room on the storage."""
    rssKB: int
    """Memory in KiB."""
    temperature: float
    """Degrees Celsius."""


class ClipsTelemetry(TypedDict):
    readings: List[ClipsTelemetryReadings]
    """As onTelemetryUpdate has them."""


class DubStart(TypedDict):
    language: str
    """The language of the dub."""
    source: str
    """What plays."""


class DubSeek(TypedDict):
    seconds: float
    """By how much."""


class DubLanguage(TypedDict):
    language: str
    """The one that is set."""
    languages: List[str]
    """Those that can be heard of what plays."""


class DubVolume(TypedDict):
    dub: int
    """DB."""
    mode: str
    """How they are put together, as the setting dub.mix says."""
    original: int
    """DB beside a dub."""


class DubEnable(TypedDict):
    on: bool
    """True: the dub; false: the original."""


class DubSourcesSources(TypedDict):
    id: str
    """Address or file name, without a user's name and password."""
    kind: str
    """What it is."""
    name: str
    """For people."""


class DubSources(TypedDict):
    selected: int
    """Place of the highlighted one, from 0."""
    sources: List[DubSourcesSources]
    """In the order of the screen."""


class DubStatusLate(TypedDict):
    original: int
    """By this rung."""
    rendition: int
    """By this rung."""
    service: int
    """By this rung."""
    sidecar: int
    """By this rung."""
    synthesised: int
    """By this rung."""


class DubStatusPlayed(TypedDict):
    original: int
    """By this rung."""
    rendition: int
    """By this rung."""
    service: int
    """By this rung."""
    sidecar: int
    """By this rung."""
    synthesised: int
    """By this rung."""


class DubStatusServiceFaults(TypedDict):
    late: int
    """Answers that did not come in time."""
    lost: int
    """Times that it was lost, or was not there at first."""
    malformed: int
    """Messages that do not keep to the protocol, or cannot be decoded."""
    refused: int
    """Utterances that it would not dub."""


class _DubStatus(TypedDict):
    bandwidth: int
    """Bits per second, as measured."""
    behindLiveSeconds: Optional[float]
    """Behind the live edge; null if not live."""
    bufferSeconds: float
    """What is ready to be heard."""
    caption: str
    """The subtitle of now."""
    driftMs: float
    """Dub against original."""
    dubbing: bool
    """Whether the dub is wanted."""
    fallbacks: int
    """Times that a lower rung had to do."""
    language: str
    """Its language."""
    late: DubStatusLate
    """Those for which a rung was wanted and not ready."""
    lengthSeconds: Optional[float]
    """How long it is; null if that is not known."""
    link: str
    """Up or lost."""
    live: bool
    """Whether it is a live stream."""
    longestGapMs: float
    """Longest silence of the speaker's making."""
    lostSeconds: float
    """Sound of the stream that did not come, or was damaged."""
    lowPower: bool
    """Whether power is being saved."""
    onTime: int
    """Those whose best wanted dub was ready in time."""
    onTimePercent: Optional[float]
    """The same in percent; null before the first."""
    picturesDamaged: int
    """Could not be decoded."""
    picturesDropped: int
    """Left out to keep up, or for want of memory."""
    picturesLate: int
    """Seen too late."""
    picturesShown: int
    """Pictures that were seen."""
    played: DubStatusPlayed
    """Utterances that each rung played."""
    positionSeconds: float
    """Where it is."""
    reason: str
    """Why it is so; empty if there is nothing to explain."""
    run: int
    """Counts what was started."""
    rung: str
    """Where what is heard comes from: service, rendition, sidecar, synthesised, original."""
    screen: Optional[str]
    """The screen for pictures; null if there is none."""
    segmentLimit: int
    """How many may be."""
    segments: int
    """Segments that are held."""
    service: Optional[bool]
    """Whether the dubbing service is there; null without one."""
    serviceFaults: DubStatusServiceFaults
    """What went wrong with it."""
    speakerPPM: float
    """How far the speaker's clock is off."""
    startMs: Optional[int]
    """From the order to the first sound; null before it."""
    state: str
    """Idle, buffering, playing or paused."""
    title: str
    """What a station says that it plays."""
    utterances: int
    """Utterances so far."""
    variantBandwidth: int
    """Bits per second that what plays needs."""


class DubStatus(_DubStatus, total=False):
    kind: str
    """What it is."""
    name: str
    """Its name."""
    source: str
    """What plays."""


class DubReceiptFault(TypedDict):
    code: str
    """Stable."""
    text: str
    """For people."""


class DubReceiptLate(TypedDict):
    original: int
    """By this rung."""
    rendition: int
    """By this rung."""
    service: int
    """By this rung."""
    sidecar: int
    """By this rung."""
    synthesised: int
    """By this rung."""


class DubReceiptPlayed(TypedDict):
    original: int
    """By this rung."""
    rendition: int
    """By this rung."""
    service: int
    """By this rung."""
    sidecar: int
    """By this rung."""
    synthesised: int
    """By this rung."""


class DubReceiptServiceFaults(TypedDict):
    late: int
    """Answers that did not come in time."""
    lost: int
    """Times that it was lost, or was not there at first."""
    malformed: int
    """Messages that do not keep to the protocol, or cannot be decoded."""
    refused: int
    """Utterances that it would not dub."""


class DubReceipt(TypedDict, total=False):
    bandwidth: int
    """Bits per second, as measured."""
    begunAt: str
    """By the wall clock, in ISO 8601."""
    behindLiveSeconds: Optional[float]
    """Behind the live edge; null if not live."""
    bufferSeconds: float
    """What is ready to be heard."""
    caption: str
    """The subtitle of now."""
    driftMs: float
    """Dub against original."""
    durationSeconds: float
    """From the order to the end."""
    fallbacks: int
    """Times that a lower rung had to do."""
    fault: DubReceiptFault
    """Why it could not go on."""
    id: str
    """Its file name."""
    kind: str
    """What it was."""
    language: str
    """Of the dub, at the start."""
    late: DubReceiptLate
    """Those for which a rung was wanted and not ready."""
    lengthSeconds: Optional[float]
    """How long it is; null if that is not known."""
    live: bool
    """Whether it is a live stream."""
    longestGapMs: float
    """Longest silence of the speaker's making."""
    lostSeconds: float
    """Sound of the stream that did not come, or was damaged."""
    lowPower: bool
    """Whether power is being saved."""
    name: str
    """Its name."""
    onTime: int
    """Those whose best wanted dub was ready in time."""
    onTimePercent: Optional[float]
    """The same in percent; null before the first."""
    path: str
    """In the data directory."""
    picturesDamaged: int
    """Could not be decoded."""
    picturesDropped: int
    """Left out to keep up, or for want of memory."""
    picturesLate: int
    """Seen too late."""
    picturesShown: int
    """Pictures that were seen."""
    played: DubReceiptPlayed
    """Utterances that each rung played."""
    positionSeconds: float
    """Where it is."""
    reason: str
    """Why what was heard at the end was not the best that was wanted."""
    run: int
    """Counts what was started."""
    screen: Optional[str]
    """The screen for pictures; null if there is none."""
    segmentLimit: int
    """How many may be."""
    segments: int
    """Segments that are held."""
    service: Optional[bool]
    """Whether the dubbing service is there; null without one."""
    serviceFaults: DubReceiptServiceFaults
    """What went wrong with it."""
    source: str
    """What was played, without a user's name and password."""
    speakerPPM: float
    """How far the speaker's clock is off."""
    start: float
    """On the monotonic clock, in seconds."""
    startMs: Optional[int]
    """From the order to the first sound; null before it."""
    stopReason: str
    """User, ended or error."""
    title: str
    """What a station says that it plays."""
    utterances: int
    """Utterances so far."""
    variantBandwidth: int
    """Bits per second that what plays needs."""
    version: int
    """Of the receipt."""


class DubReceipts(TypedDict):
    receipts: List[str]
    """Their file names in dubs/."""


class _FeedOpen(TypedDict):
    buffered: Optional[float]
    """Seconds that are ready to be heard."""
    cachedBytes: int
    """Bytes that are kept for when there is no network."""
    favourite: bool
    """Whether somebody likes it."""
    index: Optional[int]
    """Place of the item from 0; null where it is not known."""
    lengthSeconds: Optional[float]
    """How long it is; null if that is not known."""
    longestGapMs: Optional[float]
    """Longest silence of the speaker's making."""
    muted: bool
    """Whether it plays without being heard."""
    offline: bool
    """Whether these are the items that were kept."""
    positionSeconds: Optional[float]
    """Where the item is; null if none plays."""
    rung: str
    """Where what is heard comes from: service, rendition, sidecar, synthesised, original."""
    source: str
    """Address of the feed; empty: clips and takes."""
    startMs: Optional[int]
    """From the press to the first sound; null before it."""
    state: str
    """Idle, loading, empty, buffering, playing, paused or failed."""


class FeedOpen(_FeedOpen, total=False):
    code: str
    """Why it cannot be had."""
    item: str
    """What the feed knows the item by."""
    kind: str
    """What it is."""
    reason: str
    """The same in a sentence."""
    title: str
    """Its title."""


class _FeedNext(TypedDict):
    buffered: Optional[float]
    """Seconds that are ready to be heard."""
    cachedBytes: int
    """Bytes that are kept for when there is no network."""
    favourite: bool
    """Whether somebody likes it."""
    index: Optional[int]
    """Place of the item from 0; null where it is not known."""
    lengthSeconds: Optional[float]
    """How long it is; null if that is not known."""
    longestGapMs: Optional[float]
    """Longest silence of the speaker's making."""
    muted: bool
    """Whether it plays without being heard."""
    offline: bool
    """Whether these are the items that were kept."""
    positionSeconds: Optional[float]
    """Where the item is; null if none plays."""
    rung: str
    """Where what is heard comes from: service, rendition, sidecar, synthesised, original."""
    source: str
    """Address of the feed; empty: clips and takes."""
    startMs: Optional[int]
    """From the press to the first sound; null before it."""
    state: str
    """Idle, loading, empty, buffering, playing, paused or failed."""


class FeedNext(_FeedNext, total=False):
    code: str
    """Why it cannot be had."""
    item: str
    """What the feed knows the item by."""
    kind: str
    """What it is."""
    reason: str
    """The same in a sentence."""
    title: str
    """Its title."""


class _FeedPrevious(TypedDict):
    buffered: Optional[float]
    """Seconds that are ready to be heard."""
    cachedBytes: int
    """Bytes that are kept for when there is no network."""
    favourite: bool
    """Whether somebody likes it."""
    index: Optional[int]
    """Place of the item from 0; null where it is not known."""
    lengthSeconds: Optional[float]
    """How long it is; null if that is not known."""
    longestGapMs: Optional[float]
    """Longest silence of the speaker's making."""
    muted: bool
    """Whether it plays without being heard."""
    offline: bool
    """Whether these are the items that were kept."""
    positionSeconds: Optional[float]
    """Where the item is; null if none plays."""
    rung: str
    """Where what is heard comes from: service, rendition, sidecar, synthesised, original."""
    source: str
    """Address of the feed; empty: clips and takes."""
    startMs: Optional[int]
    """From the press to the first sound; null before it."""
    state: str
    """Idle, loading, empty, buffering, playing, paused or failed."""


class FeedPrevious(_FeedPrevious, total=False):
    code: str
    """Why it cannot be had."""
    item: str
    """What the feed knows the item by."""
    kind: str
    """What it is."""
    reason: str
    """The same in a sentence."""
    title: str
    """Its title."""


class _FeedStatus(TypedDict):
    buffered: Optional[float]
    """Seconds that are ready to be heard."""
    cachedBytes: int
    """Bytes that are kept for when there is no network."""
    favourite: bool
    """Whether somebody likes it."""
    index: Optional[int]
    """Place of the item from 0; null where it is not known."""
    lengthSeconds: Optional[float]
    """How long it is; null if that is not known."""
    longestGapMs: Optional[float]
    """Longest silence of the speaker's making."""
    muted: bool
    """Whether it plays without being heard."""
    offline: bool
    """Whether these are the items that were kept."""
    positionSeconds: Optional[float]
    """Where the item is; null if none plays."""
    rung: str
    """Where what is heard comes from: service, rendition, sidecar, synthesised, original."""
    source: str
    """Address of the feed; empty: clips and takes."""
    startMs: Optional[int]
    """From the press to the first sound; null before it."""
    state: str
    """Idle, loading, empty, buffering, playing, paused or failed."""


class FeedStatus(_FeedStatus, total=False):
    code: str
    """Why it cannot be had."""
    item: str
    """What the feed knows the item by."""
    kind: str
    """What it is."""
    reason: str
    """The same in a sentence."""
    title: str
    """Its title."""


class _FeedPause(TypedDict):
    buffered: Optional[float]
    """Seconds that are ready to be heard."""
    cachedBytes: int
    """Bytes that are kept for when there is no network."""
    favourite: bool
    """Whether somebody likes it."""
    index: Optional[int]
    """Place of the item from 0; null where it is not known."""
    lengthSeconds: Optional[float]
    """How long it is; null if that is not known."""
    longestGapMs: Optional[float]
    """Longest silence of the speaker's making."""
    muted: bool
    """Whether it plays without being heard."""
    offline: bool
    """Whether these are the items that were kept."""
    positionSeconds: Optional[float]
    """Where the item is; null if none plays."""
    rung: str
    """Where what is heard comes from: service, rendition, sidecar, synthesised, original."""
    source: str
    """Address of the feed; empty: clips and takes."""
    startMs: Optional[int]
    """From the press to the first sound; null before it."""
    state: str
    """Idle, loading, empty, buffering, playing, paused or failed."""


class FeedPause(_FeedPause, total=False):
    code: str
    """Why it cannot be had."""
    item: str
    """What the feed knows the item by."""
    kind: str
    """What it is."""
    reason: str
    """The same in a sentence."""
    title: str
    """Its title."""


class _FeedResume(TypedDict):
    buffered: Optional[float]
    """Seconds that are ready to be heard."""
    cachedBytes: int
    """Bytes that are kept for when there is no network."""
    favourite: bool
    """Whether somebody likes it."""
    index: Optional[int]
    """Place of the item from 0; null where it is not known."""
    lengthSeconds: Optional[float]
    """How long it is; null if that is not known."""
    longestGapMs: Optional[float]
    """Longest silence of the speaker's making."""
    muted: bool
    """Whether it plays without being heard."""
    offline: bool
    """Whether these are the items that were kept."""
    positionSeconds: Optional[float]
    """Where the item is; null if none plays."""
    rung: str
    """Where what is heard comes from: service, rendition, sidecar, synthesised, original."""
    source: str
    """Address of the feed; empty: clips and takes."""
    startMs: Optional[int]
    """From the press to the first sound; null before it."""
    state: str
    """Idle, loading, empty, buffering, playing, paused or failed."""


class FeedResume(_FeedResume, total=False):
    code: str
    """Why it cannot be had."""
    item: str
    """What the feed knows the item by."""
    kind: str
    """What it is."""
    reason: str
    """The same in a sentence."""
    title: str
    """Its title."""


class _FeedSeek(TypedDict):
    buffered: Optional[float]
    """Seconds that are ready to be heard."""
    cachedBytes: int
    """Bytes that are kept for when there is no network."""
    favourite: bool
    """Whether somebody likes it."""
    index: Optional[int]
    """Place of the item from 0; null where it is not known."""
    lengthSeconds: Optional[float]
    """How long it is; null if that is not known."""
    longestGapMs: Optional[float]
    """Longest silence of the speaker's making."""
    muted: bool
    """Whether it plays without being heard."""
    offline: bool
    """Whether these are the items that were kept."""
    positionSeconds: Optional[float]
    """Where the item is; null if none plays."""
    rung: str
    """Where what is heard comes from: service, rendition, sidecar, synthesised, original."""
    source: str
    """Address of the feed; empty: clips and takes."""
    startMs: Optional[int]
    """From the press to the first sound; null before it."""
    state: str
    """Idle, loading, empty, buffering, playing, paused or failed."""


class FeedSeek(_FeedSeek, total=False):
    code: str
    """Why it cannot be had."""
    item: str
    """What the feed knows the item by."""
    kind: str
    """What it is."""
    reason: str
    """The same in a sentence."""
    title: str
    """Its title."""


class _FeedStop(TypedDict):
    buffered: Optional[float]
    """Seconds that are ready to be heard."""
    cachedBytes: int
    """Bytes that are kept for when there is no network."""
    favourite: bool
    """Whether somebody likes it."""
    index: Optional[int]
    """Place of the item from 0; null where it is not known."""
    lengthSeconds: Optional[float]
    """How long it is; null if that is not known."""
    longestGapMs: Optional[float]
    """Longest silence of the speaker's making."""
    muted: bool
    """Whether it plays without being heard."""
    offline: bool
    """Whether these are the items that were kept."""
    positionSeconds: Optional[float]
    """Where the item is; null if none plays."""
    rung: str
    """Where what is heard comes from: service, rendition, sidecar, synthesised, original."""
    source: str
    """Address of the feed; empty: clips and takes."""
    startMs: Optional[int]
    """From the press to the first sound; null before it."""
    state: str
    """Idle, loading, empty, buffering, playing, paused or failed."""


class FeedStop(_FeedStop, total=False):
    code: str
    """Why it cannot be had."""
    item: str
    """What the feed knows the item by."""
    kind: str
    """What it is."""
    reason: str
    """The same in a sentence."""
    title: str
    """Its title."""


class _FeedMute(TypedDict):
    buffered: Optional[float]
    """Seconds that are ready to be heard."""
    cachedBytes: int
    """Bytes that are kept for when there is no network."""
    favourite: bool
    """Whether somebody likes it."""
    index: Optional[int]
    """Place of the item from 0; null where it is not known."""
    lengthSeconds: Optional[float]
    """How long it is; null if that is not known."""
    longestGapMs: Optional[float]
    """Longest silence of the speaker's making."""
    muted: bool
    """Whether it plays without being heard."""
    offline: bool
    """Whether these are the items that were kept."""
    positionSeconds: Optional[float]
    """Where the item is; null if none plays."""
    rung: str
    """Where what is heard comes from: service, rendition, sidecar, synthesised, original."""
    source: str
    """Address of the feed; empty: clips and takes."""
    startMs: Optional[int]
    """From the press to the first sound; null before it."""
    state: str
    """Idle, loading, empty, buffering, playing, paused or failed."""


class FeedMute(_FeedMute, total=False):
    code: str
    """Why it cannot be had."""
    item: str
    """What the feed knows the item by."""
    kind: str
    """What it is."""
    reason: str
    """The same in a sentence."""
    title: str
    """Its title."""


class _FeedRefresh(TypedDict):
    buffered: Optional[float]
    """Seconds that are ready to be heard."""
    cachedBytes: int
    """Bytes that are kept for when there is no network."""
    favourite: bool
    """Whether somebody likes it."""
    index: Optional[int]
    """Place of the item from 0; null where it is not known."""
    lengthSeconds: Optional[float]
    """How long it is; null if that is not known."""
    longestGapMs: Optional[float]
    """Longest silence of the speaker's making."""
    muted: bool
    """Whether it plays without being heard."""
    offline: bool
    """Whether these are the items that were kept."""
    positionSeconds: Optional[float]
    """Where the item is; null if none plays."""
    rung: str
    """Where what is heard comes from: service, rendition, sidecar, synthesised, original."""
    source: str
    """Address of the feed; empty: clips and takes."""
    startMs: Optional[int]
    """From the press to the first sound; null before it."""
    state: str
    """Idle, loading, empty, buffering, playing, paused or failed."""


class FeedRefresh(_FeedRefresh, total=False):
    code: str
    """Why it cannot be had."""
    item: str
    """What the feed knows the item by."""
    kind: str
    """What it is."""
    reason: str
    """The same in a sentence."""
    title: str
    """Its title."""


class _FeedFavourite(TypedDict):
    buffered: Optional[float]
    """Seconds that are ready to be heard."""
    cachedBytes: int
    """Bytes that are kept for when there is no network."""
    favourite: bool
    """Whether somebody likes it."""
    index: Optional[int]
    """Place of the item from 0; null where it is not known."""
    lengthSeconds: Optional[float]
    """How long it is; null if that is not known."""
    longestGapMs: Optional[float]
    """Longest silence of the speaker's making."""
    muted: bool
    """Whether it plays without being heard."""
    offline: bool
    """Whether these are the items that were kept."""
    positionSeconds: Optional[float]
    """Where the item is; null if none plays."""
    rung: str
    """Where what is heard comes from: service, rendition, sidecar, synthesised, original."""
    source: str
    """Address of the feed; empty: clips and takes."""
    startMs: Optional[int]
    """From the press to the first sound; null before it."""
    state: str
    """Idle, loading, empty, buffering, playing, paused or failed."""


class FeedFavourite(_FeedFavourite, total=False):
    code: str
    """Why it cannot be had."""
    item: str
    """What the feed knows the item by."""
    kind: str
    """What it is."""
    reason: str
    """The same in a sentence."""
    title: str
    """Its title."""


class _ScheduleListSchedules(TypedDict):
    number: int
    """Its own among the schedules."""
    on: bool
    """Whether it counts."""
    when: str
    """Days, from, to, and every so many minutes for so many."""


class ScheduleListSchedules(_ScheduleListSchedules, total=False):
    next: str
    """When it records next, in UTC; absent where that is not known, or never."""


class _ScheduleList(TypedDict):
    place: str
    """Where, `clock.place`."""
    schedules: List[ScheduleListSchedules]
    """In the order of their numbers."""
    zone: str
    """By whose clocks, `clock.zone`."""


class ScheduleList(_ScheduleList, total=False):
    next: str
    """When the device records next by itself, in UTC."""
    running: int
    """The number of the one that records now."""


class BudgetReportLines(TypedDict):
    allocatedKB: int
    """What it has allocated, in KiB."""
    declaredCPUPercent: int
    """What the board grants it, in percent of a core."""
    declaredKB: int
    """What the board grants it, in KiB."""
    isWithin: bool
    """Whether nothing is above what is declared."""
    measuredCPUPercent: Optional[float]
    """What was measured; null if it has no thread of its own."""
    measuredKB: Optional[int]
    """What was measured, in KiB; null if it cannot be."""
    peakKB: int
    """The most that it has allocated so far, in KiB; of the program, that was resident."""
    subsystem: str
    """The part of the firmware."""


class BudgetReportSteps(TypedDict):
    declaredMilliseconds: Optional[int]
    """What the board grants; null for lanes that it does not bind."""
    isWithin: bool
    """Whether it is no longer than that."""
    lane: str
    """As in system.info."""
    longestMilliseconds: Optional[float]
    """Of processor time; null in virtual time, where steps take none."""


class BudgetReport(TypedDict):
    allocatedKB: int
    """What all parts have allocated, in KiB."""
    anonymousKB: Optional[int]
    """Of these, the process's own."""
    board: str
    """Name of the board file."""
    declaredCPUPercent: int
    """What the board grants, in percent of a core."""
    declaredKB: int
    """What the board grants the process, in KiB."""
    declaredStepMilliseconds: int
    """What the board grants a step, of processor time."""
    fileKB: Optional[int]
    """Of these, pages of files: code above all."""
    isWithin: bool
    """Whether no memory or processor time is above what is declared."""
    lines: List[BudgetReportLines]
    """A line a subsystem."""
    measuredCPUPercent: Optional[float]
    """What was measured since the last report; null before it."""
    peakRSSKB: Optional[int]
    """The most so far, in KiB; null if nothing runs."""
    rssKB: Optional[int]
    """Resident memory in KiB; null if nothing runs."""
    steps: List[BudgetReportSteps]
    """The longest step so far of each lane; none if nothing runs."""


class GovernorStatusLastStep(TypedDict):
    direction: str
    """Down or up."""
    limit: float
    """Its limit."""
    reason: str
    """The reading that was beyond its limit; calm on the way up."""
    rung: str
    """What gave way or came back."""
    value: float
    """What it was, in its unit; the seconds of calm on the way up."""


class GovernorStatusReadings(TypedDict):
    isStrained: bool
    """Whether it is beyond its limit."""
    limit: float
    """Beyond which it is strain."""
    reading: str
    """What was looked at."""
    value: float
    """In its unit."""


class _GovernorStatus(TypedDict):
    calmSeconds: float
    """Of calm before the next comes back."""
    climbs: int
    """How often one came back."""
    falls: int
    """How often one gave way."""
    readings: List[GovernorStatusReadings]
    """What was seen last, each with its limit."""
    rung: Optional[str]
    """The last that gave way; null: none."""
    rungs: List[str]
    """What can give way on this board, in order."""
    spared: List[str]
    """All that gave way, in order."""


class GovernorStatus(_GovernorStatus, total=False):
    costPercent: float
    """Of its own looks, in percent of a core; absent in virtual time."""
    lastStep: GovernorStatusLastStep
    """The latest step; absent before the first."""


class _LogTailLines(TypedDict):
    level: Literal["debug", "info", "warning", "error"]
    """How much it matters."""
    subsystem: str
    """The room that speaks: recorder, library, console."""
    t: float
    """When, on the monotonic clock, in seconds."""
    text: str
    """One sentence."""


class LogTailLines(_LogTailLines, total=False):
    time: str
    """When, by the wall clock."""


class LogTail(TypedDict):
    lines: List[LogTailLines]
    """Oldest first."""
    lost: int
    """Lines that have made way for later ones."""


class _LogCrash(TypedDict):
    lines: List[str]
    """What it says."""
    reports: List[int]
    """The numbers of those there are."""


class LogCrash(_LogCrash, total=False):
    path: str
    """Where this one is, in the data directory."""


class EventsRecentEvents(TypedDict):
    data: Any
    """What is to be said of it."""
    seq: int
    """Its number among all events of this run."""
    t: float
    """When it happened, in seconds of the device's clock."""
    topic: str
    """What it is about."""


class EventsRecent(TypedDict):
    events: List[EventsRecentEvents]
    """Oldest first."""


class EventsSubscribe(TypedDict):
    seq: int
    """The number that the next event will have."""
    topics: List[str]
    """Those that will be sent."""


class SessionStatusClients(TypedDict):
    channels: int
    """How many."""
    direction: str
    """Record or play."""
    format: str
    """Of its samples."""
    lost: int
    """Frames that it did not take in time, or did not deliver in time."""
    sampleRate: int
    """Hz."""


class SessionStatusDeliveredCapture(TypedDict):
    channels: int
    """How many."""
    format: str
    """Of the samples, as ALSA names it; significant bits of what is not the hardware's."""
    sampleRate: int
    """Hz."""


class SessionStatusDeliveredPlayback(TypedDict):
    channels: int
    """How many."""
    format: str
    """Of the samples, as ALSA names it; significant bits of what is not the hardware's."""
    sampleRate: int
    """Hz."""


class SessionStatusDelivered(TypedDict, total=False):
    capture: SessionStatusDeliveredCapture
    """Of the microphone."""
    playback: SessionStatusDeliveredPlayback
    """Of the speaker."""


class SessionStatusGrantedCapture(TypedDict):
    channels: int
    """How many."""
    format: str
    """Of the samples, as ALSA names it; significant bits of what is not the hardware's."""
    sampleRate: int
    """Hz."""


class SessionStatusGrantedPlayback(TypedDict):
    channels: int
    """How many."""
    format: str
    """Of the samples, as ALSA names it; significant bits of what is not the hardware's."""
    sampleRate: int
    """Hz."""


class SessionStatusGranted(TypedDict, total=False):
    capture: SessionStatusGrantedCapture
    """Of the microphone."""
    playback: SessionStatusGrantedPlayback
    """Of the speaker."""


class SessionStatusRequestedCapture(TypedDict):
    channels: int
    """How many."""
    format: str
    """Of the samples, as ALSA names it; significant bits of what is not the hardware's."""
    sampleRate: int
    """Hz."""


class SessionStatusRequestedPlayback(TypedDict):
    channels: int
    """How many."""
    format: str
    """Of the samples, as ALSA names it; significant bits of what is not the hardware's."""
    sampleRate: int
    """Hz."""


class SessionStatusRequested(TypedDict, total=False):
    capture: SessionStatusRequestedCapture
    """Of the microphone."""
    playback: SessionStatusRequestedPlayback
    """Of the speaker."""


class _SessionStatus(TypedDict):
    converted: bool
    """Whether there is a filter between them."""
    delivered: SessionStatusDelivered
    """What reaches the recorder, and what the player writes."""
    granted: SessionStatusGranted
    """What the hardware runs at."""
    requested: SessionStatusRequested
    """What recorder and player have asked for."""
    strategy: str
    """How the rate is settled."""


class SessionStatus(_SessionStatus, total=False):
    captureProblem: str
    """Why the microphone does not run as the strategy has it."""
    clients: List[SessionStatusClients]
    """Who hears or plays over the sound's socket."""
    forcedRate: int
    """Hz, of forced-rate."""
    playbackProblem: str
    """Why the speaker does not."""


class SessionStrategyStrategies(TypedDict):
    description: str
    """What it does."""
    name: str
    """What session.strategy calls it."""


class SessionStrategy(TypedDict):
    strategies: List[SessionStrategyStrategies]
    """All there are."""
    strategy: str
    """The one that is set; board: as the board file says."""


class SessionHelp(TypedDict):
    lines: List[str]
    """The text, of at most 80 columns."""


class SystemVersion(TypedDict):
    board: str
    """Name of the board file."""
    version: str
    """Of the firmware."""


class SystemInfoDevicesDisplaySoundToPictureMilliseconds(TypedDict):
    last: float
    """Of the latest picture."""
    longest: float
    """The longest."""
    mean: float
    """Of all pictures."""
    pictures: int
    """How many there were."""


class _SystemInfoDevicesDisplay(TypedDict):
    present: bool
    """Whether it is there."""


class SystemInfoDevicesDisplay(_SystemInfoDevicesDisplay, total=False):
    soundToPictureMilliseconds: SystemInfoDevicesDisplaySoundToPictureMilliseconds
    """From sound at the microphone to the picture that shows it; absent before the first."""


class _SystemInfoDevicesMicrophone(TypedDict):
    present: bool
    """Whether it is there."""


class SystemInfoDevicesMicrophone(_SystemInfoDevicesMicrophone, total=False):
    channels: int
    """How many, as granted."""
    periodFrames: int
    """Frames that come at a time."""
    sampleRate: int
    """Hz, as granted."""
    sampleType: str
    """As ALSA names it."""
    timestamps: str
    """Who stamps them."""


class SystemInfoDevicesSpeaker(TypedDict):
    present: bool
    """Whether it is there."""


class SystemInfoDevices(TypedDict):
    display: SystemInfoDevicesDisplay
    """The OLED."""
    microphone: SystemInfoDevicesMicrophone
    """The source of takes."""
    speaker: SystemInfoDevicesSpeaker
    """The speaker."""


class SystemInfoLanes(TypedDict):
    longestStepCPUMilliseconds: Optional[float]
    """Of the processor's time; null in virtual time."""
    longestStepMilliseconds: Optional[float]
    """By the clock; null in virtual time, where steps take none."""
    name: str
    """Of the lane; its thread's begins with mynah-."""
    steps: int
    """Pieces of work done."""
    wakeups: int
    """Times that it went from sleep to work."""


class SystemInfoMachineBattery(TypedDict):
    discharging: bool
    """Whether the device runs from it."""
    percent: int
    """How full it is."""


class SystemInfoMachine(TypedDict, total=False):
    battery: SystemInfoMachineBattery
    """Absent without one."""
    cardWearPercent: int
    """Of the card's life that is used, where it tells."""
    model: str
    """What the board calls itself."""
    serial: str
    """Its serial number."""
    temperatureCelsius: float
    """Of the processor."""
    throttle: List[str]
    """What holds the processor back now or did: undervoltage, capped, throttled, hot; -before behind it: no longer;
    absent where nothing tells."""


class SystemInfoStorage(TypedDict):
    freeBytes: Optional[int]
    """Room for recordings; null while it is not known."""
    takes: int
    """Takes in the library."""
    totalBytes: Optional[int]
    """Size; null while it is not known."""


class _SystemInfoVoice(TypedDict):
    heldBack: int
    """Prompts that were held back because something was being recorded."""
    spoken: int
    """Prompts whose sound has begun."""


class SystemInfoVoice(_SystemInfoVoice, total=False):
    delayMilliseconds: float
    """From the key to the first sound on its way to the speaker, of the last prompt."""
    longestDelayMilliseconds: float
    """The longest."""
    problem: str
    """Why nothing is heard."""


class _SystemInfo(TypedDict):
    board: str
    """Name of the board file."""
    devices: SystemInfoDevices
    """What is connected."""
    lanes: List[SystemInfoLanes]
    """What the threads' work has cost since the start; of those that have some."""
    machine: SystemInfoMachine
    """What the machine below tells of itself."""
    storage: SystemInfoStorage
    """Where recordings are."""
    uptimeSeconds: float
    """Since the start."""
    version: str
    """Of the firmware."""
    wallTime: str
    """The wall clock, in ISO 8601."""


class SystemInfo(_SystemInfo, total=False):
    voice: SystemInfoVoice
    """What is said aloud; absent without a speaker."""


class SystemDoctorChecks(TypedDict):
    detail: str
    """What was seen."""
    device: str
    """Its name in the board file."""
    facts: Dict[str, Scalar]
    """What was negotiated, under names of its own."""
    place: str
    """Where it is connected."""
    remedy: Optional[str]
    """How to mend it; null if it works."""
    verdict: str
    """In a word."""
    works: bool
    """Whether nothing has to be mended."""


class SystemDoctor(TypedDict):
    board: str
    """Name of the board file."""
    checks: List[SystemDoctorChecks]
    """Device by device."""
    failed: int
    """How many have to be."""
    summary: str
    """For people."""
    version: str
    """Of the firmware."""
    works: bool
    """Whether nothing has to be mended."""


class SystemSelftestChecks(TypedDict):
    detail: str
    """What was seen, or what is wrong and what to do."""
    milliseconds: int
    """How long it took."""
    name: str
    """Of the check."""
    works: bool
    """Whether it is passed."""


class SystemSelftest(TypedDict):
    checks: List[SystemSelftestChecks]
    """One by one."""
    works: bool
    """Whether all checks are passed."""


class SystemBundle(TypedDict):
    bytes: int
    """How long it is."""
    id: str
    """Its name, for files.read."""
    sha256: str
    """Of the whole file, in hexadecimal digits."""


class _ClockGet(TypedDict):
    local: str
    """The same in the device's zone, with its distance from UTC."""
    set: bool
    """Whether it can be right: a board without a battery comes up in the past."""
    time: str
    """UTC, in ISO 8601."""
    zone: str
    """The zone's name or rule, `clock.zone`."""


class ClockGet(_ClockGet, total=False):
    kept: bool
    """Whether something keeps it right (NTP); absent where the system does not tell."""


class _ClockSet(TypedDict):
    local: str
    """The same in the device's zone, with its distance from UTC."""
    set: bool
    """Whether it can be right: a board without a battery comes up in the past."""
    time: str
    """UTC, in ISO 8601."""
    zone: str
    """The zone's name or rule, `clock.zone`."""


class ClockSet(_ClockSet, total=False):
    kept: bool
    """Whether something keeps it right (NTP); absent where the system does not tell."""


class UpdateStatus(TypedDict):
    percent: int
    """Of the fetching or the writing."""
    phase: str
    """None, fetching (by the network), checking, writing, installed (the next start is its first), refused (nothing
    was written), failed (the version from before runs), trial (it runs, and has to prove itself) or good."""
    text: str
    """The version; of what was refused why: unsigned, damaged, board, older, busy or unreadable, of what was
    fetched http-404 and the like, no-such-host, unreachable, certificate, tls, timeout, interrupted, redirects,
    bad-address, too-large, storage-full or cancelled, then a sentence; of what has come, what it waits for."""


class UpdateCancel(TypedDict):
    cancelled: bool
    """Whether something was being fetched."""


class TrialShow(TypedDict):
    display: bool
    """Whether it has a screen that works."""
    keys: List[str]
    """The keys that it has."""
    leds: List[str]
    """Those that the board has, its buzzer included."""


class TrialKey(TypedDict, total=False):
    key: str
    """The key; absent if none was pressed."""


class TrialTone(TypedDict):
    heard: bool
    """Whether a channel became louder by 6 dB and more."""
    quietDecibels: List[float]
    """Average of each channel before the tone, below full scale."""
    toneDecibels: List[float]
    """The highest average of each channel meanwhile."""


class OperatorsListOperators(TypedDict):
    failures: int
    """Wrong passwords in a row."""
    name: str
    """The name."""
    role: Literal["viewer", "operator", "technician"]
    """The most that they may do."""


class OperatorsList(TypedDict):
    operators: List[OperatorsListOperators]
    """In the order in which they were added; none: everybody may do everything."""


class _AuditTail(TypedDict):
    checked: int
    """Lines whose chain was looked at."""
    lines: List[Any]
    """The latest, oldest first: n, wall, t, who, from, what, with, outcome."""
    whole: bool
    """Whether they are those that were written."""


class AuditTail(_AuditTail, total=False):
    problem: str
    """Where the chain is broken."""


class _AuthLogin(TypedDict):
    needed: bool
    """Whether operators are set up, so that one has to log in."""


class AuthLogin(_AuthLogin, total=False):
    name: str
    """Who has logged in."""
    role: Literal["viewer", "operator", "technician"]
    """What that is."""


class _AuthStatus(TypedDict):
    needed: bool
    """Whether operators are set up, so that one has to log in."""


class AuthStatus(_AuthStatus, total=False):
    name: str
    """Who has logged in."""
    role: Literal["viewer", "operator", "technician"]
    """What that is."""


class _RpcMethodsParameters(TypedDict):
    name: str
    """Its name."""
    optional: bool
    """May be left out."""
    summary: str
    """What it is for."""
    takes: str
    """What values."""


class RpcMethodsParameters(_RpcMethodsParameters, total=False):
    default: Any
    """What stands for it when it is left out."""


class RpcMethods(TypedDict):
    beforeLogin: bool
    """Whether it is answered before anybody has logged in, too."""
    method: str
    """Its name."""
    open: bool
    """Whether names and values are taken as they are."""
    parameters: List[RpcMethodsParameters]
    """What it takes, in order."""
    result: str
    """The fields of its answer."""
    role: str
    """The least that may call it: viewer, operator, technician."""
    summary: str
    """What it does."""
    whileRecording: str
    """Allowed, queued or refused."""


class PanelNoun(_Noun):
    """The methods `panel.…`."""

    def press(
        self,
        button: Literal["REC", "STOP", "UP", "DOWN", "LEFT", "RIGHT", "CENTRE", "LOCK", "MARK"],
        *,
        ms: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> PanelPress:
        """Presses a key of the panel. The same as a finger on the key: the lock and the mode apply. The answer
        comes when it is up again. `button`: the key. `ms`: how long it is down; a long press is 600, unlocking
        2000."""
        result: PanelPress = self._call("panel.press", _given(button=button, ms=ms), timeout)
        return result

    def mode(
        self,
        mode: Literal["dictaphone", "clips", "dub", "feed", "files"],
        *,
        timeout: Optional[float] = None,
    ) -> PanelMode:
        """Changes the mode, or opens the file list. `mode`: the mode."""
        result: PanelMode = self._call("panel.mode", _given(mode=mode), timeout)
        return result

    def state(self, *, timeout: Optional[float] = None) -> PanelState:
        """Tells mode, lock, LEDs and what is on the screen."""
        result: PanelState = self._call("panel.state", {}, timeout)
        return result

    def screen(self, *, timeout: Optional[float] = None) -> PanelScreen:
        """Gives the picture on the screen."""
        result: PanelScreen = self._call("panel.screen", {}, timeout)
        return result


class RecorderNoun(_Noun):
    """The methods `recorder.…`."""

    def start(self, *, timeout: Optional[float] = None) -> None:
        """Starts a take. The take begins with the pre-recorded seconds before the call; its name comes with
        onTakeStarted."""
        self._call("recorder.start", {}, timeout)

    def pause(self, *, timeout: Optional[float] = None) -> None:
        """Pauses the take."""
        self._call("recorder.pause", {}, timeout)

    def resume(self, *, timeout: Optional[float] = None) -> None:
        """Goes on with the paused take."""
        self._call("recorder.resume", {}, timeout)

    def stop(self, *, timeout: Optional[float] = None) -> None:
        """Ends the take and saves it. The answer comes when it is durable, or after ten seconds with a card that
        does not answer; onTakeSaved says what came of it."""
        self._call("recorder.stop", {}, timeout)

    def mark(self, title: Optional[str] = None, *, timeout: Optional[float] = None) -> None:
        """Puts a mark where the take, or the player, is now. The answer comes when it is on the storage, or after
        ten seconds with a card that does not answer; the mark is of the moment of the call. `title`: the mark's
        title."""
        self._call("recorder.mark", _given(title=title), timeout)

    def status(self, *, timeout: Optional[float] = None) -> RecorderStatus:
        """Tells what the recorder does."""
        result: RecorderStatus = self._call("recorder.status", {}, timeout)
        return result

    def meters(self, *, timeout: Optional[float] = None) -> RecorderMeters:
        """Reads the level meters."""
        result: RecorderMeters = self._call("recorder.meters", {}, timeout)
        return result

    def sources(self, *, timeout: Optional[float] = None) -> RecorderSources:
        """Lists the microphones that are there. recording.source says which is preferred: names, best first."""
        result: RecorderSources = self._call("recorder.sources", {}, timeout)
        return result


class PlayerNoun(_Noun):
    """The methods `player.…`."""

    def play(self, id: Optional[str] = None, *, safety: Optional[bool] = None, timeout: Optional[float] = None) -> None:
        """Plays a take or clip, or goes on playing. `id`: the take or clip; the loaded one without it. `safety`:
        the safety take beside it."""
        self._call("player.play", _given(id=id, safety=safety), timeout)

    def pause(self, *, timeout: Optional[float] = None) -> None:
        """Pauses playing."""
        self._call("player.pause", {}, timeout)

    def stop(self, *, timeout: Optional[float] = None) -> None:
        """Stops playing; the position is kept."""
        self._call("player.stop", {}, timeout)

    def seek(self, seconds: float, *, timeout: Optional[float] = None) -> None:
        """Moves forward or back. `seconds`: by how much; negative: back."""
        self._call("player.seek", _given(seconds=seconds), timeout)

    def skip(self, to: Literal["next", "previous"], *, timeout: Optional[float] = None) -> None:
        """Goes to the next or the previous mark. `to`: which one."""
        self._call("player.skip", _given(to=to), timeout)

    def loop(
        self,
        from_: Optional[float] = None,
        *,
        to: Optional[float] = None,
        timeout: Optional[float] = None,
    ) -> None:
        """Repeats what lies between two places of the take. To the sample, and without a click. Without them it
        plays on; stopping ends it, too. `from_`: where it begins, in seconds of the take. `to`: where it ends; 0.1
        s further on at least."""
        self._call("player.loop", _given(from_=from_, to=to), timeout)

    def status(self, *, timeout: Optional[float] = None) -> PlayerStatus:
        """Tells what the player does."""
        result: PlayerStatus = self._call("player.status", {}, timeout)
        return result


class LibraryNoun(_Noun):
    """The methods `library.…`."""

    def list(
        self,
        query: Optional[str] = None,
        *,
        offset: Optional[int] = None,
        limit: Optional[int] = None,
        sort: Optional[Literal["newest", "oldest", "name", "longest", "largest", "date", "length", "size"]] = None,
        descending: Optional[bool] = None,
        favourites: Optional[bool] = None,
        tag: Optional[str] = None,
        marks: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> LibraryList:
        """Lists takes. `query`: only those whose name, tags or titles of marks contain these words. `offset`: how
        many to leave out at the beginning. `limit`: how many at most. `sort`: the order. `descending`: the highest
        first, or not; without it names go from A to Z, all else from the highest. `favourites`: only favourites.
        `tag`: only those with this tag. `marks`: only those with marks."""
        params = _given(
            query=query,
            offset=offset,
            limit=limit,
            sort=sort,
            descending=descending,
            favourites=favourites,
            tag=tag,
            marks=marks,
        )
        result: LibraryList = self._call("library.list", params, timeout)
        return result

    def show(self, id: str, *, timeout: Optional[float] = None) -> LibraryShow:
        """Tells all about a take. `id`: the take's file name, as library.list shows it."""
        result: LibraryShow = self._call("library.show", _given(id=id), timeout)
        return result

    def rename(self, id: str, name: str, *, timeout: Optional[float] = None) -> LibraryRename:
        """Changes the name that people see; the file keeps its own. `id`: the take's file name, as library.list
        shows it. `name`: the new name."""
        result: LibraryRename = self._call("library.rename", _given(id=id, name=name), timeout)
        return result

    def delete(
        self,
        id: Optional[str] = None,
        *,
        ids: Optional[Sequence[str]] = None,
        timeout: Optional[float] = None,
    ) -> LibraryDelete:
        """Deletes takes; "undelete" brings all of them back for a while. Tells of many by onLibraryProgress;
        library.cancel ends it. `id`: the take's file name, as library.list shows it. `ids`: instead of it, the
        names of many."""
        result: LibraryDelete = self._call("library.delete", _given(id=id, ids=ids), timeout)
        return result

    def undelete(self, *, timeout: Optional[float] = None) -> LibraryUndelete:
        """Brings back the takes or the clip deleted last."""
        result: LibraryUndelete = self._call("library.undelete", {}, timeout)
        return result

    def protect(self, id: str, *, protected: Optional[bool] = None, timeout: Optional[float] = None) -> LibraryProtect:
        """Keeps a take from being deleted, or no longer. `id`: the take's file name, as library.list shows it.
        `protected`: false takes the protection off."""
        result: LibraryProtect = self._call("library.protect", _given(id=id, protected=protected), timeout)
        return result

    def tag(
        self,
        id: Optional[str] = None,
        *,
        ids: Optional[Sequence[str]] = None,
        add: Optional[Sequence[str]] = None,
        remove: Optional[Sequence[str]] = None,
        timeout: Optional[float] = None,
    ) -> LibraryTag:
        """Gives takes tags, or takes tags from them. `id`: the take's file name, as library.list shows it. `ids`:
        instead of it, the names of many. `add`: tags that they get. `remove`: tags that go."""
        result: LibraryTag = self._call("library.tag", _given(id=id, ids=ids, add=add, remove=remove), timeout)
        return result

    def tags(self, *, timeout: Optional[float] = None) -> LibraryTags:
        """Lists the tags that takes have."""
        result: LibraryTags = self._call("library.tags", {}, timeout)
        return result

    def favourite(
        self,
        id: Optional[str] = None,
        *,
        ids: Optional[Sequence[str]] = None,
        on: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> LibraryFavourite:
        """Makes takes favourites, or no longer. `id`: the take's file name, as library.list shows it. `ids`:
        instead of it, the names of many. `on`: false: no longer."""
        result: LibraryFavourite = self._call("library.favourite", _given(id=id, ids=ids, on=on), timeout)
        return result

    def copy(self, id: str, *, timeout: Optional[float] = None) -> LibraryCopy:
        """Copies a take: another one, of the same sound, tags and marks. Tells how far it is by onLibraryProgress;
        library.cancel ends it, and nothing of it stays. `id`: the take's file name, as library.list shows it."""
        result: LibraryCopy = self._call("library.copy", _given(id=id), timeout)
        return result

    def cancel(self, *, timeout: Optional[float] = None) -> LibraryCancel:
        """Ends copies and what is being done to many takes. What is done already stays so; of a copy nothing stays."""
        result: LibraryCancel = self._call("library.cancel", {}, timeout)
        return result

    def verify(self, id: Optional[str] = None, *, timeout: Optional[float] = None) -> LibraryVerify:
        """Looks into takes and clips, at their notes and the catalogue, and says what is wrong. `id`: one take or
        clip; all of them without it."""
        result: LibraryVerify = self._call("library.verify", _given(id=id), timeout)
        return result

    def repair(self, id: Optional[str] = None, *, timeout: Optional[float] = None) -> LibraryRepair:
        """Mends what can be mended; what cannot goes to _Corrupted/ with a note. `id`: one take or clip; all of
        them without it."""
        result: LibraryRepair = self._call("library.repair", _given(id=id), timeout)
        return result

    def export(
        self,
        id: Optional[str] = None,
        *,
        ids: Optional[Sequence[str]] = None,
        all: Optional[bool] = None,
        safety: Optional[bool] = None,
        format: Optional[Literal["asIs", "m4a", "flac", "wav", "mp3", "alaw", "mulaw"]] = None,
        timeout: Optional[float] = None,
    ) -> LibraryExport:
        """Copies takes and clips to the stick, reads them back, and lets go of it. While something is being
        recorded it waits. Tells how far it is by onLibraryProgress; library.cancel ends it: what is whole on the
        stick stays there. `id`: the file name, or the number, of a take or of a clip. `ids`: instead of it, those
        of many. `all`: true: all takes and clips. `safety`: true: safety takes, too. `format`: what takes become
        there, each in one file with name, date and marks; asIs: the files themselves; left out: as export.format
        says. Clips, and takes that were not made here, go as they are."""
        params = _given(
            id=id,
            ids=ids,
            all=all,
            safety=safety,
            format=format,
        )
        result: LibraryExport = self._call("library.export", params, timeout)
        return result


class ExportNoun(_Noun):
    """The methods `export.…`."""

    def start(
        self,
        ids: Optional[Sequence[str]] = None,
        *,
        to: Optional[Literal["stick"]] = None,
        format: Optional[Literal["asIs", "m4a", "flac", "wav", "mp3", "alaw", "mulaw"]] = None,
        timeout: Optional[float] = None,
    ) -> None:
        """Begins to copy takes and clips to the stick, and does not wait for it. `export.status` tells how far it
        is and what came of it; library.cancel ends it. It is library.export for programs that look from time to
        time. While something is being recorded it waits. `ids`: the file names, or the numbers, of takes and clips;
        left out: all of them. `to`: where they go: a stick is all there is. `format`: as for library.export; left
        out: as export.format says."""
        self._call("export.start", _given(ids=ids, to=to, format=format), timeout)

    def status(self, *, timeout: Optional[float] = None) -> ExportStatus:
        """Tells how far an export to the stick is, or what came of the last one. Whoever has begun it:
        export.start, library.export, or a key."""
        result: ExportStatus = self._call("export.status", {}, timeout)
        return result


class StickNoun(_Noun):
    """The methods `stick.…`."""

    def status(self, *, timeout: Optional[float] = None) -> StickStatus:
        """Tells what is in the socket for a stick."""
        result: StickStatus = self._call("stick.status", {}, timeout)
        return result


class FilesNoun(_Noun):
    """The methods `files.…`."""

    def list(self, id: str, *, timeout: Optional[float] = None) -> FilesList:
        """Lists the files of a take or a clip. A split take has one for each part, in their order; the safety takes
        come last. `id`: the file name of a take or of a clip."""
        result: FilesList = self._call("files.list", _given(id=id), timeout)
        return result

    def read(
        self,
        id: str,
        *,
        offset: Optional[int] = None,
        bytes: Optional[int] = None,
        notes: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> FilesRead:
        """Reads a piece of a take's or a clip's file. Read it from offset 0, each piece from where the one before
        it ended, and the last one says the sum of the whole file. `id`: the file name of a take, of a part of one,
        of a clip, or what system.bundle has made. `offset`: where the piece begins. `bytes`: how long it is at
        most. `notes`: the notes beside it instead: metadata, or a clip's receipt."""
        result: FilesRead = self._call("files.read", _given(id=id, offset=offset, bytes=bytes, notes=notes), timeout)
        return result

    def write(
        self,
        name: str,
        total: int,
        *,
        offset: Optional[int] = None,
        data: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> FilesWrite:
        """Takes a piece of a sound, for the list of takes, or of an update (.raucb). Ask without data first: a file
        that broke off goes on where it was. Each piece begins where the answer says; others are not taken. Nothing
        is overwritten: a name that is there gets a number. `name`: what the file is called. `total`: bytes of the
        whole file. `offset`: where the piece begins. `data`: the piece, in base64; without it: only how far it is."""
        params = _given(
            name=name,
            total=total,
            offset=offset,
            data=data,
        )
        result: FilesWrite = self._call("files.write", params, timeout)
        return result


class ProofNoun(_Noun):
    """The methods `proof.…`."""

    def key(self, *, timeout: Optional[float] = None) -> ProofKey:
        """Tells the device's public key, by which anybody checks what it signed."""
        result: ProofKey = self._call("proof.key", {}, timeout)
        return result

    def verify(self, id: str, *, timeout: Optional[float] = None) -> ProofVerify:
        """Compares a take or clip with its signed receipt. `id`: the take or clip."""
        result: ProofVerify = self._call("proof.verify", _given(id=id), timeout)
        return result


class MarksNoun(_Noun):
    """The methods `marks.…`."""

    def list(self, id: str, *, timeout: Optional[float] = None) -> MarksList:
        """Lists the marks of a take. `id`: the take's file name, as library.list shows it."""
        result: MarksList = self._call("marks.list", _given(id=id), timeout)
        return result

    def set(
        self,
        id: str,
        *,
        number: Optional[int] = None,
        seconds: Optional[float] = None,
        title: Optional[str] = None,
        note: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> MarksSet:
        """Adds a mark to a take, or gives one another place, title or note. With a number that mark is changed,
        without there is another one. An empty text takes it away. `id`: the take's file name, as library.list shows
        it. `number`: the mark that is changed. `seconds`: where it is to be in the take. `title`: its title.
        `note`: its note."""
        params = _given(
            id=id,
            number=number,
            seconds=seconds,
            title=title,
            note=note,
        )
        result: MarksSet = self._call("marks.set", params, timeout)
        return result

    def move(self, id: str, number: int, seconds: float, *, timeout: Optional[float] = None) -> MarksMove:
        """Moves a mark of a take. `id`: the take's file name, as library.list shows it. `number`: the mark's
        number, as marks.list shows it. `seconds`: where it is to be in the take."""
        result: MarksMove = self._call("marks.move", _given(id=id, number=number, seconds=seconds), timeout)
        return result

    def remove(self, id: str, number: int, *, timeout: Optional[float] = None) -> MarksRemove:
        """Takes a mark out of a take. `id`: the take's file name, as library.list shows it. `number`: the mark's
        number, as marks.list shows it."""
        result: MarksRemove = self._call("marks.remove", _given(id=id, number=number), timeout)
        return result


class ClipsNoun(_Noun):
    """The methods `clips.…`."""

    def trigger(self, wait: Optional[bool] = None, *, timeout: Optional[float] = None) -> ClipsTrigger:
        """Keeps a clip: the seconds in the ring, and the post-roll. See onCaptureStarted; onCaptureCompleted says
        when the file is there and durable, and so does the answer to a call with wait, which is busy ten seconds
        after the post-roll with a card that does not answer. Only in clip mode: panel.mode clips. `wait`: true
        answers when the file is there and durable."""
        result: ClipsTrigger = self._call("clips.trigger", _given(wait=wait), timeout)
        return result

    def endPostRoll(self, *, timeout: Optional[float] = None) -> None:
        """Ends the clip that runs now. onCaptureCompleted says when it is durable."""
        self._call("clips.endPostRoll", {}, timeout)

    def continuous(self, *, timeout: Optional[float] = None) -> None:
        """Keeps everything from now on, in clips that join without a seam. clips.endPostRoll ends it."""
        self._call("clips.continuous", {}, timeout)

    def timeLapse(self, seconds: Optional[float] = None, *, timeout: Optional[float] = None) -> None:
        """Keeps a picture every so often in one clip, shown at 30 a second. clips.endPostRoll ends it. It has no
        sound. `seconds`: from one picture to the next."""
        self._call("clips.timeLapse", _given(seconds=seconds), timeout)

    def snapshot(self, *, timeout: Optional[float] = None) -> ClipsSnapshot:
        """Keeps the picture of now as a JPEG. It answers when that is durable, with a card that does not answer it
        is busy after ten seconds; see onSnapshotSaved."""
        result: ClipsSnapshot = self._call("clips.snapshot", {}, timeout)
        return result

    def status(self, *, timeout: Optional[float] = None) -> ClipsStatus:
        """Tells what camera and ring hold, and which clips are open."""
        result: ClipsStatus = self._call("clips.status", {}, timeout)
        return result

    def list(
        self,
        query: Optional[str] = None,
        *,
        offset: Optional[int] = None,
        limit: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> ClipsList:
        """Lists clips, newest first. `query`: only those whose name contains this. `offset`: how many to leave out
        at the beginning. `limit`: how many at most."""
        result: ClipsList = self._call("clips.list", _given(query=query, offset=offset, limit=limit), timeout)
        return result

    def receipt(self, id: str, *, timeout: Optional[float] = None) -> ClipsReceipt:
        """Tells all about a clip. `id`: the clip's file name, as clips.list shows it."""
        result: ClipsReceipt = self._call("clips.receipt", _given(id=id), timeout)
        return result

    def protect(self, id: str, *, protected: Optional[bool] = None, timeout: Optional[float] = None) -> ClipsProtect:
        """Keeps a clip from being deleted, or no longer. `id`: the clip's file name, as clips.list shows it.
        `protected`: false takes the protection off."""
        result: ClipsProtect = self._call("clips.protect", _given(id=id, protected=protected), timeout)
        return result

    def delete(self, id: str, *, timeout: Optional[float] = None) -> ClipsDelete:
        """Deletes a clip that is not protected; "undelete" brings it back for a while. `id`: the clip's file name,
        as clips.list shows it."""
        result: ClipsDelete = self._call("clips.delete", _given(id=id), timeout)
        return result

    def trim(
        self,
        id: str,
        *,
        start: Optional[float] = None,
        end: Optional[float] = None,
        timeout: Optional[float] = None,
    ) -> ClipsTrim:
        """Makes a clip of a part of another, without encoding again. The start is exact, by an edit list; the other
        clip stays. `id`: the clip's file name, as clips.list shows it. `start`: where the part begins, in seconds.
        `end`: where it ends; the clip's end without it."""
        result: ClipsTrim = self._call("clips.trim", _given(id=id, start=start, end=end), timeout)
        return result

    def concat(self, ids: Sequence[str], *, timeout: Optional[float] = None) -> ClipsConcat:
        """Makes one clip of several, without encoding again. They must be of one size and coding; they stay. `ids`:
        the clips, in their order."""
        result: ClipsConcat = self._call("clips.concat", _given(ids=ids), timeout)
        return result

    def telemetry(self, count: Optional[int] = None, *, timeout: Optional[float] = None) -> ClipsTelemetry:
        """Gives the readings of the last minutes, oldest first. `count`: how many at most."""
        result: ClipsTelemetry = self._call("clips.telemetry", _given(count=count), timeout)
        return result


class DubNoun(_Noun):
    """The methods `dub.…`."""

    def start(
        self,
        source: Optional[str] = None,
        *,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> DubStart:
        """Plays a stream, a clip or a take with its sound in another language. Takes up the mode dub by itself;
        onDubbingStatus says what is heard. Not while a take is being recorded or a clip being kept. `source`: name,
        place in the list, http(s) address, or file name; the highlighted one without it. `language`: language of
        the dub; as it is set without it."""
        result: DubStart = self._call("dub.start", _given(source=source, language=language), timeout)
        return result

    def stop(self, *, timeout: Optional[float] = None) -> None:
        """Ends dubbed playback."""
        self._call("dub.stop", {}, timeout)

    def pause(self, *, timeout: Optional[float] = None) -> None:
        """Stops the sound for a while."""
        self._call("dub.pause", {}, timeout)

    def resume(self, *, timeout: Optional[float] = None) -> None:
        """Goes on after dub.pause."""
        self._call("dub.resume", {}, timeout)

    def seek(self, seconds: float, *, timeout: Optional[float] = None) -> DubSeek:
        """Moves forward or back; in a live stream within what the server still has. `seconds`: by how much;
        negative: back."""
        result: DubSeek = self._call("dub.seek", _given(seconds=seconds), timeout)
        return result

    def language(self, language: Optional[str] = None, *, timeout: Optional[float] = None) -> DubLanguage:
        """Tells or changes the language of the dub, while it plays. `language`: such as es or pt-BR; only told
        without it."""
        result: DubLanguage = self._call("dub.language", _given(language=language), timeout)
        return result

    def volume(
        self,
        original: Optional[int] = None,
        *,
        dub: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> DubVolume:
        """Tells or changes how loud original and dub are. `original`: dB beside a dub. `dub`: dB."""
        result: DubVolume = self._call("dub.volume", _given(original=original, dub=dub), timeout)
        return result

    def enable(self, on: Optional[bool] = None, *, timeout: Optional[float] = None) -> DubEnable:
        """Switches between dub and original. `on`: false: the original."""
        result: DubEnable = self._call("dub.enable", _given(on=on), timeout)
        return result

    def sources(self, *, timeout: Optional[float] = None) -> DubSources:
        """Lists what can be played."""
        result: DubSources = self._call("dub.sources", {}, timeout)
        return result

    def status(self, *, timeout: Optional[float] = None) -> DubStatus:
        """Tells what is heard, from where, and how healthy it is. onDubbingStatus carries the same with every
        change, and every five seconds while something plays."""
        result: DubStatus = self._call("dub.status", {}, timeout)
        return result

    def receipt(self, id: Optional[str] = None, *, timeout: Optional[float] = None) -> DubReceipt:
        """Tells how something was dubbed that is over. Beside what it says of itself it has the figures of
        dub.status, as they were at the end. `id`: its file name, as dub.receipts shows it; the newest without it."""
        result: DubReceipt = self._call("dub.receipt", _given(id=id), timeout)
        return result

    def receipts(self, *, timeout: Optional[float] = None) -> DubReceipts:
        """Lists the receipts of what was dubbed, the newest first."""
        result: DubReceipts = self._call("dub.receipts", {}, timeout)
        return result


class FeedNoun(_Noun):
    """The methods `feed.…`."""

    def open(self, source: Optional[str] = None, *, timeout: Optional[float] = None) -> FeedOpen:
        """Opens a feed, and plays its items one after the other. Takes up the mode feed by itself. Not while a take
        is being recorded or a clip being kept. `source`: local for clips and takes, a name or a place in
        feed.sources, or an http(s) address; the last one without it."""
        result: FeedOpen = self._call("feed.open", _given(source=source), timeout)
        return result

    def next(self, *, timeout: Optional[float] = None) -> FeedNext:
        """Plays the next item."""
        result: FeedNext = self._call("feed.next", {}, timeout)
        return result

    def previous(self, *, timeout: Optional[float] = None) -> FeedPrevious:
        """Plays the item before."""
        result: FeedPrevious = self._call("feed.previous", {}, timeout)
        return result

    def status(self, *, timeout: Optional[float] = None) -> FeedStatus:
        """Tells what the feed shows, and how it plays. onFeedChanged carries what changes by an event."""
        result: FeedStatus = self._call("feed.status", {}, timeout)
        return result

    def pause(self, *, timeout: Optional[float] = None) -> FeedPause:
        """Stops the item for a while."""
        result: FeedPause = self._call("feed.pause", {}, timeout)
        return result

    def resume(self, *, timeout: Optional[float] = None) -> FeedResume:
        """Goes on, plays what is shown, or tries again what failed."""
        result: FeedResume = self._call("feed.resume", {}, timeout)
        return result

    def seek(self, seconds: float, *, timeout: Optional[float] = None) -> FeedSeek:
        """Moves forward or back in the item. `seconds`: by how much; negative: back."""
        result: FeedSeek = self._call("feed.seek", _given(seconds=seconds), timeout)
        return result

    def stop(self, *, timeout: Optional[float] = None) -> FeedStop:
        """Ends the item."""
        result: FeedStop = self._call("feed.stop", {}, timeout)
        return result

    def mute(self, on: Optional[bool] = None, *, timeout: Optional[float] = None) -> FeedMute:
        """Plays on without being heard, or is heard again. `on`: false: it is heard."""
        result: FeedMute = self._call("feed.mute", _given(on=on), timeout)
        return result

    def refresh(self, *, timeout: Optional[float] = None) -> FeedRefresh:
        """Loads the feed anew from its first page."""
        result: FeedRefresh = self._call("feed.refresh", {}, timeout)
        return result

    def favourite(self, *, timeout: Optional[float] = None) -> FeedFavourite:
        """Makes the item that is shown a favourite, or no longer."""
        result: FeedFavourite = self._call("feed.favourite", {}, timeout)
        return result


class ScheduleNoun(_Noun):
    """The methods `schedule.…`."""

    def list(self, *, timeout: Optional[float] = None) -> ScheduleList:
        """Lists when the device records by itself."""
        result: ScheduleList = self._call("schedule.list", {}, timeout)
        return result

    def add(self, when: str, *, timeout: Optional[float] = None) -> None:
        """Has the device record by itself. For example mon-fri 06:30 08:00; daily sunrise-30 sunrise+60 every 15
        for 2. A take by hand comes first. `when`: days, from and to; then every MINUTES for MINUTES."""
        self._call("schedule.add", _given(when=when), timeout)

    def remove(self, number: int, *, timeout: Optional[float] = None) -> None:
        """Takes a schedule off; its take, if one is open, ends. `number`: of the schedule."""
        self._call("schedule.remove", _given(number=number), timeout)

    def enable(self, number: int, *, on: Optional[bool] = None, timeout: Optional[float] = None) -> None:
        """Has a schedule count, or rest. `number`: of the schedule. `on`: whether it counts."""
        self._call("schedule.enable", _given(number=number, on=on), timeout)


class SettingsNoun(_Noun):
    """The methods `settings.…`."""

    def get(self, key: Optional[str] = None, *, timeout: Optional[float] = None) -> Dict[str, Scalar]:
        """Reads settings. `key`: one setting; all without it."""
        result: Dict[str, Scalar] = self._call("settings.get", _given(key=key), timeout)
        return result

    def set(self, values: Mapping[str, Scalar], *, timeout: Optional[float] = None) -> Dict[str, Scalar]:
        """Changes settings: {name: value}, all of them or none. A name that does not exist or a value out of range
        is refused, and nothing is changed. The answer comes when the settings are on the storage; if it does not
        take them, nothing is changed either. With a card that does not answer it is busy after ten seconds: they
        hold, and are kept once it answers."""
        result: Dict[str, Scalar] = self._call("settings.set", values, timeout)
        return result


class BudgetNoun(_Noun):
    """The methods `budget.…`."""

    def report(self, *, timeout: Optional[float] = None) -> BudgetReport:
        """Shows memory and processor time, declared and used."""
        result: BudgetReport = self._call("budget.report", {}, timeout)
        return result


class GovernorNoun(_Noun):
    """The methods `governor.…`."""

    def status(self, *, timeout: Optional[float] = None) -> GovernorStatus:
        """Tells what gives way because the board is under strain. The ladder is the board file's. What has no
        sensor is absent from the readings. See onGovernorStep."""
        result: GovernorStatus = self._call("governor.status", {}, timeout)
        return result


class LogNoun(_Noun):
    """The methods `log.…`."""

    def tail(
        self,
        lines: Optional[int] = None,
        *,
        level: Optional[Literal["debug", "info", "warning", "error"]] = None,
        timeout: Optional[float] = None,
    ) -> LogTail:
        """Shows the latest lines of the log. `lines`: how many. `level`: the least severe level."""
        result: LogTail = self._call("log.tail", _given(lines=lines, level=level), timeout)
        return result

    def crash(self, number: Optional[int] = None, *, timeout: Optional[float] = None) -> LogCrash:
        """Shows the report of a crash. The newest five are kept as log/crash-N.txt. Scripts/symbolize gives their
        addresses names. `number`: which; the newest without it."""
        result: LogCrash = self._call("log.crash", _given(number=number), timeout)
        return result

    def follow(
        self,
        on: Optional[bool] = None,
        *,
        level: Optional[Literal["debug", "info", "warning", "error"]] = None,
        timeout: Optional[float] = None,
    ) -> None:
        """Sends lines of the log to this console as they come. Each is a notification of the method "log" with what
        log.tail has of a line. Lines that the console is too slow to take are left out, and counted in "lost" of
        the next one. `on`: false: no longer. `level`: the least severe level."""
        self._call("log.follow", _given(on=on, level=level), timeout)


class EventsNoun(_Noun):
    """The methods `events.…`."""

    def recent(
        self,
        count: Optional[int] = None,
        *,
        topics: Optional[Sequence[Topic]] = None,
        timeout: Optional[float] = None,
    ) -> EventsRecent:
        """Shows the latest events. The latest 200 of this run, without telemetry, which comes ten times a second,
        and answers to a script. events.subscribe sends those to come. `count`: how many. `topics`: which; all of
        them without it, or if it is empty."""
        result: EventsRecent = self._call("events.recent", _given(count=count, topics=topics), timeout)
        return result

    def subscribe(
        self,
        topics: Optional[Sequence[Topic]] = None,
        *,
        timeout: Optional[float] = None,
    ) -> EventsSubscribe:
        """Sends events to this console from now on. Each console counts its own events, without a hole. Events that
        it is too slow to take are dropped, oldest first, and counted in "lost" of the next one. `topics`: which;
        all of them without it, or if it is empty."""
        result: EventsSubscribe = self._call("events.subscribe", _given(topics=topics), timeout)
        return result

    def unsubscribe(self, *, timeout: Optional[float] = None) -> None:
        """Sends no more events to this console."""
        self._call("events.unsubscribe", {}, timeout)


class SessionNoun(_Noun):
    """The methods `session.…`."""

    def status(self, *, timeout: Optional[float] = None) -> SessionStatus:
        """Tells which formats are requested, granted and delivered. Of microphone and speaker; what is not there,
        not open or not used is absent. See session.strategy."""
        result: SessionStatus = self._call("session.status", {}, timeout)
        return result

    def strategy(
        self,
        name: Optional[Literal["board", "baseline", "pre-initialised", "forced-rate", "locked"]] = None,
        *,
        timeout: Optional[float] = None,
    ) -> SessionStrategy:
        """Changes how the rate of microphone and speaker is settled. The same as the setting session.strategy. What
        is being recorded or played goes on as it began; without a name the strategies are listed. `name`: the
        strategy, or board; only told without it."""
        result: SessionStrategy = self._call("session.strategy", _given(name=name), timeout)
        return result

    def talkBack(self, on: Optional[bool] = None, *, timeout: Optional[float] = None) -> None:
        """Has what the microphone hears be heard on the speaker at once, or ends that. The same as the setting
        session.talkBack. It is silent while something is played. `on`: false: not any more."""
        self._call("session.talkBack", _given(on=on), timeout)

    def page(self, lines: int, *, timeout: Optional[float] = None) -> None:
        """Has long listings stop every so many lines, for people. A serial line begins with 24, mynah console on a
        terminal with the terminal's own; others never stop. At a stop SPACE goes on, ENTER by a line, q or ^C ends
        it, and any other key begins the next command. Nothing stops if more has been typed meanwhile. `lines`: of
        the terminal; 0: no stops."""
        self._call("session.page", _given(lines=lines), timeout)

    def human(self, *, timeout: Optional[float] = None) -> None:
        """Goes back to the prompt."""
        self._call("session.human", {}, timeout)

    def end(self, *, timeout: Optional[float] = None) -> None:
        """Closes this console, where it can be closed."""
        self._call("session.end", {}, timeout)

    def help(self, command: Optional[str] = None, *, timeout: Optional[float] = None) -> SessionHelp:
        """Explains the commands. `command`: one command; a list of all without it."""
        result: SessionHelp = self._call("session.help", _given(command=command), timeout)
        return result


class SystemNoun(_Noun):
    """The methods `system.…`."""

    def version(self, *, timeout: Optional[float] = None) -> SystemVersion:
        """Tells which firmware this is. What system.info tells beside that is for those who have logged in."""
        result: SystemVersion = self._call("system.version", {}, timeout)
        return result

    def info(self, *, timeout: Optional[float] = None) -> SystemInfo:
        """Tells version, board, uptime and devices."""
        result: SystemInfo = self._call("system.info", {}, timeout)
        return result

    def reboot(self, *, timeout: Optional[float] = None) -> None:
        """Completes and syncs what is open, then starts the board anew. A take that is being recorded is saved
        first."""
        self._call("system.reboot", {}, timeout)

    def powerOff(self, *, timeout: Optional[float] = None) -> None:
        """Completes and syncs what is open, then switches the board off. A take that is being recorded is saved
        first."""
        self._call("system.powerOff", {}, timeout)

    def doctor(self, *, timeout: Optional[float] = None) -> SystemDoctor:
        """Probes every device and says how to mend what does not work. Verdicts: works, in use, limited, absent;
        missing, denied, busy, failed have to be mended."""
        result: SystemDoctor = self._call("system.doctor", {}, timeout)
        return result

    def selftest(self, *, timeout: Optional[float] = None) -> SystemSelftest:
        """Checks budget, settings, storage, screens, and records and decodes a trial take. Takes some seconds of
        the processor, beside what the device does."""
        result: SystemSelftest = self._call("system.selftest", {}, timeout)
        return result

    def bundle(self, *, timeout: Optional[float] = None) -> SystemBundle:
        """Makes a file of all that helps to find out what is wrong. A tar of doctor, settings, board, budget, the
        latest events, log and crash reports. Names of takes, addresses and secrets are left out. files.read reads
        it; the next one takes its place."""
        result: SystemBundle = self._call("system.bundle", {}, timeout)
        return result


class ClockNoun(_Noun):
    """The methods `clock.…`."""

    def get(self, *, timeout: Optional[float] = None) -> ClockGet:
        """Tells date, time and zone."""
        result: ClockGet = self._call("clock.get", {}, timeout)
        return result

    def set(
        self,
        time: Optional[str] = None,
        *,
        zone: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> ClockSet:
        """Sets date and time, or the zone. Sound and pictures are timed by another clock, and do not notice. The
        answer comes when the clock shows the time; the board's battery-backed clock is set with it. `time`:
        2026-11-23T16:30:00Z, or without Z by the zone's clocks; 16:30 is today. `zone`: its name, as Europe/Berlin,
        or its rule as POSIX has it."""
        result: ClockSet = self._call("clock.set", _given(time=time, zone=zone), timeout)
        return result


class UpdateNoun(_Noun):
    """The methods `update.…`."""

    def status(self, *, timeout: Optional[float] = None) -> UpdateStatus:
        """Tells how far an update is, or what became of it."""
        result: UpdateStatus = self._call("update.status", {}, timeout)
        return result

    def install(self, file: Optional[str] = None, *, timeout: Optional[float] = None) -> None:
        """Has an update file checked, and written to the root that does not run. The file of a stick is found by
        itself. What an address leads to is fetched first, while nothing is recorded. All of it is read against its
        signature before the first byte is written. `update.status` tells how far it is; when it is installed,
        `system.reboot` starts it. It is given up for the version from before unless it is armed for a minute and
        passes its self-test. `file`: its whole path, on the data partition, or its address, https://…; without it,
        the newest on a stick."""
        self._call("update.install", _given(file=file), timeout)

    def cancel(self, *, timeout: Optional[float] = None) -> UpdateCancel:
        """Ends what update.install fetches by the network; nothing of it stays."""
        result: UpdateCancel = self._call("update.cancel", {}, timeout)
        return result

    def confirm(self, *, timeout: Optional[float] = None) -> None:
        """Has a version on trial judged now, by its self-test alone. Nobody waits for the rest of the minute in
        which it has to be armed. `update.status` tells what came of it: good, or failed, and the version from
        before is started."""
        self._call("update.confirm", {}, timeout)


class TrialNoun(_Noun):
    """The methods `trial.…`."""

    def show(
        self,
        led: Optional[Literal["none", "all", "dark", "REC", "STATUS", "LOCK", "BUZZER"]] = None,
        *,
        pattern: Optional[Literal["none", "white", "black", "chess", "frame"]] = None,
        seconds: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> TrialShow:
        """Lights LEDs and shows a test picture instead of the device's own, for whoever tests the panel. Both back
        to none, or its time, ends it; so does a recording. `led`: what is lit and nothing else; none: as usual.
        `pattern`: what the screen shows; none: as usual. `seconds`: for how long."""
        result: TrialShow = self._call("trial.show", _given(led=led, pattern=pattern, seconds=seconds), timeout)
        return result

    def key(self, seconds: Optional[int] = None, *, timeout: Optional[float] = None) -> TrialKey:
        """Waits for a key of the panel, and tells which; the press means nothing else. `seconds`: for how long."""
        result: TrialKey = self._call("trial.key", _given(seconds=seconds), timeout)
        return result

    def tone(
        self,
        hertz: Optional[int] = None,
        *,
        seconds: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> TrialTone:
        """Plays a tone on the speaker and measures what the microphone hears of it. For a loop from one to the
        other, by cable or through the air. Heard is what becomes louder by 6 dB. `hertz`: of the tone, at -12 dB of
        full scale. `seconds`: for how long."""
        result: TrialTone = self._call("trial.tone", _given(hertz=hertz, seconds=seconds), timeout)
        return result

    def note(
        self,
        check: str,
        outcome: Literal["ok", "failed", "skipped"],
        *,
        detail: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> None:
        """Writes what came of a check into the log, and so into the support bundle. `check`: what was looked at.
        `outcome`: what came of it. `detail`: what was seen."""
        self._call("trial.note", _given(check=check, outcome=outcome, detail=detail), timeout)


class FaultNoun(_Noun):
    """The methods `fault.…`."""

    def inject(self, fault: str, *, timeout: Optional[float] = None) -> None:
        """Makes a device fail, in the simulator and on the rig. microphone unplug, replug, overrun S, stall S;
        storage full, ok, free MB, stall S, slow S; board heat C, cool, throttle, unthrottle, battery P, mains;
        pressure cpu P, memory P, io P, off; speaker, display or camera unplug, replug; camera stall S, garbage;
        clock jump +S or -S; power cut. S is in seconds. `fault`: the fault, in the words of scripts."""
        self._call("fault.inject", _given(fault=fault), timeout)


class OperatorsNoun(_Noun):
    """The methods `operators.…`."""

    def list(self, *, timeout: Optional[float] = None) -> OperatorsList:
        """Lists who may work with the device."""
        result: OperatorsList = self._call("operators.list", {}, timeout)
        return result

    def add(
        self,
        name: str,
        role: Literal["viewer", "operator", "technician"],
        password: str,
        *,
        timeout: Optional[float] = None,
    ) -> None:
        """Adds somebody who may work with the device. The first has to be a technician; from then on consoles ask
        who is there. The keys of the panel do not. `name`: 1 to 32 letters and digits, -, _ and ., a letter first.
        `role`: viewer looks, operator records and plays, technician sets up. `password`: 8 to 128 bytes; a sentence
        is a good one."""
        self._call("operators.add", _given(name=name, role=role, password=password), timeout)

    def remove(self, name: str, *, timeout: Optional[float] = None) -> None:
        """Removes somebody; their sessions end. The last of all may go, and then everybody may do everything again;
        the only technician among others may not. `name`: 1 to 32 letters and digits, -, _ and ., a letter first."""
        self._call("operators.remove", _given(name=name), timeout)

    def password(self, name: str, password: str, *, timeout: Optional[float] = None) -> None:
        """Gives somebody another password; their sessions end. `name`: 1 to 32 letters and digits, -, _ and ., a
        letter first. `password`: 8 to 128 bytes; a sentence is a good one."""
        self._call("operators.password", _given(name=name, password=password), timeout)


class AuditNoun(_Noun):
    """The methods `audit.…`."""

    def tail(self, lines: Optional[int] = None, *, timeout: Optional[float] = None) -> AuditTail:
        """Shows who did what, and whether anybody has changed the record of it. Nothing is written down while no
        operators are set up. Each line of log/audit.log carries the hash of the one before. `lines`: how many at
        most."""
        result: AuditTail = self._call("audit.tail", _given(lines=lines), timeout)
        return result


class AuthNoun(_Noun):
    """The methods `auth.…`."""

    def login(self, name: str, password: str, *, timeout: Optional[float] = None) -> AuthLogin:
        """Logs somebody in at this console. It holds until auth.logout, until the console hangs up, or until
        nothing has come from it for operators.timeoutMinutes. After three wrong passwords each further one has to
        wait, twice as long each time; the error says until when. `name`: of the operator. `password`: as it was
        given by operators.add."""
        result: AuthLogin = self._call("auth.login", _given(name=name, password=password), timeout)
        return result

    def logout(self, *, timeout: Optional[float] = None) -> None:
        """Logs out whoever has logged in at this console."""
        self._call("auth.logout", {}, timeout)

    def status(self, *, timeout: Optional[float] = None) -> AuthStatus:
        """Tells who has logged in at this console."""
        result: AuthStatus = self._call("auth.status", {}, timeout)
        return result


class RpcNoun(_Noun):
    """The methods `rpc.…`."""

    def methods(self, *, timeout: Optional[float] = None) -> List[RpcMethods]:
        """Lists the methods, what they take and what they give. The whole of it, as an OpenRPC document: mynah
        console --schema."""
        result: List[RpcMethods] = self._call("rpc.methods", {}, timeout)
        return result


class Methods:
    """All methods, by their nouns: `panel.press` is `client.panel.press(…)`."""

    _call: Callable[..., Any]

    @property
    def panel(self) -> PanelNoun:
        return PanelNoun(self._call)

    @property
    def recorder(self) -> RecorderNoun:
        return RecorderNoun(self._call)

    @property
    def player(self) -> PlayerNoun:
        return PlayerNoun(self._call)

    @property
    def library(self) -> LibraryNoun:
        return LibraryNoun(self._call)

    @property
    def export(self) -> ExportNoun:
        return ExportNoun(self._call)

    @property
    def stick(self) -> StickNoun:
        return StickNoun(self._call)

    @property
    def files(self) -> FilesNoun:
        return FilesNoun(self._call)

    @property
    def proof(self) -> ProofNoun:
        return ProofNoun(self._call)

    @property
    def marks(self) -> MarksNoun:
        return MarksNoun(self._call)

    @property
    def clips(self) -> ClipsNoun:
        return ClipsNoun(self._call)

    @property
    def dub(self) -> DubNoun:
        return DubNoun(self._call)

    @property
    def feed(self) -> FeedNoun:
        return FeedNoun(self._call)

    @property
    def schedule(self) -> ScheduleNoun:
        return ScheduleNoun(self._call)

    @property
    def settings(self) -> SettingsNoun:
        return SettingsNoun(self._call)

    @property
    def budget(self) -> BudgetNoun:
        return BudgetNoun(self._call)

    @property
    def governor(self) -> GovernorNoun:
        return GovernorNoun(self._call)

    @property
    def log(self) -> LogNoun:
        return LogNoun(self._call)

    @property
    def events(self) -> EventsNoun:
        return EventsNoun(self._call)

    @property
    def session(self) -> SessionNoun:
        return SessionNoun(self._call)

    @property
    def system(self) -> SystemNoun:
        return SystemNoun(self._call)

    @property
    def clock(self) -> ClockNoun:
        return ClockNoun(self._call)

    @property
    def update(self) -> UpdateNoun:
        return UpdateNoun(self._call)

    @property
    def trial(self) -> TrialNoun:
        return TrialNoun(self._call)

    @property
    def fault(self) -> FaultNoun:
        return FaultNoun(self._call)

    @property
    def operators(self) -> OperatorsNoun:
        return OperatorsNoun(self._call)

    @property
    def audit(self) -> AuditNoun:
        return AuditNoun(self._call)

    @property
    def auth(self) -> AuthNoun:
        return AuthNoun(self._call)

    @property
    def rpc(self) -> RpcNoun:
        return RpcNoun(self._call)


class AsyncPanelNoun(_Noun):
    """The methods `panel.…`."""

    async def press(
        self,
        button: Literal["REC", "STOP", "UP", "DOWN", "LEFT", "RIGHT", "CENTRE", "LOCK", "MARK"],
        *,
        ms: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> PanelPress:
        """Presses a key of the panel. The same as a finger on the key: the lock and the mode apply. The answer
        comes when it is up again. `button`: the key. `ms`: how long it is down; a long press is 600, unlocking
        2000."""
        result: PanelPress = await self._call("panel.press", _given(button=button, ms=ms), timeout)
        return result

    async def mode(
        self,
        mode: Literal["dictaphone", "clips", "dub", "feed", "files"],
        *,
        timeout: Optional[float] = None,
    ) -> PanelMode:
        """Changes the mode, or opens the file list. `mode`: the mode."""
        result: PanelMode = await self._call("panel.mode", _given(mode=mode), timeout)
        return result

    async def state(self, *, timeout: Optional[float] = None) -> PanelState:
        """Tells mode, lock, LEDs and what is on the screen."""
        result: PanelState = await self._call("panel.state", {}, timeout)
        return result

    async def screen(self, *, timeout: Optional[float] = None) -> PanelScreen:
        """Gives the picture on the screen."""
        result: PanelScreen = await self._call("panel.screen", {}, timeout)
        return result


class AsyncRecorderNoun(_Noun):
    """The methods `recorder.…`."""

    async def start(self, *, timeout: Optional[float] = None) -> None:
        """Starts a take. The take begins with the pre-recorded seconds before the call; its name comes with
        onTakeStarted."""
        await self._call("recorder.start", {}, timeout)

    async def pause(self, *, timeout: Optional[float] = None) -> None:
        """Pauses the take."""
        await self._call("recorder.pause", {}, timeout)

    async def resume(self, *, timeout: Optional[float] = None) -> None:
        """Goes on with the paused take."""
        await self._call("recorder.resume", {}, timeout)

    async def stop(self, *, timeout: Optional[float] = None) -> None:
        """Ends the take and saves it. The answer comes when it is durable, or after ten seconds with a card that
        does not answer; onTakeSaved says what came of it."""
        await self._call("recorder.stop", {}, timeout)

    async def mark(self, title: Optional[str] = None, *, timeout: Optional[float] = None) -> None:
        """Puts a mark where the take, or the player, is now. The answer comes when it is on the storage, or after
        ten seconds with a card that does not answer; the mark is of the moment of the call. `title`: the mark's
        title."""
        await self._call("recorder.mark", _given(title=title), timeout)

    async def status(self, *, timeout: Optional[float] = None) -> RecorderStatus:
        """Tells what the recorder does."""
        result: RecorderStatus = await self._call("recorder.status", {}, timeout)
        return result

    async def meters(self, *, timeout: Optional[float] = None) -> RecorderMeters:
        """Reads the level meters."""
        result: RecorderMeters = await self._call("recorder.meters", {}, timeout)
        return result

    async def sources(self, *, timeout: Optional[float] = None) -> RecorderSources:
        """Lists the microphones that are there. recording.source says which is preferred: names, best first."""
        result: RecorderSources = await self._call("recorder.sources", {}, timeout)
        return result


class AsyncPlayerNoun(_Noun):
    """The methods `player.…`."""

    async def play(
        self,
        id: Optional[str] = None,
        *,
        safety: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> None:
        """Plays a take or clip, or goes on playing. `id`: the take or clip; the loaded one without it. `safety`:
        the safety take beside it."""
        await self._call("player.play", _given(id=id, safety=safety), timeout)

    async def pause(self, *, timeout: Optional[float] = None) -> None:
        """Pauses playing."""
        await self._call("player.pause", {}, timeout)

    async def stop(self, *, timeout: Optional[float] = None) -> None:
        """Stops playing; the position is kept."""
        await self._call("player.stop", {}, timeout)

    async def seek(self, seconds: float, *, timeout: Optional[float] = None) -> None:
        """Moves forward or back. `seconds`: by how much; negative: back."""
        await self._call("player.seek", _given(seconds=seconds), timeout)

    async def skip(self, to: Literal["next", "previous"], *, timeout: Optional[float] = None) -> None:
        """Goes to the next or the previous mark. `to`: which one."""
        await self._call("player.skip", _given(to=to), timeout)

    async def loop(
        self,
        from_: Optional[float] = None,
        *,
        to: Optional[float] = None,
        timeout: Optional[float] = None,
    ) -> None:
        """Repeats what lies between two places of the take. To the sample, and without a click. Without them it
        plays on; stopping ends it, too. `from_`: where it begins, in seconds of the take. `to`: where it ends; 0.1
        s further on at least."""
        await self._call("player.loop", _given(from_=from_, to=to), timeout)

    async def status(self, *, timeout: Optional[float] = None) -> PlayerStatus:
        """Tells what the player does."""
        result: PlayerStatus = await self._call("player.status", {}, timeout)
        return result


class AsyncLibraryNoun(_Noun):
    """The methods `library.…`."""

    async def list(
        self,
        query: Optional[str] = None,
        *,
        offset: Optional[int] = None,
        limit: Optional[int] = None,
        sort: Optional[Literal["newest", "oldest", "name", "longest", "largest", "date", "length", "size"]] = None,
        descending: Optional[bool] = None,
        favourites: Optional[bool] = None,
        tag: Optional[str] = None,
        marks: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> LibraryList:
        """Lists takes. `query`: only those whose name, tags or titles of marks contain these words. `offset`: how
        many to leave out at the beginning. `limit`: how many at most. `sort`: the order. `descending`: the highest
        first, or not; without it names go from A to Z, all else from the highest. `favourites`: only favourites.
        `tag`: only those with this tag. `marks`: only those with marks."""
        params = _given(
            query=query,
            offset=offset,
            limit=limit,
            sort=sort,
            descending=descending,
            favourites=favourites,
            tag=tag,
            marks=marks,
        )
        result: LibraryList = await self._call("library.list", params, timeout)
        return result

    async def show(self, id: str, *, timeout: Optional[float] = None) -> LibraryShow:
        """Tells all about a take. `id`: the take's file name, as library.list shows it."""
        result: LibraryShow = await self._call("library.show", _given(id=id), timeout)
        return result

    async def rename(self, id: str, name: str, *, timeout: Optional[float] = None) -> LibraryRename:
        """Changes the name that people see; the file keeps its own. `id`: the take's file name, as library.list
        shows it. `name`: the new name."""
        result: LibraryRename = await self._call("library.rename", _given(id=id, name=name), timeout)
        return result

    async def delete(
        self,
        id: Optional[str] = None,
        *,
        ids: Optional[Sequence[str]] = None,
        timeout: Optional[float] = None,
    ) -> LibraryDelete:
        """Deletes takes; "undelete" brings all of them back for a while. Tells of many by onLibraryProgress;
        library.cancel ends it. `id`: the take's file name, as library.list shows it. `ids`: instead of it, the
        names of many."""
        result: LibraryDelete = await self._call("library.delete", _given(id=id, ids=ids), timeout)
        return result

    async def undelete(self, *, timeout: Optional[float] = None) -> LibraryUndelete:
        """Brings back the takes or the clip deleted last."""
        result: LibraryUndelete = await self._call("library.undelete", {}, timeout)
        return result

    async def protect(
        self,
        id: str,
        *,
        protected: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> LibraryProtect:
        """Keeps a take from being deleted, or no longer. `id`: the take's file name, as library.list shows it.
        `protected`: false takes the protection off."""
        result: LibraryProtect = await self._call("library.protect", _given(id=id, protected=protected), timeout)
        return result

    async def tag(
        self,
        id: Optional[str] = None,
        *,
        ids: Optional[Sequence[str]] = None,
        add: Optional[Sequence[str]] = None,
        remove: Optional[Sequence[str]] = None,
        timeout: Optional[float] = None,
    ) -> LibraryTag:
        """Gives takes tags, or takes tags from them. `id`: the take's file name, as library.list shows it. `ids`:
        instead of it, the names of many. `add`: tags that they get. `remove`: tags that go."""
        result: LibraryTag = await self._call("library.tag", _given(id=id, ids=ids, add=add, remove=remove), timeout)
        return result

    async def tags(self, *, timeout: Optional[float] = None) -> LibraryTags:
        """Lists the tags that takes have."""
        result: LibraryTags = await self._call("library.tags", {}, timeout)
        return result

    async def favourite(
        self,
        id: Optional[str] = None,
        *,
        ids: Optional[Sequence[str]] = None,
        on: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> LibraryFavourite:
        """Makes takes favourites, or no longer. `id`: the take's file name, as library.list shows it. `ids`:
        instead of it, the names of many. `on`: false: no longer."""
        result: LibraryFavourite = await self._call("library.favourite", _given(id=id, ids=ids, on=on), timeout)
        return result

    async def copy(self, id: str, *, timeout: Optional[float] = None) -> LibraryCopy:
        """Copies a take: another one, of the same sound, tags and marks. Tells how far it is by onLibraryProgress;
        library.cancel ends it, and nothing of it stays. `id`: the take's file name, as library.list shows it."""
        result: LibraryCopy = await self._call("library.copy", _given(id=id), timeout)
        return result

    async def cancel(self, *, timeout: Optional[float] = None) -> LibraryCancel:
        """Ends copies and what is being done to many takes. What is done already stays so; of a copy nothing stays."""
        result: LibraryCancel = await self._call("library.cancel", {}, timeout)
        return result

    async def verify(self, id: Optional[str] = None, *, timeout: Optional[float] = None) -> LibraryVerify:
        """Looks into takes and clips, at their notes and the catalogue, and says what is wrong. `id`: one take or
        clip; all of them without it."""
        result: LibraryVerify = await self._call("library.verify", _given(id=id), timeout)
        return result

    async def repair(self, id: Optional[str] = None, *, timeout: Optional[float] = None) -> LibraryRepair:
        """Mends what can be mended; what cannot goes to _Corrupted/ with a note. `id`: one take or clip; all of
        them without it."""
        result: LibraryRepair = await self._call("library.repair", _given(id=id), timeout)
        return result

    async def export(
        self,
        id: Optional[str] = None,
        *,
        ids: Optional[Sequence[str]] = None,
        all: Optional[bool] = None,
        safety: Optional[bool] = None,
        format: Optional[Literal["asIs", "m4a", "flac", "wav", "mp3", "alaw", "mulaw"]] = None,
        timeout: Optional[float] = None,
    ) -> LibraryExport:
        """Copies takes and clips to the stick, reads them back, and lets go of it. While something is being
        recorded it waits. Tells how far it is by onLibraryProgress; library.cancel ends it: what is whole on the
        stick stays there. `id`: the file name, or the number, of a take or of a clip. `ids`: instead of it, those
        of many. `all`: true: all takes and clips. `safety`: true: safety takes, too. `format`: what takes become
        there, each in one file with name, date and marks; asIs: the files themselves; left out: as export.format
        says. Clips, and takes that were not made here, go as they are."""
        params = _given(
            id=id,
            ids=ids,
            all=all,
            safety=safety,
            format=format,
        )
        result: LibraryExport = await self._call("library.export", params, timeout)
        return result


class AsyncExportNoun(_Noun):
    """The methods `export.…`."""

    async def start(
        self,
        ids: Optional[Sequence[str]] = None,
        *,
        to: Optional[Literal["stick"]] = None,
        format: Optional[Literal["asIs", "m4a", "flac", "wav", "mp3", "alaw", "mulaw"]] = None,
        timeout: Optional[float] = None,
    ) -> None:
        """Begins to copy takes and clips to the stick, and does not wait for it. `export.status` tells how far it
        is and what came of it; library.cancel ends it. It is library.export for programs that look from time to
        time. While something is being recorded it waits. `ids`: the file names, or the numbers, of takes and clips;
        left out: all of them. `to`: where they go: a stick is all there is. `format`: as for library.export; left
        out: as export.format says."""
        await self._call("export.start", _given(ids=ids, to=to, format=format), timeout)

    async def status(self, *, timeout: Optional[float] = None) -> ExportStatus:
        """Tells how far an export to the stick is, or what came of the last one. Whoever has begun it:
        export.start, library.export, or a key."""
        result: ExportStatus = await self._call("export.status", {}, timeout)
        return result


class AsyncStickNoun(_Noun):
    """The methods `stick.…`."""

    async def status(self, *, timeout: Optional[float] = None) -> StickStatus:
        """Tells what is in the socket for a stick."""
        result: StickStatus = await self._call("stick.status", {}, timeout)
        return result


class AsyncFilesNoun(_Noun):
    """The methods `files.…`."""

    async def list(self, id: str, *, timeout: Optional[float] = None) -> FilesList:
        """Lists the files of a take or a clip. A split take has one for each part, in their order; the safety takes
        come last. `id`: the file name of a take or of a clip."""
        result: FilesList = await self._call("files.list", _given(id=id), timeout)
        return result

    async def read(
        self,
        id: str,
        *,
        offset: Optional[int] = None,
        bytes: Optional[int] = None,
        notes: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> FilesRead:
        """Reads a piece of a take's or a clip's file. Read it from offset 0, each piece from where the one before
        it ended, and the last one says the sum of the whole file. `id`: the file name of a take, of a part of one,
        of a clip, or what system.bundle has made. `offset`: where the piece begins. `bytes`: how long it is at
        most. `notes`: the notes beside it instead: metadata, or a clip's receipt."""
        params = _given(
            id=id,
            offset=offset,
            bytes=bytes,
            notes=notes,
        )
        result: FilesRead = await self._call("files.read", params, timeout)
        return result

    async def write(
        self,
        name: str,
        total: int,
        *,
        offset: Optional[int] = None,
        data: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> FilesWrite:
        """Takes a piece of a sound, for the list of takes, or of an update (.raucb). Ask without data first: a file
        that broke off goes on where it was. Each piece begins where the answer says; others are not taken. Nothing
        is overwritten: a name that is there gets a number. `name`: what the file is called. `total`: bytes of the
        whole file. `offset`: where the piece begins. `data`: the piece, in base64; without it: only how far it is."""
        params = _given(
            name=name,
            total=total,
            offset=offset,
            data=data,
        )
        result: FilesWrite = await self._call("files.write", params, timeout)
        return result


class AsyncProofNoun(_Noun):
    """The methods `proof.…`."""

    async def key(self, *, timeout: Optional[float] = None) -> ProofKey:
        """Tells the device's public key, by which anybody checks what it signed."""
        result: ProofKey = await self._call("proof.key", {}, timeout)
        return result

    async def verify(self, id: str, *, timeout: Optional[float] = None) -> ProofVerify:
        """Compares a take or clip with its signed receipt. `id`: the take or clip."""
        result: ProofVerify = await self._call("proof.verify", _given(id=id), timeout)
        return result


class AsyncMarksNoun(_Noun):
    """The methods `marks.…`."""

    async def list(self, id: str, *, timeout: Optional[float] = None) -> MarksList:
        """Lists the marks of a take. `id`: the take's file name, as library.list shows it."""
        result: MarksList = await self._call("marks.list", _given(id=id), timeout)
        return result

    async def set(
        self,
        id: str,
        *,
        number: Optional[int] = None,
        seconds: Optional[float] = None,
        title: Optional[str] = None,
        note: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> MarksSet:
        """Adds a mark to a take, or gives one another place, title or note. With a number that mark is changed,
        without there is another one. An empty text takes it away. `id`: the take's file name, as library.list shows
        it. `number`: the mark that is changed. `seconds`: where it is to be in the take. `title`: its title.
        `note`: its note."""
        params = _given(
            id=id,
            number=number,
            seconds=seconds,
            title=title,
            note=note,
        )
        result: MarksSet = await self._call("marks.set", params, timeout)
        return result

    async def move(self, id: str, number: int, seconds: float, *, timeout: Optional[float] = None) -> MarksMove:
        """Moves a mark of a take. `id`: the take's file name, as library.list shows it. `number`: the mark's
        number, as marks.list shows it. `seconds`: where it is to be in the take."""
        result: MarksMove = await self._call("marks.move", _given(id=id, number=number, seconds=seconds), timeout)
        return result

    async def remove(self, id: str, number: int, *, timeout: Optional[float] = None) -> MarksRemove:
        """Takes a mark out of a take. `id`: the take's file name, as library.list shows it. `number`: the mark's
        number, as marks.list shows it."""
        result: MarksRemove = await self._call("marks.remove", _given(id=id, number=number), timeout)
        return result


class AsyncClipsNoun(_Noun):
    """The methods `clips.…`."""

    async def trigger(self, wait: Optional[bool] = None, *, timeout: Optional[float] = None) -> ClipsTrigger:
        """Keeps a clip: the seconds in the ring, and the post-roll. See onCaptureStarted; onCaptureCompleted says
        when the file is there and durable, and so does the answer to a call with wait, which is busy ten seconds
        after the post-roll with a card that does not answer. Only in clip mode: panel.mode clips. `wait`: true
        answers when the file is there and durable."""
        result: ClipsTrigger = await self._call("clips.trigger", _given(wait=wait), timeout)
        return result

    async def endPostRoll(self, *, timeout: Optional[float] = None) -> None:
        """Ends the clip that runs now. onCaptureCompleted says when it is durable."""
        await self._call("clips.endPostRoll", {}, timeout)

    async def continuous(self, *, timeout: Optional[float] = None) -> None:
        """Keeps everything from now on, in clips that join without a seam. clips.endPostRoll ends it."""
        await self._call("clips.continuous", {}, timeout)

    async def timeLapse(self, seconds: Optional[float] = None, *, timeout: Optional[float] = None) -> None:
        """Keeps a picture every so often in one clip, shown at 30 a second. clips.endPostRoll ends it. It has no
        sound. `seconds`: from one picture to the next."""
        await self._call("clips.timeLapse", _given(seconds=seconds), timeout)

    async def snapshot(self, *, timeout: Optional[float] = None) -> ClipsSnapshot:
        """Keeps the picture of now as a JPEG. It answers when that is durable, with a card that does not answer it
        is busy after ten seconds; see onSnapshotSaved."""
        result: ClipsSnapshot = await self._call("clips.snapshot", {}, timeout)
        return result

    async def status(self, *, timeout: Optional[float] = None) -> ClipsStatus:
        """Tells what camera and ring hold, and which clips are open."""
        result: ClipsStatus = await self._call("clips.status", {}, timeout)
        return result

    async def list(
        self,
        query: Optional[str] = None,
        *,
        offset: Optional[int] = None,
        limit: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> ClipsList:
        """Lists clips, newest first. `query`: only those whose name contains this. `offset`: how many to leave out
        at the beginning. `limit`: how many at most."""
        result: ClipsList = await self._call("clips.list", _given(query=query, offset=offset, limit=limit), timeout)
        return result

    async def receipt(self, id: str, *, timeout: Optional[float] = None) -> ClipsReceipt:
        """Tells all about a clip. `id`: the clip's file name, as clips.list shows it."""
        result: ClipsReceipt = await self._call("clips.receipt", _given(id=id), timeout)
        return result

    async def protect(
        self,
        id: str,
        *,
        protected: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> ClipsProtect:
        """Keeps a clip from being deleted, or no longer. `id`: the clip's file name, as clips.list shows it.
        `protected`: false takes the protection off."""
        result: ClipsProtect = await self._call("clips.protect", _given(id=id, protected=protected), timeout)
        return result

    async def delete(self, id: str, *, timeout: Optional[float] = None) -> ClipsDelete:
        """Deletes a clip that is not protected; "undelete" brings it back for a while. `id`: the clip's file name,
        as clips.list shows it."""
        result: ClipsDelete = await self._call("clips.delete", _given(id=id), timeout)
        return result

    async def trim(
        self,
        id: str,
        *,
        start: Optional[float] = None,
        end: Optional[float] = None,
        timeout: Optional[float] = None,
    ) -> ClipsTrim:
        """Makes a clip of a part of another, without encoding again. The start is exact, by an edit list; the other
        clip stays. `id`: the clip's file name, as clips.list shows it. `start`: where the part begins, in seconds.
        `end`: where it ends; the clip's end without it."""
        result: ClipsTrim = await self._call("clips.trim", _given(id=id, start=start, end=end), timeout)
        return result

    async def concat(self, ids: Sequence[str], *, timeout: Optional[float] = None) -> ClipsConcat:
        """Makes one clip of several, without encoding again. They must be of one size and coding; they stay. `ids`:
        the clips, in their order."""
        result: ClipsConcat = await self._call("clips.concat", _given(ids=ids), timeout)
        return result

    async def telemetry(self, count: Optional[int] = None, *, timeout: Optional[float] = None) -> ClipsTelemetry:
        """Gives the readings of the last minutes, oldest first. `count`: how many at most."""
        result: ClipsTelemetry = await self._call("clips.telemetry", _given(count=count), timeout)
        return result


class AsyncDubNoun(_Noun):
    """The methods `dub.…`."""

    async def start(
        self,
        source: Optional[str] = None,
        *,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> DubStart:
        """Plays a stream, a clip or a take with its sound in another language. Takes up the mode dub by itself;
        onDubbingStatus says what is heard. Not while a take is being recorded or a clip being kept. `source`: name,
        place in the list, http(s) address, or file name; the highlighted one without it. `language`: language of
        the dub; as it is set without it."""
        result: DubStart = await self._call("dub.start", _given(source=source, language=language), timeout)
        return result

    async def stop(self, *, timeout: Optional[float] = None) -> None:
        """Ends dubbed playback."""
        await self._call("dub.stop", {}, timeout)

    async def pause(self, *, timeout: Optional[float] = None) -> None:
        """Stops the sound for a while."""
        await self._call("dub.pause", {}, timeout)

    async def resume(self, *, timeout: Optional[float] = None) -> None:
        """Goes on after dub.pause."""
        await self._call("dub.resume", {}, timeout)

    async def seek(self, seconds: float, *, timeout: Optional[float] = None) -> DubSeek:
        """Moves forward or back; in a live stream within what the server still has. `seconds`: by how much;
        negative: back."""
        result: DubSeek = await self._call("dub.seek", _given(seconds=seconds), timeout)
        return result

    async def language(self, language: Optional[str] = None, *, timeout: Optional[float] = None) -> DubLanguage:
        """Tells or changes the language of the dub, while it plays. `language`: such as es or pt-BR; only told
        without it."""
        result: DubLanguage = await self._call("dub.language", _given(language=language), timeout)
        return result

    async def volume(
        self,
        original: Optional[int] = None,
        *,
        dub: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> DubVolume:
        """Tells or changes how loud original and dub are. `original`: dB beside a dub. `dub`: dB."""
        result: DubVolume = await self._call("dub.volume", _given(original=original, dub=dub), timeout)
        return result

    async def enable(self, on: Optional[bool] = None, *, timeout: Optional[float] = None) -> DubEnable:
        """Switches between dub and original. `on`: false: the original."""
        result: DubEnable = await self._call("dub.enable", _given(on=on), timeout)
        return result

    async def sources(self, *, timeout: Optional[float] = None) -> DubSources:
        """Lists what can be played."""
        result: DubSources = await self._call("dub.sources", {}, timeout)
        return result

    async def status(self, *, timeout: Optional[float] = None) -> DubStatus:
        """Tells what is heard, from where, and how healthy it is. onDubbingStatus carries the same with every
        change, and every five seconds while something plays."""
        result: DubStatus = await self._call("dub.status", {}, timeout)
        return result

    async def receipt(self, id: Optional[str] = None, *, timeout: Optional[float] = None) -> DubReceipt:
        """Tells how something was dubbed that is over. Beside what it says of itself it has the figures of
        dub.status, as they were at the end. `id`: its file name, as dub.receipts shows it; the newest without it."""
        result: DubReceipt = await self._call("dub.receipt", _given(id=id), timeout)
        return result

    async def receipts(self, *, timeout: Optional[float] = None) -> DubReceipts:
        """Lists the receipts of what was dubbed, the newest first."""
        result: DubReceipts = await self._call("dub.receipts", {}, timeout)
        return result


class AsyncFeedNoun(_Noun):
    """The methods `feed.…`."""

    async def open(self, source: Optional[str] = None, *, timeout: Optional[float] = None) -> FeedOpen:
        """Opens a feed, and plays its items one after the other. Takes up the mode feed by itself. Not while a take
        is being recorded or a clip being kept. `source`: local for clips and takes, a name or a place in
        feed.sources, or an http(s) address; the last one without it."""
        result: FeedOpen = await self._call("feed.open", _given(source=source), timeout)
        return result

    async def next(self, *, timeout: Optional[float] = None) -> FeedNext:
        """Plays the next item."""
        result: FeedNext = await self._call("feed.next", {}, timeout)
        return result

    async def previous(self, *, timeout: Optional[float] = None) -> FeedPrevious:
        """Plays the item before."""
        result: FeedPrevious = await self._call("feed.previous", {}, timeout)
        return result

    async def status(self, *, timeout: Optional[float] = None) -> FeedStatus:
        """Tells what the feed shows, and how it plays. onFeedChanged carries what changes by an event."""
        result: FeedStatus = await self._call("feed.status", {}, timeout)
        return result

    async def pause(self, *, timeout: Optional[float] = None) -> FeedPause:
        """Stops the item for a while."""
        result: FeedPause = await self._call("feed.pause", {}, timeout)
        return result

    async def resume(self, *, timeout: Optional[float] = None) -> FeedResume:
        """Goes on, plays what is shown, or tries again what failed."""
        result: FeedResume = await self._call("feed.resume", {}, timeout)
        return result

    async def seek(self, seconds: float, *, timeout: Optional[float] = None) -> FeedSeek:
        """Moves forward or back in the item. `seconds`: by how much; negative: back."""
        result: FeedSeek = await self._call("feed.seek", _given(seconds=seconds), timeout)
        return result

    async def stop(self, *, timeout: Optional[float] = None) -> FeedStop:
        """Ends the item."""
        result: FeedStop = await self._call("feed.stop", {}, timeout)
        return result

    async def mute(self, on: Optional[bool] = None, *, timeout: Optional[float] = None) -> FeedMute:
        """Plays on without being heard, or is heard again. `on`: false: it is heard."""
        result: FeedMute = await self._call("feed.mute", _given(on=on), timeout)
        return result

    async def refresh(self, *, timeout: Optional[float] = None) -> FeedRefresh:
        """Loads the feed anew from its first page."""
        result: FeedRefresh = await self._call("feed.refresh", {}, timeout)
        return result

    async def favourite(self, *, timeout: Optional[float] = None) -> FeedFavourite:
        """Makes the item that is shown a favourite, or no longer."""
        result: FeedFavourite = await self._call("feed.favourite", {}, timeout)
        return result


class AsyncScheduleNoun(_Noun):
    """The methods `schedule.…`."""

    async def list(self, *, timeout: Optional[float] = None) -> ScheduleList:
        """Lists when the device records by itself."""
        result: ScheduleList = await self._call("schedule.list", {}, timeout)
        return result

    async def add(self, when: str, *, timeout: Optional[float] = None) -> None:
        """Has the device record by itself. For example mon-fri 06:30 08:00; daily sunrise-30 sunrise+60 every 15
        for 2. A take by hand comes first. `when`: days, from and to; then every MINUTES for MINUTES."""
        await self._call("schedule.add", _given(when=when), timeout)

    async def remove(self, number: int, *, timeout: Optional[float] = None) -> None:
        """Takes a schedule off; its take, if one is open, ends. `number`: of the schedule."""
        await self._call("schedule.remove", _given(number=number), timeout)

    async def enable(self, number: int, *, on: Optional[bool] = None, timeout: Optional[float] = None) -> None:
        """Has a schedule count, or rest. `number`: of the schedule. `on`: whether it counts."""
        await self._call("schedule.enable", _given(number=number, on=on), timeout)


class AsyncSettingsNoun(_Noun):
    """The methods `settings.…`."""

    async def get(self, key: Optional[str] = None, *, timeout: Optional[float] = None) -> Dict[str, Scalar]:
        """Reads settings. `key`: one setting; all without it."""
        result: Dict[str, Scalar] = await self._call("settings.get", _given(key=key), timeout)
        return result

    async def set(self, values: Mapping[str, Scalar], *, timeout: Optional[float] = None) -> Dict[str, Scalar]:
        """Changes settings: {name: value}, all of them or none. A name that does not exist or a value out of range
        is refused, and nothing is changed. The answer comes when the settings are on the storage; if it does not
        take them, nothing is changed either. With a card that does not answer it is busy after ten seconds: they
        hold, and are kept once it answers."""
        result: Dict[str, Scalar] = await self._call("settings.set", values, timeout)
        return result


class AsyncBudgetNoun(_Noun):
    """The methods `budget.…`."""

    async def report(self, *, timeout: Optional[float] = None) -> BudgetReport:
        """Shows memory and processor time, declared and used."""
        result: BudgetReport = await self._call("budget.report", {}, timeout)
        return result


class AsyncGovernorNoun(_Noun):
    """The methods `governor.…`."""

    async def status(self, *, timeout: Optional[float] = None) -> GovernorStatus:
        """Tells what gives way because the board is under strain. The ladder is the board file's. What has no
        sensor is absent from the readings. See onGovernorStep."""
        result: GovernorStatus = await self._call("governor.status", {}, timeout)
        return result


class AsyncLogNoun(_Noun):
    """The methods `log.…`."""

    async def tail(
        self,
        lines: Optional[int] = None,
        *,
        level: Optional[Literal["debug", "info", "warning", "error"]] = None,
        timeout: Optional[float] = None,
    ) -> LogTail:
        """Shows the latest lines of the log. `lines`: how many. `level`: the least severe level."""
        result: LogTail = await self._call("log.tail", _given(lines=lines, level=level), timeout)
        return result

    async def crash(self, number: Optional[int] = None, *, timeout: Optional[float] = None) -> LogCrash:
        """Shows the report of a crash. The newest five are kept as log/crash-N.txt. Scripts/symbolize gives their
        addresses names. `number`: which; the newest without it."""
        result: LogCrash = await self._call("log.crash", _given(number=number), timeout)
        return result

    async def follow(
        self,
        on: Optional[bool] = None,
        *,
        level: Optional[Literal["debug", "info", "warning", "error"]] = None,
        timeout: Optional[float] = None,
    ) -> None:
        """Sends lines of the log to this console as they come. Each is a notification of the method "log" with what
        log.tail has of a line. Lines that the console is too slow to take are left out, and counted in "lost" of
        the next one. `on`: false: no longer. `level`: the least severe level."""
        await self._call("log.follow", _given(on=on, level=level), timeout)


class AsyncEventsNoun(_Noun):
    """The methods `events.…`."""

    async def recent(
        self,
        count: Optional[int] = None,
        *,
        topics: Optional[Sequence[Topic]] = None,
        timeout: Optional[float] = None,
    ) -> EventsRecent:
        """Shows the latest events. The latest 200 of this run, without telemetry, which comes ten times a second,
        and answers to a script. events.subscribe sends those to come. `count`: how many. `topics`: which; all of
        them without it, or if it is empty."""
        result: EventsRecent = await self._call("events.recent", _given(count=count, topics=topics), timeout)
        return result

    async def subscribe(
        self,
        topics: Optional[Sequence[Topic]] = None,
        *,
        timeout: Optional[float] = None,
    ) -> EventsSubscribe:
        """Sends events to this console from now on. Each console counts its own events, without a hole. Events that
        it is too slow to take are dropped, oldest first, and counted in "lost" of the next one. `topics`: which;
        all of them without it, or if it is empty."""
        result: EventsSubscribe = await self._call("events.subscribe", _given(topics=topics), timeout)
        return result

    async def unsubscribe(self, *, timeout: Optional[float] = None) -> None:
        """Sends no more events to this console."""
        await self._call("events.unsubscribe", {}, timeout)


class AsyncSessionNoun(_Noun):
    """The methods `session.…`."""

    async def status(self, *, timeout: Optional[float] = None) -> SessionStatus:
        """Tells which formats are requested, granted and delivered. Of microphone and speaker; what is not there,
        not open or not used is absent. See session.strategy."""
        result: SessionStatus = await self._call("session.status", {}, timeout)
        return result

    async def strategy(
        self,
        name: Optional[Literal["board", "baseline", "pre-initialised", "forced-rate", "locked"]] = None,
        *,
        timeout: Optional[float] = None,
    ) -> SessionStrategy:
        """Changes how the rate of microphone and speaker is settled. The same as the setting session.strategy. What
        is being recorded or played goes on as it began; without a name the strategies are listed. `name`: the
        strategy, or board; only told without it."""
        result: SessionStrategy = await self._call("session.strategy", _given(name=name), timeout)
        return result

    async def talkBack(self, on: Optional[bool] = None, *, timeout: Optional[float] = None) -> None:
        """Has what the microphone hears be heard on the speaker at once, or ends that. The same as the setting
        session.talkBack. It is silent while something is played. `on`: false: not any more."""
        await self._call("session.talkBack", _given(on=on), timeout)

    async def page(self, lines: int, *, timeout: Optional[float] = None) -> None:
        """Has long listings stop every so many lines, for people. A serial line begins with 24, mynah console on a
        terminal with the terminal's own; others never stop. At a stop SPACE goes on, ENTER by a line, q or ^C ends
        it, and any other key begins the next command. Nothing stops if more has been typed meanwhile. `lines`: of
        the terminal; 0: no stops."""
        await self._call("session.page", _given(lines=lines), timeout)

    async def human(self, *, timeout: Optional[float] = None) -> None:
        """Goes back to the prompt."""
        await self._call("session.human", {}, timeout)

    async def end(self, *, timeout: Optional[float] = None) -> None:
        """Closes this console, where it can be closed."""
        await self._call("session.end", {}, timeout)

    async def help(self, command: Optional[str] = None, *, timeout: Optional[float] = None) -> SessionHelp:
        """Explains the commands. `command`: one command; a list of all without it."""
        result: SessionHelp = await self._call("session.help", _given(command=command), timeout)
        return result


class AsyncSystemNoun(_Noun):
    """The methods `system.…`."""

    async def version(self, *, timeout: Optional[float] = None) -> SystemVersion:
        """Tells which firmware this is. What system.info tells beside that is for those who have logged in."""
        result: SystemVersion = await self._call("system.version", {}, timeout)
        return result

    async def info(self, *, timeout: Optional[float] = None) -> SystemInfo:
        """Tells version, board, uptime and devices."""
        result: SystemInfo = await self._call("system.info", {}, timeout)
        return result

    async def reboot(self, *, timeout: Optional[float] = None) -> None:
        """Completes and syncs what is open, then starts the board anew. A take that is being recorded is saved
        first."""
        await self._call("system.reboot", {}, timeout)

    async def powerOff(self, *, timeout: Optional[float] = None) -> None:
        """Completes and syncs what is open, then switches the board off. A take that is being recorded is saved
        first."""
        await self._call("system.powerOff", {}, timeout)

    async def doctor(self, *, timeout: Optional[float] = None) -> SystemDoctor:
        """Probes every device and says how to mend what does not work. Verdicts: works, in use, limited, absent;
        missing, denied, busy, failed have to be mended."""
        result: SystemDoctor = await self._call("system.doctor", {}, timeout)
        return result

    async def selftest(self, *, timeout: Optional[float] = None) -> SystemSelftest:
        """Checks budget, settings, storage, screens, and records and decodes a trial take. Takes some seconds of
        the processor, beside what the device does."""
        result: SystemSelftest = await self._call("system.selftest", {}, timeout)
        return result

    async def bundle(self, *, timeout: Optional[float] = None) -> SystemBundle:
        """Makes a file of all that helps to find out what is wrong. A tar of doctor, settings, board, budget, the
        latest events, log and crash reports. Names of takes, addresses and secrets are left out. files.read reads
        it; the next one takes its place."""
        result: SystemBundle = await self._call("system.bundle", {}, timeout)
        return result


class AsyncClockNoun(_Noun):
    """The methods `clock.…`."""

    async def get(self, *, timeout: Optional[float] = None) -> ClockGet:
        """Tells date, time and zone."""
        result: ClockGet = await self._call("clock.get", {}, timeout)
        return result

    async def set(
        self,
        time: Optional[str] = None,
        *,
        zone: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> ClockSet:
        """Sets date and time, or the zone. Sound and pictures are timed by another clock, and do not notice. The
        answer comes when the clock shows the time; the board's battery-backed clock is set with it. `time`:
        2026-11-23T16:30:00Z, or without Z by the zone's clocks; 16:30 is today. `zone`: its name, as Europe/Berlin,
        or its rule as POSIX has it."""
        result: ClockSet = await self._call("clock.set", _given(time=time, zone=zone), timeout)
        return result


class AsyncUpdateNoun(_Noun):
    """The methods `update.…`."""

    async def status(self, *, timeout: Optional[float] = None) -> UpdateStatus:
        """Tells how far an update is, or what became of it."""
        result: UpdateStatus = await self._call("update.status", {}, timeout)
        return result

    async def install(self, file: Optional[str] = None, *, timeout: Optional[float] = None) -> None:
        """Has an update file checked, and written to the root that does not run. The file of a stick is found by
        itself. What an address leads to is fetched first, while nothing is recorded. All of it is read against its
        signature before the first byte is written. `update.status` tells how far it is; when it is installed,
        `system.reboot` starts it. It is given up for the version from before unless it is armed for a minute and
        passes its self-test. `file`: its whole path, on the data partition, or its address, https://…; without it,
        the newest on a stick."""
        await self._call("update.install", _given(file=file), timeout)

    async def cancel(self, *, timeout: Optional[float] = None) -> UpdateCancel:
        """Ends what update.install fetches by the network; nothing of it stays."""
        result: UpdateCancel = await self._call("update.cancel", {}, timeout)
        return result

    async def confirm(self, *, timeout: Optional[float] = None) -> None:
        """Has a version on trial judged now, by its self-test alone. Nobody waits for the rest of the minute in
        which it has to be armed. `update.status` tells what came of it: good, or failed, and the version from
        before is started."""
        await self._call("update.confirm", {}, timeout)


class AsyncTrialNoun(_Noun):
    """The methods `trial.…`."""

    async def show(
        self,
        led: Optional[Literal["none", "all", "dark", "REC", "STATUS", "LOCK", "BUZZER"]] = None,
        *,
        pattern: Optional[Literal["none", "white", "black", "chess", "frame"]] = None,
        seconds: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> TrialShow:
        """Lights LEDs and shows a test picture instead of the device's own, for whoever tests the panel. Both back
        to none, or its time, ends it; so does a recording. `led`: what is lit and nothing else; none: as usual.
        `pattern`: what the screen shows; none: as usual. `seconds`: for how long."""
        result: TrialShow = await self._call("trial.show", _given(led=led, pattern=pattern, seconds=seconds), timeout)
        return result

    async def key(self, seconds: Optional[int] = None, *, timeout: Optional[float] = None) -> TrialKey:
        """Waits for a key of the panel, and tells which; the press means nothing else. `seconds`: for how long."""
        result: TrialKey = await self._call("trial.key", _given(seconds=seconds), timeout)
        return result

    async def tone(
        self,
        hertz: Optional[int] = None,
        *,
        seconds: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> TrialTone:
        """Plays a tone on the speaker and measures what the microphone hears of it. For a loop from one to the
        other, by cable or through the air. Heard is what becomes louder by 6 dB. `hertz`: of the tone, at -12 dB of
        full scale. `seconds`: for how long."""
        result: TrialTone = await self._call("trial.tone", _given(hertz=hertz, seconds=seconds), timeout)
        return result

    async def note(
        self,
        check: str,
        outcome: Literal["ok", "failed", "skipped"],
        *,
        detail: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> None:
        """Writes what came of a check into the log, and so into the support bundle. `check`: what was looked at.
        `outcome`: what came of it. `detail`: what was seen."""
        params = _given(
            check=check,
            outcome=outcome,
            detail=detail,
        )
        await self._call("trial.note", params, timeout)


class AsyncFaultNoun(_Noun):
    """The methods `fault.…`."""

    async def inject(self, fault: str, *, timeout: Optional[float] = None) -> None:
        """Makes a device fail, in the simulator and on the rig. microphone unplug, replug, overrun S, stall S;
        storage full, ok, free MB, stall S, slow S; board heat C, cool, throttle, unthrottle, battery P, mains;
        pressure cpu P, memory P, io P, off; speaker, display or camera unplug, replug; camera stall S, garbage;
        clock jump +S or -S; power cut. S is in seconds. `fault`: the fault, in the words of scripts."""
        await self._call("fault.inject", _given(fault=fault), timeout)


class AsyncOperatorsNoun(_Noun):
    """The methods `operators.…`."""

    async def list(self, *, timeout: Optional[float] = None) -> OperatorsList:
        """Lists who may work with the device."""
        result: OperatorsList = await self._call("operators.list", {}, timeout)
        return result

    async def add(
        self,
        name: str,
        role: Literal["viewer", "operator", "technician"],
        password: str,
        *,
        timeout: Optional[float] = None,
    ) -> None:
        """Adds somebody who may work with the device. The first has to be a technician; from then on consoles ask
        who is there. The keys of the panel do not. `name`: 1 to 32 letters and digits, -, _ and ., a letter first.
        `role`: viewer looks, operator records and plays, technician sets up. `password`: 8 to 128 bytes; a sentence
        is a good one."""
        params = _given(
            name=name,
            role=role,
            password=password,
        )
        await self._call("operators.add", params, timeout)

    async def remove(self, name: str, *, timeout: Optional[float] = None) -> None:
        """Removes somebody; their sessions end. The last of all may go, and then everybody may do everything again;
        the only technician among others may not. `name`: 1 to 32 letters and digits, -, _ and ., a letter first."""
        await self._call("operators.remove", _given(name=name), timeout)

    async def password(self, name: str, password: str, *, timeout: Optional[float] = None) -> None:
        """Gives somebody another password; their sessions end. `name`: 1 to 32 letters and digits, -, _ and ., a
        letter first. `password`: 8 to 128 bytes; a sentence is a good one."""
        await self._call("operators.password", _given(name=name, password=password), timeout)


class AsyncAuditNoun(_Noun):
    """The methods `audit.…`."""

    async def tail(self, lines: Optional[int] = None, *, timeout: Optional[float] = None) -> AuditTail:
        """Shows who did what, and whether anybody has changed the record of it. Nothing is written down while no
        operators are set up. Each line of log/audit.log carries the hash of the one before. `lines`: how many at
        most."""
        result: AuditTail = await self._call("audit.tail", _given(lines=lines), timeout)
        return result


class AsyncAuthNoun(_Noun):
    """The methods `auth.…`."""

    async def login(self, name: str, password: str, *, timeout: Optional[float] = None) -> AuthLogin:
        """Logs somebody in at this console. It holds until auth.logout, until the console hangs up, or until
        nothing has come from it for operators.timeoutMinutes. After three wrong passwords each further one has to
        wait, twice as long each time; the error says until when. `name`: of the operator. `password`: as it was
        given by operators.add."""
        result: AuthLogin = await self._call("auth.login", _given(name=name, password=password), timeout)
        return result

    async def logout(self, *, timeout: Optional[float] = None) -> None:
        """Logs out whoever has logged in at this console."""
        await self._call("auth.logout", {}, timeout)

    async def status(self, *, timeout: Optional[float] = None) -> AuthStatus:
        """Tells who has logged in at this console."""
        result: AuthStatus = await self._call("auth.status", {}, timeout)
        return result


class AsyncRpcNoun(_Noun):
    """The methods `rpc.…`."""

    async def methods(self, *, timeout: Optional[float] = None) -> List[RpcMethods]:
        """Lists the methods, what they take and what they give. The whole of it, as an OpenRPC document: mynah
        console --schema."""
        result: List[RpcMethods] = await self._call("rpc.methods", {}, timeout)
        return result


class AsyncMethods:
    """All methods, by their nouns: `panel.press` is `client.panel.press(…)`."""

    _call: Callable[..., Any]

    @property
    def panel(self) -> AsyncPanelNoun:
        return AsyncPanelNoun(self._call)

    @property
    def recorder(self) -> AsyncRecorderNoun:
        return AsyncRecorderNoun(self._call)

    @property
    def player(self) -> AsyncPlayerNoun:
        return AsyncPlayerNoun(self._call)

    @property
    def library(self) -> AsyncLibraryNoun:
        return AsyncLibraryNoun(self._call)

    @property
    def export(self) -> AsyncExportNoun:
        return AsyncExportNoun(self._call)

    @property
    def stick(self) -> AsyncStickNoun:
        return AsyncStickNoun(self._call)

    @property
    def files(self) -> AsyncFilesNoun:
        return AsyncFilesNoun(self._call)

    @property
    def proof(self) -> AsyncProofNoun:
        return AsyncProofNoun(self._call)

    @property
    def marks(self) -> AsyncMarksNoun:
        return AsyncMarksNoun(self._call)

    @property
    def clips(self) -> AsyncClipsNoun:
        return AsyncClipsNoun(self._call)

    @property
    def dub(self) -> AsyncDubNoun:
        return AsyncDubNoun(self._call)

    @property
    def feed(self) -> AsyncFeedNoun:
        return AsyncFeedNoun(self._call)

    @property
    def schedule(self) -> AsyncScheduleNoun:
        return AsyncScheduleNoun(self._call)

    @property
    def settings(self) -> AsyncSettingsNoun:
        return AsyncSettingsNoun(self._call)

    @property
    def budget(self) -> AsyncBudgetNoun:
        return AsyncBudgetNoun(self._call)

    @property
    def governor(self) -> AsyncGovernorNoun:
        return AsyncGovernorNoun(self._call)

    @property
    def log(self) -> AsyncLogNoun:
        return AsyncLogNoun(self._call)

    @property
    def events(self) -> AsyncEventsNoun:
        return AsyncEventsNoun(self._call)

    @property
    def session(self) -> AsyncSessionNoun:
        return AsyncSessionNoun(self._call)

    @property
    def system(self) -> AsyncSystemNoun:
        return AsyncSystemNoun(self._call)

    @property
    def clock(self) -> AsyncClockNoun:
        return AsyncClockNoun(self._call)

    @property
    def update(self) -> AsyncUpdateNoun:
        return AsyncUpdateNoun(self._call)

    @property
    def trial(self) -> AsyncTrialNoun:
        return AsyncTrialNoun(self._call)

    @property
    def fault(self) -> AsyncFaultNoun:
        return AsyncFaultNoun(self._call)

    @property
    def operators(self) -> AsyncOperatorsNoun:
        return AsyncOperatorsNoun(self._call)

    @property
    def audit(self) -> AsyncAuditNoun:
        return AsyncAuditNoun(self._call)

    @property
    def auth(self) -> AsyncAuthNoun:
        return AsyncAuthNoun(self._call)

    @property
    def rpc(self) -> AsyncRpcNoun:
        return AsyncRpcNoun(self._call)
