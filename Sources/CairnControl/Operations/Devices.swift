// A person's devices: `device link` to `device revoke`, and their answers. `join` doesn't go over
// the socket: like `setup`, the command runs `cairnd join` once.

extension Control {
  /// Makes a code by which one more device can join this person, within ten minutes. The daemon
  /// answers that device by itself.
  public struct DeviceLink: ControlOperation {
    /// The answer.
    public typealias Reply = Control.DeviceLinkReply
    /// `POST /v1/deviceLink`.
    public static let name = "deviceLink"
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// Asks for nothing more.
    public init() {}
  }

  /// What `deviceLink` answers.
  public struct DeviceLinkReply: Codable, Hashable, Sendable {
    /// What `device join` takes; it is secret.
    public var code: String
    /// When its time is over.
    public var expires: Control.Time

    /// Joins the parts.
    public init(code: String, expires: Control.Time) {
      self.code = code
      self.expires = expires
    }
  }

  /// Makes a home for one more device of a person who has one already.
  public struct Join: ControlOperation {
    /// The answer.
    public typealias Reply = Control.JoinReply
    /// The subcommand of `cairnd` that answers.
    public static let name = "join"

    /// What `device link` has printed on the first device.
    public var code: String
    /// The name of this device; nil: the host's name.
    public var deviceName: String?
    /// The folder in which the person's folders appear, absolute; nil: the home folder.
    public var at: Control.Path?
    /// The container's directory, absolute, or its bucket; nil: where the first device has it.
    public var container: Control.Path?
    /// How its bucket is asked; nil: as is usual, and for a directory.
    public var bucket: Control.Bucket?

    /// Joins the parts.
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

  /// What `join` answers.
  public struct JoinReply: Codable, Hashable, Sendable {
    /// The container that the person is in.
    public var container: Control.ContainerStatus
    /// The person, and this device.
    public var account: Control.AccountStatus
    /// Where keys and index are, absolute.
    public var home: Control.Path
    /// The folder in which the person's folders appear, absolute.
    public var folder: Control.Path

    /// Joins the parts.
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

  /// All devices of this person.
  public struct DeviceList: ControlOperation {
    /// The answer.
    public typealias Reply = Control.DeviceListReply
    /// `POST /v1/deviceList`.
    public static let name = "deviceList"
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// Asks for nothing more.
    public init() {}
  }

  /// A device of this person.
  public struct Device: Codable, Hashable, Sendable {
    /// The device's id, hexadecimal.
    public var device: String
    /// What the person calls it.
    public var name: String
    /// Whether it is in, and not revoked.
    public var isActive: Bool
    /// Whether it is the one that is asked.
    public var isThis: Bool

    /// Joins the parts.
    public init(device: String, name: String, isActive: Bool, isThis: Bool) {
      self.device = device
      self.name = name
      self.isActive = isActive
      self.isThis = isThis
    }
  }

  /// What `deviceList` answers.
  public struct DeviceListReply: Codable, Hashable, Sendable {
    /// Active ones first, then by name.
    public var devices: [Control.Device]

    /// Joins the parts.
    public init(devices: [Control.Device]) {
      self.devices = devices
    }
  }

  /// Gives a device of this person another name.
  public struct DeviceRename: ControlOperation {
    /// The answer.
    public typealias Reply = Control.DeviceReply
    /// `POST /v1/deviceRename`.
    public static let name = "deviceRename"
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// Which: its name, its id, or a beginning of the id that only one has.
    public var device: String
    /// The new name.
    public var to: String

    /// Joins the parts.
    public init(device: String, to: String) {
      self.device = device
      self.to = to
    }
  }

  /// What `deviceRename` answers.
  public struct DeviceReply: Codable, Hashable, Sendable {
    /// The device as it is now.
    public var device: Control.Device

    /// Joins the parts.
    public init(device: Control.Device) {
      self.device = device
    }
  }

  /// Takes all rights from another device of this person, for ever.
  public struct DeviceRevoke: ControlOperation {
    /// The answer.
    public typealias Reply = Control.DeviceRevokeReply
    /// `POST /v1/deviceRevoke`.
    public static let name = "deviceRevoke"
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// Which: its name, its id, or a beginning of the id that only one has.
    public var device: String

    /// Joins the parts.
    public init(device: String) {
      self.device = device
    }
  }

  /// What `deviceRevoke` answers.
  public struct DeviceRevokeReply: Codable, Hashable, Sendable {
    /// The device as it is now.
    public var device: Control.Device
    /// The zones in which it can't do anything any more.
    public var zones: Int
    /// The zones in which that still has to be written; the daemon goes on by itself.
    public var pending: Int
    /// The links that were taken back, since the device knows their secrets.
    public var links: Int
    /// The active devices of mine that it let in, and those that these let in.
    public var devices: [Control.Device]
    /// The people whom it alone brought into a share, or made administrators.
    public var guests: [Control.Guest]

    /// Joins the parts.
    public init(
      device: Control.Device, zones: Int, pending: Int, links: Int, devices: [Control.Device],
      guests: [Control.Guest]
    ) {
      self.device = device
      self.zones = zones
      self.pending = pending
      self.links = links
      self.devices = devices
      self.guests = guests
    }
  }

  /// Somebody whom a device of mine, which is revoked now, brought into a share.
  public struct Guest: Codable, Hashable, Sendable {
    /// The zone's id.
    public var zone: String
    /// What the share is called.
    public var title: String
    /// Who.
    public var person: Control.Person
    /// How far they have come; `removed` if it was taken back with the device.
    public var acceptance: Control.Acceptance
    /// Whether the device made them an administrator, and they still are.
    public var isAdministrator: Bool

    /// Joins the parts.
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
