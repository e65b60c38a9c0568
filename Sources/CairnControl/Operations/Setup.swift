// `cairn init`, which does not use the socket. The command runs `cairnd setup` once, with this
// request on its standard input. Its standard output has the same lines as the socket.

extension Control {
  /// Creates a person's home, and the container if it is missing. An anonymous home gets no
  /// account: it reads the public database, and writes nothing into the container.
  public struct Setup: ControlOperation {
    /// The answer.
    public typealias Reply = Control.SetupReply
    /// `POST /v1/setup`.
    public static let name = "setup"

    /// The container's absolute directory, or its bucket; nil: the location in the link.
    public var container: Control.Path?
    /// The settings of its bucket; nil: the default, and for a directory.
    public var bucket: Control.Bucket?
    /// The display name; empty in an anonymous home.
    public var name: String
    /// The handle for invitations; empty in an anonymous home.
    public var handle: String
    /// The name of this device; nil: the host's name.
    public var deviceName: String?
    /// A link to a share: the home is set up for its container, which must exist.
    public var link: String?
    /// A Boolean value that indicates whether to report only, without any change.
    public var dryRun: Bool
    /// A Boolean value that indicates whether the home is anonymous.
    public var anonymous: Bool
    /// The longest pause between polls of a container that cannot notify, in seconds; nil: the
    /// default.
    public var pollSeconds: Int?

    /// Creates a value with these properties.
    public init(
      container: Control.Path?, name: String, handle: String, deviceName: String? = nil,
      link: String? = nil, dryRun: Bool = false, anonymous: Bool = false, pollSeconds: Int? = nil,
      bucket: Control.Bucket? = nil
    ) {
      self.bucket = bucket
      self.link = link
      self.anonymous = anonymous
      self.pollSeconds = pollSeconds
      self.container = container
      self.name = name
      self.handle = handle
      self.deviceName = deviceName
      self.dryRun = dryRun
    }
  }

  /// One tested feature of the container's file system.
  public struct Probe: Codable, Hashable, Sendable {
    /// The feature: `link`, `rename-noreplace`, `fsync`, `notify`.
    public var name: String
    /// True if it works.
    public var works: Bool
    /// The consequence.
    public var note: String

    /// Creates a value with these properties.
    public init(name: String, works: Bool, note: String) {
      self.name = name
      self.works = works
      self.note = note
    }
  }

  /// The actions that were done, or in a dry run would be.
  public struct SetupReply: Codable, Hashable, Sendable {
    /// True if nothing was done.
    public var dryRun: Bool
    /// The container; its id is empty if it would be made.
    public var container: Control.ContainerStatus
    /// True if this created, or would create, the container.
    public var containerCreated: Bool
    /// The person and the device; ids are empty in a dry run.
    public var account: Control.AccountStatus
    /// The absolute folder of keys and index.
    public var home: Control.Path
    /// The features of the container's file system.
    public var probes: [Control.Probe]
    /// The actions that were or would be done, a sentence each.
    public var steps: [String]
    /// Warnings about the container: for example, that nobody else can use it.
    public var warnings: [Control.Problem]

    /// Creates a value with these properties.
    public init(
      dryRun: Bool, container: Control.ContainerStatus, containerCreated: Bool,
      account: Control.AccountStatus, home: Control.Path, probes: [Control.Probe], steps: [String],
      warnings: [Control.Problem] = []
    ) {
      self.dryRun = dryRun
      self.container = container
      self.containerCreated = containerCreated
      self.account = account
      self.home = home
      self.probes = probes
      self.steps = steps
      self.warnings = warnings
    }
  }
}
