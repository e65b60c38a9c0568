/// The owner's decisions about a mount.
public struct MountSettings: Sendable {
  /// The person in the names of conflict copies: this person's handle.
  public var handle: String
  /// The machine in the names of conflict copies: this machine's name.
  public var host: String
  /// Names files on their way; different at each start.
  public var token: String

  /// The start of the machine, and the mounting of the index's file system, as text that is only
  /// compared; nil if unknown.
  public var boot: String?
  /// Bytes that stay free on the file systems of the folder and of the index.
  public var keepFree: UInt64
  /// The number of threads for a large piece of work, including this one.
  public var lanes: Int
  /// The number of new entries after which a scan pauses, so that they are sent.
  public var stretch = 4_000
  /// A Boolean value that indicates whether texts that changed on both sides are merged.
  public var mergesText = false
  /// The directories that are never mirrored, at any place in the folder.
  public var offLimits = OffLimits()

  /// Joins the parts.
  public init(
    handle: String, host: String, token: String, boot: String? = nil,
    keepFree: UInt64 = 64 << 20, lanes: Int = 1
  ) {
    self.lanes = lanes
    self.handle = handle
    self.host = host
    self.token = token
    self.boot = boot
    self.keepFree = keepFree
  }
}
