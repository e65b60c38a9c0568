import Glibc

/// Why something could not be done in a folder.
public struct FolderError: Error, Hashable, Sendable {
  /// What kind of trouble it is; decides whether to try again.
  public enum Code: Hashable, Sendable {
    /// The name isn't there (any more).
    case notFound
    /// The name is taken.
    case exists
    /// The directory isn't empty.
    case notEmpty
    /// The person who runs the daemon may not do that here.
    case denied
    /// No room, or over a quota.
    case full
    /// Too many open files or watches.
    case tooMany
    /// Somebody has the file open for writing, or it changed while it was read.
    case busy
    /// The two places are on different file systems.
    case otherDevice
    /// The file system doesn't offer what is needed.
    case unsupported
    /// The name is too long for this file system, or not allowed on it.
    case badName
    /// The folder isn't the one that was mounted.
    case detached
    /// Anything else.
    case failed
  }

  /// What kind of trouble it is.
  public var code: Code
  /// The path it is about, relative to the folder where there is one.
  public var path: [UInt8]
  /// A sentence for people.
  public var reason: String

  /// What a person can do about a file that can't be brought.
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

  /// Whether the file system doesn't do such a thing, or not here.
  var isRefusal: Bool { code == .unsupported || code == .denied }

  /// Joins the three.
  public init(_ code: Code, _ path: [UInt8], _ reason: String) {
    self.code = code
    self.path = path
    self.reason = reason
  }

  /// What an errno says about `act`.
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
  /// The sentence for people; whoever tells it says which folder it is about.
  public var description: String { reason }
}
