/// The settings for a bucket beside its location. None of them is in links.
public struct S3Settings: Sendable {
  /// The position of the bucket's name in an address.
  public enum Style: String, Sendable {
    /// In the path, after the host.
    case path
    /// As the first part of the host name.
    case virtual
  }

  /// The region for signatures.
  public var region: String
  /// The position of the bucket's name; nil: the default of Amazon and of all others.
  public var style: Style?
  /// Returns the key for signatures. It is called again when a key has expired or was refused, and
  /// may block. The argument says whether to forget the known key. It throws `StoreError` with the
  /// action for a person.
  public var credentials: @Sendable (_ anew: Bool) throws(StoreError) -> S3Credentials

  /// The default region.
  public static let usualRegion = "us-east-1"

  /// Creates settings. By default there is no key.
  public init(
    region: String = S3Settings.usualRegion, style: Style? = nil,
    credentials: @escaping @Sendable (_ anew: Bool) throws(StoreError) -> S3Credentials = S3Settings
      .none
  ) {
    self.region = region
    self.style = style
    self.credentials = credentials
  }

  /// Throws, because there is no key.
  @Sendable public static func none(_ anew: Bool) throws(StoreError) -> S3Credentials {
    throw StoreError(
      code: .denied,
      cause:
        "There is no key for the bucket. Name a file or a profile with one in the section [s3] "
        + "of cairn.conf; see cairn.conf(5).")
  }
}
