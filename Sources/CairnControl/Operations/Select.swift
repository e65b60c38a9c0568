// The part of a folder that this device has: `select` and `get`.

extension Control {
  /// Selects what this device has of a mirrored folder; without a change, describes it. What isn't
  /// selected is removed from the folder, and stays in the share.
  public struct Select: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.SelectReply
    /// `POST /v1/select`.
    public static let name = "select"
    /// The accepted targets.
    public static let targets: Control.Targets = .mirrored
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// The root of the folder, absolute.
    public var path: Control.Path
    /// The change; nil for none.
    public var change: Control.SelectionChange?
    /// The absolute paths of the files and directories to change; none for `all`.
    public var paths: [Control.Path]?
    /// A Boolean value that indicates whether the device gets entries that others add later beside
    /// the named paths. Nil is true for `without`, and false for `only`.
    public var addsNew: Bool?
    /// A directory whose entries are listed with their sizes, absolute; nil for no list.
    public var list: Control.Path?

    /// Joins the parts.
    public init(
      path: Control.Path, change: Control.SelectionChange? = nil, paths: [Control.Path]? = nil,
      addsNew: Bool? = nil, list: Control.Path? = nil
    ) {
      self.path = path
      self.change = change
      self.paths = paths
      self.addsNew = addsNew
      self.list = list
    }
  }

  /// Selects one file or directory that this device doesn't have.
  public struct Get: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.SelectReply
    /// `POST /v1/get`.
    public static let name = "get"
    /// The accepted targets.
    public static let targets: Control.Targets = .path
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// Its absolute path.
    public var path: Control.Path

    /// Names it.
    public init(path: Control.Path) { self.path = path }
  }

  /// A change of a selection.
  public enum SelectionChange: String, Codable, Hashable, Sendable, CaseIterable {
    /// Everything is selected.
    case all
    /// Nothing but these paths is selected.
    case only
    /// These paths aren't selected any more.
    case without
    /// These paths are selected, too.
    case with
  }

  /// A decision about a file or directory, and about everything below it without a decision of its
  /// own.
  public enum SelectionMark: String, Codable, Hashable, Sendable, CaseIterable {
    /// It is selected, with its contents.
    case all
    /// It isn't selected.
    case none
    /// It is selected, without its contents.
    case itself
  }

  /// A decision of a selection.
  public struct SelectionEntry: Codable, Hashable, Sendable {
    /// The absolute path.
    public var path: Control.Path
    /// The decision.
    public var mark: Control.SelectionMark

    /// Joins the parts.
    public init(path: Control.Path, mark: Control.SelectionMark) {
      self.path = path
      self.mark = mark
    }
  }

  /// The entries of the share that the folder of this device doesn't have.
  public struct LeftOut: Codable, Hashable, Sendable {
    /// The number of files and symbolic links.
    public var files: Int
    /// The number of directories.
    public var directories: Int
    /// The sum of the files' sizes in bytes.
    public var bytes: Int64

    /// Joins the parts.
    public init(files: Int, directories: Int, bytes: Int64) {
      self.files = files
      self.directories = directories
      self.bytes = bytes
    }
  }

  /// An entry of a directory of the share, with its size.
  public struct SelectionChoice: Codable, Hashable, Sendable {
    /// The absolute path.
    public var path: Control.Path
    /// A Boolean value that indicates whether it is a directory.
    public var directory: Bool
    /// The number of files and symbolic links: 1 for a file, and all those below a directory.
    public var files: Int
    /// The sum of their sizes in bytes.
    public var bytes: Int64
    /// A Boolean value that indicates whether it is selected.
    public var selected: Bool
    /// A Boolean value that indicates whether something below a directory is decided otherwise.
    public var partly: Bool

    /// Joins the parts.
    public init(
      path: Control.Path, directory: Bool, files: Int, bytes: Int64, selected: Bool, partly: Bool
    ) {
      self.path = path
      self.directory = directory
      self.files = files
      self.bytes = bytes
      self.selected = selected
      self.partly = partly
    }
  }

  /// The answer of `select` and `get`.
  public struct SelectReply: Codable, Hashable, Sendable {
    /// The mount's id.
    public var mount: String
    /// The folder, absolute.
    public var path: Control.Path
    /// The decisions, in the order of their paths; without any, everything is selected.
    public var selection: [Control.SelectionEntry]
    /// The entries that aren't selected; nil if everything is.
    public var leftOut: Control.LeftOut?
    /// The entries of the directory that was asked for; nil if none was.
    public var list: [Control.SelectionChoice]?

    /// Joins the parts.
    public init(
      mount: String, path: Control.Path, selection: [Control.SelectionEntry],
      leftOut: Control.LeftOut? = nil, list: [Control.SelectionChoice]? = nil
    ) {
      self.mount = mount
      self.path = path
      self.selection = selection
      self.leftOut = leftOut
      self.list = list
    }
  }
}
