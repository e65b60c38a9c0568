extension Control {
  /// What has to be known of a bucket beside where it is: whose key opens it, and how it is asked.
  /// A key itself never stands here.
  public struct Bucket: Codable, Hashable, Sendable {
    /// The region that requests are signed for; nil: what the environment says, or the usual one.
    public var region: String?
    /// How the bucket is named in an address, `path` or `virtual`; nil: as is usual for the engine.
    public var style: String?
    /// A file with keys, in the form of `~/.aws/credentials`, absolute; nil: that one.
    public var credentialsFile: String?
    /// Which of the keys in it; nil: what the environment says, or `default`.
    public var profile: String?
    /// A command that prints a key; nil: there is none.
    public var credentialProcess: String?

    /// Joins the parts.
    public init(
      region: String? = nil, style: String? = nil, credentialsFile: String? = nil,
      profile: String? = nil, credentialProcess: String? = nil
    ) {
      self.region = region
      self.style = style
      self.credentialsFile = credentialsFile
      self.profile = profile
      self.credentialProcess = credentialProcess
    }

    /// Whether nothing is said.
    public var isEmpty: Bool { self == Bucket() }
  }
}
