// `cairn init`: not over the socket. The command runs `cairnd setup` once, with this request on its
// standard input; the same lines that the socket would carry come on its standard output.

extension Control {
  /// Makes a person's home, and the container if it isn't there.
  /// An anonymous home gets no account: it reads the public database, and writes nothing into the
  /// container.
  public struct Setup: ControlOperation {
    /// The answer.
    public typealias Reply = Control.SetupReply
    /// `POST /v1/setup`.
    public static let name = "setup"

    /// The container's directory, absolute, or its bucket; nil: where the link says.
    public var container: Control.Path?
    /// How its bucket is asked; nil: as is usual, and for a directory.
    public var bucket: Control.Bucket?
    /// The name to show; empty in an anonymous home.
    public var name: String
    /// The name that others invite this person by; empty in an anonymous home.
    public var handle: String
    /// The name of this device; nil: the host's name.
    public var deviceName: String?
    /// A link to a share: the home is set up for its container, which must be there.
    public var link: String?
    /// Say what would be done, and touch nothing.
    public var dryRun: Bool
    /// Whether the home is to be anonymous.
    public var anonymous: Bool
    /// How often to ask a container that can't notify, in seconds; nil: the default.
    public var pollSeconds: Int?

    /// Joins the parts.
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

  /// One thing that was tried on the container's file system.
  public struct Probe: Codable, Hashable, Sendable {
    /// What: `link`, `rename-noreplace`, `fsync`, `notify`.
    public var name: String
    /// Whether it does.
    public var works: Bool
    /// What follows from it.
    public var note: String

    /// Joins the parts.
    public init(name: String, works: Bool, note: String) {
      self.name = name
      self.works = works
      self.note = note
    }
  }

  /// What was done, or in a dry run would be.
  public struct SetupReply: Codable, Hashable, Sendable {
    /// True if nothing was done.
    public var dryRun: Bool
    /// The container; its id is empty if it would be made.
    public var container: Control.ContainerStatus
    /// Whether this made, or would make, the container.
    public var containerCreated: Bool
    /// The person and the device; ids are empty in a dry run.
    public var account: Control.AccountStatus
    /// Where keys and index are, absolute.
    public var home: Control.Path
    /// What the container's file system offers.
    public var probes: [Control.Probe]
    /// What was done, or would be, a sentence each.
    public var steps: [String]
    /// What should be known of the container: that nobody else can use it.
    public var warnings: [Control.Problem]

    /// Joins the parts.
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
