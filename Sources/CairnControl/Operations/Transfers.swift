// The files whose bytes are on their way: `transfers`, `transferFirst`, and their answers.

extension Control {
  /// Lists the files whose bytes are transferred, or wait for that.
  public struct Transfers: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.TransfersReply
    /// `POST /v1/transfers`.
    public static let name = "transfers"
    /// The accepted targets.
    public static let targets: Control.Targets = .path
    /// It changes nothing.
    public static let mayBeRepeated = true

    /// Only the mount that holds this absolute path; nil: all mounts.
    public var path: Control.Path?
    /// The largest number of files; 1,000 if it is nil.
    public var limit: Int?

    /// Joins the parts.
    public init(path: Control.Path? = nil, limit: Int? = nil) {
      self.path = path
      self.limit = limit
    }
  }

  /// The direction of a file's bytes.
  public enum TransferDirection: String, Codable, Hashable, Sendable, CaseIterable {
    /// From the folder to the container.
    case upload
    /// From the container to the folder.
    case download
  }

  /// A file whose bytes are transferred, or wait for that.
  public struct Transfer: Codable, Hashable, Sendable {
    /// The direction.
    public var direction: Control.TransferDirection
    /// The absolute path of the file.
    public var path: Control.Path
    /// The mirrored folder, absolute.
    public var folder: Control.Path
    /// The number of finished bytes.
    public var bytes: Int64
    /// The size of the file in bytes.
    public var allBytes: Int64
    /// The number of bytes per second, if it is under way and known.
    public var bytesPerSecond: Int64?
    /// The reason that it waits; nil if it is under way.
    public var reason: String?

    /// Joins the parts.
    public init(
      direction: Control.TransferDirection, path: Control.Path, folder: Control.Path,
      bytes: Int64, allBytes: Int64, bytesPerSecond: Int64? = nil, reason: String? = nil
    ) {
      self.direction = direction
      self.path = path
      self.folder = folder
      self.bytes = bytes
      self.allBytes = allBytes
      self.bytesPerSecond = bytesPerSecond
      self.reason = reason
    }
  }

  /// The answer of `transfers`.
  public struct TransfersReply: Codable, Hashable, Sendable {
    /// The files, folder by folder, those under way first.
    public var transfers: [Control.Transfer]
    /// The number of files beyond the limit.
    public var more: Int

    /// Joins the parts.
    public init(transfers: [Control.Transfer], more: Int = 0) {
      self.transfers = transfers
      self.more = more
    }
  }

  /// Moves the waiting transfers of a file, or of everything in a directory, to the front.
  public struct TransferFirst: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.TransferFirstReply
    /// `POST /v1/transferFirst`.
    public static let name = "transferFirst"
    /// The accepted targets.
    public static let targets: Control.Targets = .anyPath
    /// Twice has the same effect as once.
    public static let mayBeRepeated = true

    /// The absolute path; the file need not be there yet.
    public var path: Control.Path

    /// Joins the parts.
    public init(path: Control.Path) { self.path = path }
  }

  /// The answer of `transferFirst`.
  public struct TransferFirstReply: Codable, Hashable, Sendable {
    /// The number of files that were moved to the front.
    public var files: Int

    /// Joins the parts.
    public init(files: Int) { self.files = files }
  }
}
