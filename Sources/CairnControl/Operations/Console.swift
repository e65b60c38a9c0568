// The console: the page that the daemon shows, and what only that page asks.

extension Control {
  /// Opens the console: a port on the loopback interface, and a secret that lets one page in.
  public struct Console: ControlOperation {
    /// The answer.
    public typealias Reply = Control.ConsoleReply
    /// `POST /v1/console`.
    public static let name = "console"

    /// Asks for nothing more.
    public init() {}
  }

  /// The answer of `console`.
  public struct ConsoleReply: Codable, Hashable, Sendable {
    /// The page's address with the secret, which is good once.
    public var url: String
    /// The port on 127.0.0.1.
    public var port: UInt16
    /// Until when the secret is good, if nobody uses it.
    public var expires: Control.Time

    /// Joins the parts.
    public init(url: String, port: UInt16, expires: Control.Time) {
      self.url = url
      self.port = port
      self.expires = expires
    }
  }

  /// A text as a QR code, for a phone's camera.
  public struct DrawCode: ControlOperation {
    /// The answer.
    public typealias Reply = Control.CodeReply
    /// `POST /v1/qrCode`.
    public static let name = "qrCode"

    /// The text, at most 2,953 bytes.
    public var text: String

    /// Joins the parts.
    public init(text: String) { self.text = text }
  }

  /// The answer of `qrCode`.
  public struct CodeReply: Codable, Hashable, Sendable {
    /// The rows of squares from above, without the light margin: 1 is dark, 0 is light.
    public var rows: [String]

    /// Joins the parts.
    public init(rows: [String]) { self.rows = rows }
  }

  /// The bytes of a file in a mirrored folder, as it is or was, or of one in a rescue folder.
  public struct ReadContent: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.ContentReply
    /// `POST /v1/content`.
    public static let name = "content"
    /// The accepted targets.
    public static let targets: Control.Targets = .path

    /// The absolute path of the file.
    public var path: Control.Path
    /// Its version; nil: what stands in the folder now.
    public var version: UInt64?
    /// The former zone whose log numbers the version: its id, or the beginning; nil: that of the
    /// folder's zone.
    public var zone: String?
    /// The record whose version is meant: its id, or the end of it; nil: the only record with the
    /// path that the entry changed.
    public var record: String?
    /// The most bytes that are wanted; nil: all of them.
    public var limit: Int64?

    /// Joins the parts.
    public init(
      path: Control.Path, version: UInt64? = nil, zone: String? = nil, record: String? = nil,
      limit: Int64? = nil
    ) {
      self.zone = zone
      self.record = record
      self.path = path
      self.version = version
      self.limit = limit
    }
  }

  /// The answer of `content`.
  public struct ContentReply: Codable, Hashable, Sendable {
    /// The file's bytes in order, each piece in base64.
    public var pieces: [String]
    /// The size of the file in bytes.
    public var size: Int64

    /// Joins the parts.
    public init(pieces: [String], size: Int64) {
      self.pieces = pieces
      self.size = size
    }
  }
}

extension Control.ContentReply: ControlListReply {
  /// The member `pieces`.
  public static let listName = "pieces"
  /// The pieces.
  public var items: [String] {
    get { pieces }
    set { pieces = newValue }
  }
}
