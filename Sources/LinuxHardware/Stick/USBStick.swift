internal import Glibc
public import Hardware

/// A stick in a USB socket: the first one that there is. It is found in sysfs, and mounted by a helper of the system.
public final class USBStick: RemovableStorage, @unchecked Sendable {
  /// Where the helper has its folders and mounts sticks.
  public static let folder = "/run/mynah-stick"

  private let devices: USBBlockDevices
  private let folder: String
  /// The stick that was found last. Storage lane only.
  private var device: USBBlockDevice?
  private let patience: Int64
  /// When it was seen first, on the monotonic clock in ns.
  private var seen: (name: String, at: Int64)?

  /// - Parameters:
  ///   - folder: the helper's.
  ///   - system: where sysfs is.
  ///   - mounts: what is mounted.
  ///   - patience: how long the helper, which the system starts for each stick, may take to say what it is. In ns.
  public init(
    folder: String = USBStick.folder, system: String = "/sys", mounts: String = "/proc/self/mountinfo",
    patience: Int64 = 5_000_000_000
  ) {
    self.folder = folder
    self.patience = patience
    devices = USBBlockDevices(system: system, mounts: mounts, folder: folder)
  }

  public func look() -> StickState {
    let found = devices.find()
    // The one that is in use stays the one; among others, one that the helper knows.
    device =
      found.first { $0.name == device?.name } ?? found.first { helper($0).answer() != nil } ?? found.first
    guard let device else {
      seen = nil
      return .absent
    }
    let now = SystemWork.monotonic
    if seen?.name != device.name { seen = (device.name, now) }
    let keeper = helper(device)
    switch keeper.answer() {
    case .plugged(let label):
      var state = StickState(.plugged, label: label, bytes: device.bytes)
      state.update = keeper.update
      return state
    case .mounted(let label): return StickState(.mounted, label: label, bytes: device.bytes)
    case .safe(let label): return StickState(.safe, label: label, bytes: device.bytes)
    case .failed(let reason): return StickState(.unusable, bytes: device.bytes, reason: reason)
    case nil:
      if let seen, now - seen.at < patience { return .absent }
      return StickState(
        .unusable, bytes: device.bytes,
        reason: "\(device.name) has no exFAT, FAT32 or ext4; format it on a computer")
    }
  }

  public func mount() throws(DeviceError) { try helper(present("mount it")).ask("mount") }

  public func files() throws(DeviceError) -> any Storage {
    let files = helper(try present("open its files")).files
    do throws(StorageError) { return try FileStorage(root: files, reserveBytes: 0) } catch {
      throw DeviceError(
        .failed, device: files, operation: "open the stick's files", code: error.code,
        hint: "pull it out and put it in again")
    }
  }

  public func release() throws(DeviceError) { try helper(present("let go of it")).ask("release") }

  private func helper(_ device: USBBlockDevice) -> StickHelper { StickHelper(folder: "\(folder)/\(device.name)") }

  private func present(_ operation: String) throws(DeviceError) -> USBBlockDevice {
    guard let device else {
      throw DeviceError(.missing, device: "stick", operation: operation, code: ENODEV, hint: "put a stick in")
    }
    return device
  }
}
