// A person's devices: `device link` to `device revoke`, and their answers. `join` does not use the
// socket: like `setup`, the command runs `cairnd join` once.

extension Control {
  /// Creates a code with which another device can join this person within ten minutes. The daemon
  /// answers that device by itself.
  public struct DeviceLink: ControlOperation {
    /// The answer.
    public typealias Reply = Control.DeviceLinkReply
    /// `POST /v1/deviceLink`.
    public static let name = "deviceLink"
    /// True: the operation runs on a thread of its own.
    public static let mayWait = true

    /// Creates a request.
    public init() {}
  }

  /// The answer of `deviceLink`.
  public struct DeviceLinkReply: Codable, Hashable, Sendable {
    /// The secret code for `device join`.
    public var code: String
    /// The expiry of the code.
    public var expires: Control.Time

    /// Creates a value with these properties.
    public init(code: String, expires: Control.Time) {
      self.code = code
      self.expires = expires
    }
  }

  /// Creates a home for another device of a person.
  public struct Join: ControlOperation {
    /// The answer.
    public typealias Reply = Control.JoinReply
    /// The subcommand of `cairnd` that answers.
    public static let name = "join"

    /// The code that `device link` printed on the first device.
    public var code: String
    /// The name of this device; nil: the host's name.
    public var deviceName: String?
    /// The absolute folder for the person's folders; nil: the home folder.
    public var at: Control.Path?
    /// The container's absolute directory, or its bucket; nil: the location that the first device
    /// uses.
    public var container: Control.Path?
    /// The settings of its bucket; nil: the default, and for a directory.
    public var bucket: Control.Bucket?

    /// Creates a value with these properties.
    public init(
      code: String, deviceName: String? = nil, at: Control.Path? = nil,
      container: Control.Path? = nil, bucket: Control.Bucket? = nil
    ) {
      self.bucket = bucket
      self.code = code
      self.deviceName = deviceName
      self.at = at
      self.container = container
    }
  }

  /// The answer of `join`.
  public struct JoinReply: Codable, Hashable, Sendable {
    /// The person's container.
    public var container: Control.ContainerStatus
    /// The person, and this device.
    public var account: Control.AccountStatus
    /// The absolute folder of keys and index.
    public var home: Control.Path
    /// The absolute folder for the person's folders.
    public var folder: Control.Path

    /// Creates a value with these properties.
    public init(
      container: Control.ContainerStatus, account: Control.AccountStatus, home: Control.Path,
      folder: Control.Path
    ) {
      self.container = container
      self.account = account
      self.home = home
      self.folder = folder
    }
  }

  /// Lists all devices of this person.
  public struct DeviceList: ControlOperation {
    /// The answer.
    public typealias Reply = Control.DeviceListReply
    /// `POST /v1/deviceList`.
    public static let name = "deviceList"
    /// True: the operation runs on a thread of its own.
    public static let mayWait = true

    /// Creates a request.
    public init() {}
  }

  /// A device of this person.
  public struct Device: Codable, Hashable, Sendable {
    /// The device's id, hexadecimal.
    public var device: String
    /// The device's name.
    public var name: String
    /// True if it is active, and not revoked.
    public var isActive: Bool
    /// True for the device that answers.
    public var isThis: Bool

    /// Creates a value with these properties.
    public init(device: String, name: String, isActive: Bool, isThis: Bool) {
      self.device = device
      self.name = name
      self.isActive = isActive
      self.isThis = isThis
    }
  }

  /// The answer of `deviceList`.
  public struct DeviceListReply: Codable, Hashable, Sendable {
    /// The devices: active ones first, then by name.
    public var devices: [Control.Device]

    /// Creates a value with these properties.
    public init(devices: [Control.Device]) {
      self.devices = devices
    }
  }

  /// Renames a device of this person.
  public struct DeviceRename: ControlOperation {
    /// The answer.
    public typealias Reply = Control.DeviceReply
    /// `POST /v1/deviceRename`.
    public static let name = "deviceRename"
    /// True: the operation runs on a thread of its own.
    public static let mayWait = true

    /// The device: its name, its id, or a unique beginning of the id.
    public var device: String
    /// The new name.
    public var to: String

    /// Creates a value with these properties.
    public init(device: String, to: String) {
      self.device = device
      self.to = to
    }
  }

  /// The answer of `deviceRename`.
  public struct DeviceReply: Codable, Hashable, Sendable {
    /// The device after the change.
    public var device: Control.Device

    /// Creates a value with these properties.
    public init(device: Control.Device) {
      self.device = device
    }
  }

  /// Takes all rights from another device of this person, permanently.
  public struct DeviceRevoke: ControlOperation {
    /// The answer.
    public typealias Reply = Control.DeviceRevokeReply
    /// `POST /v1/deviceRevoke`.
    public static let name = "deviceRevoke"
    /// True: the operation runs on a thread of its own.
    public static let mayWait = true

    /// The device: its name, its id, or a unique beginning of the id.
    public var device: String

    /// Creates a value with these properties.
    public init(device: String) {
      self.device = device
    }
  }

  /// The answer of `deviceRevoke`.
  public struct DeviceRevokeReply: Codable, Hashable, Sendable {
    /// The device after the change.
    public var device: Control.Device
    /// The number of zones in which it has no rights any more.
    public var zones: Int
    /// The number of zones in which the revocation must still be written; the daemon continues by
    /// itself.
    public var pending: Int
    /// The number of revoked links whose secrets the device knows.
    public var links: Int
    /// This person's active devices that it let in, and those that these let in.
    public var devices: [Control.Device]
    /// The people that it alone brought into a share or made administrators.
    public var guests: [Control.Guest]
    /// The zones that are pending, each with the reason.
    public var missed: [Control.MissedZone]

    /// Creates a value with these properties.
    public init(
      device: Control.Device, zones: Int, pending: Int, links: Int, devices: [Control.Device],
      guests: [Control.Guest], missed: [Control.MissedZone]
    ) {
      self.device = device
      self.zones = zones
      self.pending = pending
      self.links = links
      self.devices = devices
      self.guests = guests
      self.missed = missed
    }
  }

  /// A zone in which a revocation can't be written now.
  public struct MissedZone: Codable, Hashable, Sendable {
    /// The zone's id.
    public var zone: String
    /// The zone's title; empty if the zone can't be opened.
    public var title: String
    /// The reason as a sentence.
    public var reason: String

    /// Creates a value with these properties.
    public init(zone: String, title: String, reason: String) {
      self.zone = zone
      self.title = title
      self.reason = reason
    }
  }

  /// A person that a revoked device of this person brought into a share.
  public struct Guest: Codable, Hashable, Sendable {
    /// The zone's id.
    public var zone: String
    /// The title of the share.
    public var title: String
    /// The person.
    public var person: Control.Person
    /// The status of the invitation; `removed` if it was revoked with the device.
    public var acceptance: Control.Acceptance
    /// True if the device made them an administrator, and they still are one.
    public var isAdministrator: Bool

    /// Creates a value with these properties.
    public init(
      zone: String, title: String, person: Control.Person, acceptance: Control.Acceptance,
      isAdministrator: Bool
    ) {
      self.zone = zone
      self.title = title
      self.person = person
      self.acceptance = acceptance
      self.isAdministrator = isAdministrator
    }
  }
}
