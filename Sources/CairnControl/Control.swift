/// The operations of a daemon and their replies: one type for each operation, named as in
/// `cairn(1)`. It knows nothing of the daemon, of formats or of keys.
///
/// The namespace is needed because the model below has a `Share` and a `Participant`, too. The
/// types here are the views for people.
public enum Control {
  /// The path prefix of operations on the socket: `POST /v1/<name>`.
  public static let pathPrefix = "/v1/"
  /// The path prefix of the operations of one container: `POST /container/<name>/v1/<operation>`.
  public static let containerPrefix = "/container/"
  /// The size limit of a request's body, in bytes.
  public static let bodyLimit = 1 << 20
  /// The size limit of a program's commit, in bytes.
  public static let commitLimit = 32 << 20
  /// The same for a request with an edited text of up to 1 MiB, which is longer as JSON.
  public static let textLimit = 4 << 20
  /// The version of program and protocol, as in `cairn --version`.
  public static let version = "0.1.0"
  /// The header with the daemon's version in every answer on the socket.
  public static let versionHeader = "cairn-version"
}

/// An operation of the daemon. The value itself is the JSON body of the request.
public protocol ControlOperation: Codable, Sendable {
  /// The answer to a successful operation.
  associatedtype Reply: Codable & Sendable
  /// The operation's name in the address.
  static var name: String { get }
  /// A Boolean value that indicates whether the operation may be long or wait, and so needs a
  /// thread of its own.
  static var mayWait: Bool { get }
  /// A Boolean value that indicates whether the operation changes nothing and has a one-line
  /// answer, so that it may be repeated if the daemon ends meanwhile.
  static var mayBeRepeated: Bool { get }
}

/// An operation about one share, which its errors name.
public protocol ShareOperation: TargetedOperation {
  /// The shared folder, or the share's id.
  var share: Control.ShareReference { get }
}

extension ShareOperation {
  /// The operation is about a whole share.
  public static var targets: Control.Targets { .whole }
}

extension ControlOperation {
  /// False: most operations are short.
  public static var mayWait: Bool { false }
  /// False: without an answer, the effect of most operations is unknown.
  public static var mayBeRepeated: Bool { false }
}
