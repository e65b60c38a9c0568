/// What may be asked of a daemon and what it answers: one type for each operation, named as in
/// `cairn(1)`, with its reply. It knows nothing of the daemon, of formats or of keys.
///
/// The names stand in this namespace because the model below has a `Share` and a `Participant` of
/// its own: these are what a person is told of them.
public enum Control {
  /// Where operations are found on the socket: `POST /v1/<name>`.
  public static let pathPrefix = "/v1/"
  /// The most that a request's body may hold, in bytes.
  public static let bodyLimit = 1 << 20
  /// The version of program and protocol, as `cairn --version` writes it.
  public static let version = "0.1.0"
  /// The header in which every answer on the socket tells the daemon's version.
  public static let versionHeader = "cairn-version"
}

/// One thing that may be asked of the daemon. The value itself is the request's JSON body.
public protocol ControlOperation: Codable, Sendable {
  /// What the daemon answers if it succeeds.
  associatedtype Reply: Codable & Sendable
  /// The operation's name in the address.
  static var name: String { get }
  /// Whether it may take long, or wait for something, and so needs a thread of its own.
  static var mayWait: Bool { get }
  /// Whether it changes nothing and its answer is one line, so that it may be asked once more where
  /// a daemon ends under it.
  static var mayBeRepeated: Bool { get }
}

/// An operation about one share, which is named where it is refused.
public protocol ShareOperation: ControlOperation {
  /// The shared folder, or the share's id.
  var share: Control.ShareReference { get }
}

extension ControlOperation {
  /// Most operations are short.
  public static var mayWait: Bool { false }
  /// Nobody knows of most operations what came of them, if there is no answer.
  public static var mayBeRepeated: Bool { false }
}
