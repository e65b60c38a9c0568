/// What is needed for a store in a bucket beside its location: nothing of it stands in links.
public struct S3Settings: Sendable {
  /// How the bucket is named in an address.
  public enum Style: String, Sendable {
    /// In the path, behind the host.
    case path
    /// As the first part of the host's name.
    case virtual
  }

  /// The region that requests are signed for.
  public var region: String
  /// How the bucket is named; nil: as Amazon and all others expect it by themselves.
  public var style: Style?
  /// Gives the key that requests are signed with. It is asked again when a key has expired or isn't
  /// good any more, and may block; the argument says whether what it knew is to be forgotten. It
  /// throws `StoreError` with what a person has to do.
  public var credentials: @Sendable (_ anew: Bool) throws(StoreError) -> S3Credentials

  /// The region of whoever says none.
  public static let usualRegion = "us-east-1"

  /// Joins the parts; without any, there is no key.
  public init(
    region: String = S3Settings.usualRegion, style: Style? = nil,
    credentials: @escaping @Sendable (_ anew: Bool) throws(StoreError) -> S3Credentials = S3Settings
      .none
  ) {
    self.region = region
    self.style = style
    self.credentials = credentials
  }

  /// Has no key.
  @Sendable public static func none(_ anew: Bool) throws(StoreError) -> S3Credentials {
    throw StoreError(
      code: .denied,
      cause:
        "There is no key for the bucket. Name a file or a profile with one in the section [s3] "
        + "of cairn.conf; see cairn.conf(5).")
  }
}
