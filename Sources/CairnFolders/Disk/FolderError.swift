import Glibc

/// The reason why an operation in a folder failed.
public struct FolderError: Error, Hashable, Sendable {
  /// The kind of trouble, which decides about a retry.
  public enum Code: Hashable, Sendable {
    /// The name does not exist (any more).
    case notFound
    /// The name is taken.
    case exists
    /// The directory isn't empty.
    case notEmpty
    /// The user of the daemon has no permission.
    case denied
    /// No space, or over a quota.
    case full
    /// Too many open files or watches.
    case tooMany
    /// The file is open for writing, or changed while it was read.
    case busy
    /// The two places are on different file systems.
    case otherDevice
    /// The file system does not support a required feature.
    case unsupported
    /// The name is too long for this file system, or not allowed on it.
    case badName
    /// The folder is not the mounted one.
    case detached
    /// Anything else.
    case failed
  }

  /// The kind of trouble.
  public var code: Code
  /// The path, relative to the folder if there is one.
  public var path: [UInt8]
  /// A sentence for people.
  public var reason: String

  /// The action for a file that cannot be received.
  var remedy: String {
    switch code {
    case .full: "make room on the disk"
    case .denied:
      "make the file and its folder writable for whoever runs cairnd: by their modes, with "
        + "`chattr -i` if they are immutable, or by mounting the disk for writing"
    case .badName: "give it a name that this disk takes, or mirror the folder on another disk"
    case .unsupported: "mirror the folder on a disk that can hold it"
    case .tooMany: "let cairnd open more files (`cairn doctor` says how)"
    default: "see what the reason says"
    }
  }

  /// A Boolean value that indicates whether the operation may have succeeded: its answer got lost.
  var mayBeDone: Bool { code == .failed }

  /// A Boolean value that indicates whether the file system refuses such operations.
  var isRefusal: Bool { code == .unsupported || code == .denied }

  /// Creates an error.
  public init(_ code: Code, _ path: [UInt8], _ reason: String) {
    self.code = code
    self.path = path
    self.reason = reason
  }

  /// Creates the error for an errno of an action.
  init(_ number: Int32, _ path: [UInt8], _ act: String) {
    let text = String(cString: strerror(number))
    self.init(Self.code(of: number), path, "can't \(act): \(text)")
  }

  private static func code(of number: Int32) -> Code {
    switch number {
    case ENOENT, ENOTDIR, ELOOP: .notFound
    case EEXIST: .exists
    case ENOTEMPTY: .notEmpty
    case EACCES, EPERM, EROFS: .denied
    case ENOSPC, EDQUOT: .full
    case EMFILE, ENFILE, ENOMEM: .tooMany
    case EAGAIN, EBUSY, ETXTBSY: .busy
    case EXDEV: .otherDevice
    case EINVAL, EOPNOTSUPP, ENOSYS: .unsupported
    case ENAMETOOLONG, EILSEQ: .badName
    default: .failed
    }
  }
}

extension FolderError: CustomStringConvertible {
  /// The sentence for people; the reporter adds the folder.
  public var description: String { reason }
}
