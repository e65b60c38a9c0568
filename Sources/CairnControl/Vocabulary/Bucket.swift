extension Control {
  /// The settings for a bucket beside its location: its credentials and the form of requests. A key
  /// itself is never in here.
  public struct Bucket: Codable, Hashable, Sendable {
    /// The region for signatures; nil: the region from the environment, or the default.
    public var region: String?
    /// The position of the bucket's name in an address, `path` or `virtual`; nil: the engine's
    /// default.
    public var style: String?
    /// The absolute path of a file with keys, in the form of `~/.aws/credentials`; nil: that file.
    public var credentialsFile: String?
    /// The profile in that file; nil: the profile from the environment, or `default`.
    public var profile: String?
    /// A command that prints a key; nil: none.
    public var credentialProcess: String?

    /// Creates settings.
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

    /// A Boolean value that indicates whether there are no settings.
    public var isEmpty: Bool { self == Bucket() }
  }
}
