// The public database: `public mount` to `public export`, and their answers. Paths in it begin with
// an author's directory, which may be named by handle or id, but where it is said to be mine; a
// slash before them changes nothing.

extension Control {
  /// Mirrors what one person publishes into a folder. Doing it again answers the same mount with
  /// `created` false.
  public struct PublicMount: ControlOperation {
    /// The answer.
    public typealias Reply = Control.AddReply
    /// `POST /v1/publicMount`.
    public static let name = "publicMount"
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// The folder, absolute; it is made if it isn't there, and must be empty.
    public var path: Control.Path
    /// The author, by handle or id; nil for this person.
    public var author: String?
    /// Only what stands below this directory of theirs; nil: all of it.
    public var prefix: Control.Path?
    /// Wait until everything is there.
    public var wait: Bool

    /// Joins the parts.
    public init(
      path: Control.Path, author: String? = nil, prefix: Control.Path? = nil, wait: Bool = false
    ) {
      self.path = path
      self.author = author
      self.prefix = prefix
      self.wait = wait
    }
  }

  /// Stops mirroring what somebody publishes; the files stay.
  public struct PublicUnmount: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.RemoveReply
    /// `POST /v1/publicUnmount`.
    public static let name = "publicUnmount"
    /// The accepted targets.
    public static let targets: Control.Targets = .mirrored

    /// The folder, absolute.
    public var path: Control.Path

    /// Joins the parts.
    public init(path: Control.Path) {
      self.path = path
    }
  }

  /// Lists a directory of the public database, or one entry.
  public struct PublicList: ControlOperation {
    /// The answer.
    public typealias Reply = Control.PublicListReply
    /// `POST /v1/publicList`.
    public static let name = "publicList"
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// The path to list in the public database; empty for its top with the authors' directories.
    public var path: Control.Path
    /// With everything below.
    public var recursive: Bool

    /// Joins the parts.
    public init(path: Control.Path, recursive: Bool = false) {
      self.path = path
      self.recursive = recursive
    }
  }

  /// One file, directory or symlink of the public database.
  public struct PublicEntry: Codable, Hashable, Sendable {
    /// The path in the public database.
    public var path: Control.Path
    /// The kind.
    public var kind: Control.EntryKind
    /// Bytes of content; a symlink's is the length of its target, a directory's is 0.
    public var size: Int64
    /// The modification time; of an author's whole directory, when they began to publish.
    public var modified: Control.Time
    /// A Boolean value that indicates whether it is executable.
    public var executable: Bool
    /// The target of a symbolic link.
    public var target: Control.Path?
    /// The author: the only person who may change or delete it.
    public var author: Control.Person
    /// A Boolean value that indicates whether that is this person.
    public var isMine: Bool
    /// The record's UUID.
    public var record: String
    /// The commit that changed it last.
    public var sequence: UInt64
    /// The id of the content, equal for equal bytes.
    public var content: String?

    /// Joins the parts.
    public init(
      path: Control.Path, kind: Control.EntryKind, size: Int64, modified: Control.Time,
      executable: Bool, target: Control.Path? = nil, author: Control.Person, isMine: Bool,
      record: String, sequence: UInt64, content: String? = nil
    ) {
      self.path = path
      self.kind = kind
      self.size = size
      self.modified = modified
      self.executable = executable
      self.target = target
      self.author = author
      self.isMine = isMine
      self.record = record
      self.sequence = sequence
      self.content = content
    }
  }

  /// The answer of `public list`.
  public struct PublicListReply: Codable, Hashable, Sendable {
    /// The author's zone; nil for the top.
    public var zone: String?
    /// The entries: a directory before what is in it, names in the order of their bytes.
    public var entries: [Control.PublicEntry]
    /// The authors whose zones cannot be read on, with the reasons: the known parts are included.
    public var problems: [Control.Problem]

    /// Joins the parts.
    public init(
      zone: String? = nil, entries: [Control.PublicEntry], problems: [Control.Problem] = []
    ) {
      self.zone = zone
      self.entries = entries
      self.problems = problems
    }
  }

  /// Copies a file of the public database to a file here.
  public struct PublicGet: ControlOperation {
    /// The answer.
    public typealias Reply = Control.PublicFileReply
    /// `POST /v1/publicGet`.
    public static let name = "publicGet"
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// The path of the file in the public database.
    public var path: Control.Path
    /// The file to write, absolute; one that is there is replaced.
    public var output: Control.Path

    /// Joins the parts.
    public init(path: Control.Path, output: Control.Path) {
      self.path = path
      self.output = output
    }
  }

  /// Publishes a file of mine, or new bytes of one that I published.
  public struct PublicPut: ControlOperation {
    /// The answer.
    public typealias Reply = Control.PublicFileReply
    /// `POST /v1/publicPut`.
    public static let name = "publicPut"
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// The file to read, absolute.
    public var file: Control.Path
    /// The path in my own directory; missing directories are created.
    public var path: Control.Path

    /// Joins the parts.
    public init(file: Control.Path, path: Control.Path) {
      self.file = file
      self.path = path
    }
  }

  /// Deletes a file, a symlink or an empty directory that I published, for everybody.
  public struct PublicRemove: ControlOperation {
    /// The answer.
    public typealias Reply = Control.PublicFileReply
    /// `POST /v1/publicRemove`.
    public static let name = "publicRemove"
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// The path in the public database.
    public var path: Control.Path

    /// Joins the parts.
    public init(path: Control.Path) {
      self.path = path
    }
  }

  /// The answer of `public get`, `public put` and `public remove`.
  public struct PublicFileReply: Codable, Hashable, Sendable {
    /// The entry as it is, or as it was before it was removed.
    public var entry: Control.PublicEntry
    /// A Boolean value that indicates whether anything was done; false if the same bytes were there
    /// already.
    public var changed: Bool

    /// Joins the parts.
    public init(entry: Control.PublicEntry, changed: Bool) {
      self.entry = entry
      self.changed = changed
    }
  }

  /// Writes the public database as plain files, with an index, for any web server.
  public struct PublicExport: ControlOperation {
    /// The answer.
    public typealias Reply = Control.PublicExportReply
    /// `POST /v1/publicExport`.
    public static let name = "publicExport"
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// The folder, absolute: new, empty, or of an earlier export.
    public var path: Control.Path

    /// Joins the parts.
    public init(path: Control.Path) {
      self.path = path
    }
  }

  /// The answer of `public export`.
  public struct PublicExportReply: Codable, Hashable, Sendable {
    /// The folder.
    public var path: Control.Path
    /// The number of files.
    public var files: Int
    /// The number of files that were written now.
    public var written: Int
    /// The number of files of an earlier export that were removed.
    public var removed: Int
    /// The authors whose zones cannot be read on, with the reasons: the known parts are included.
    public var problems: [Control.Problem]

    /// Joins the parts.
    public init(
      path: Control.Path, files: Int, written: Int, removed: Int,
      problems: [Control.Problem]
    ) {
      self.path = path
      self.files = files
      self.written = written
      self.removed = removed
      self.problems = problems
    }
  }
}
