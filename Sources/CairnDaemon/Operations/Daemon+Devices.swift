import CairnCloud
import CairnControl
import CairnFolders
import CairnZone

extension Daemon {
  func linkDevice() throws -> Control.DeviceLinkReply {
    let code = try container.linkCode(
      path: Array(configuration.containerPath.utf8), now: SystemClock().date / 1_000_000_000)
    return Control.DeviceLinkReply(
      code: code.text, expires: Control.Time(nanoseconds: code.expires * 1_000_000_000))
  }

  func devices() throws -> Control.DeviceListReply {
    let me = try container.refreshMe().me
    let devices = me.devices.map { describe($0.key, $0.value) }
    return Control.DeviceListReply(
      devices: devices.sorted {
        ($0.isActive ? 0 : 1, $0.name, $0.device) < ($1.isActive ? 0 : 1, $1.name, $1.device)
      })
  }

  func rename(_ request: Control.DeviceRename) throws -> Control.DeviceReply {
    guard Person.isName(request.to) else {
      throw ControlError(
        .invalidArguments, "“\(request.to)” can't be a device's name.",
        remedy: "Give one of 1 to 255 bytes, in one line.")
    }
    let (id, _) = try device(request.device)
    let me = try container.renameDevice(id, to: request.to)
    guard let renamed = me.devices[id] else { preconditionFailure("a device that was just there") }
    return Control.DeviceReply(device: describe(id, renamed))
  }

  func describe(_ id: DeviceID, _ device: Person.Device) -> Control.Device {
    Control.Device(
      device: id.description, name: device.name, isActive: device.isActive,
      isThis: id == container.account.device.id)
  }

  /// The active device that a name or the beginning of an id stands for.
  func device(_ text: String) throws -> (DeviceID, Person.Device) {
    let active = try container.refreshMe().me.devices.filter(\.value.isActive)
    let named = active.filter { $0.value.name == text }
    let found =
      named.isEmpty && text.count >= 4
      ? active.filter { $0.key.description.hasPrefix(text.lowercased()) } : named
    guard let first = found.first, found.count == 1 else {
      throw ControlError(
        .unknownItem,
        found.isEmpty
          ? "You have no active device \(text)." : "\(found.count) devices are called \(text).",
        remedy: "Take a name or an id from `cairn device list`.")
    }
    return (first.key, first.value)
  }
}
