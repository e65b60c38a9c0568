/// Decides whether a file that is different when the daemon starts was damaged when the machine
/// stopped, rather than edited: a power cut leaves files empty or full of zeros, and sent on they
/// would replace good ones. Pure: it is told what the file is now, and what the zone has.
public enum DamageRule {
  /// How the machine stopped since the last run.
  public enum LastStop: Hashable, Sendable {
    /// It didn't: what the daemon didn't see, a person or their programs did.
    case none
    /// The daemon had ended in order before.
    case orderly
    /// The machine stopped under the daemon, as in a power cut.
    case cut
    /// Nobody knows: the index that would say so is lost, and the folder was mirrored before.
    case unknown

    /// By which start of the machine the last run and this one are, and whether the last one ended
    /// in order; `isForgotten` says that there was one, and that nothing is known of it.
    public init(last: String?, wasClean: Bool, now: String?, isForgotten: Bool = false) {
      guard let now, last != now else {
        self = .none
        return
      }
      guard last != nil else {
        self = isForgotten ? .unknown : .none
        return
      }
      self = wasClean ? .orderly : .cut
    }

    /// Whether what was written last may not have reached the disk.
    public var mayHaveCut: Bool { self == .cut || self == .unknown }
  }

  /// A file as it is found, beside what both sides had agreed on.
  public struct File: Hashable, Sendable {
    /// Bytes now.
    public var size: UInt64
    /// Bytes of the version that the zone has.
    public var agreedSize: UInt64
    /// Whether all bytes are zero; true of none.
    public var isZeros: Bool
    /// Whether it is as long as that version and has zeros, and nothing else, in the place of some
    /// of its bytes.
    public var hasHoles: Bool
    /// The time of change now.
    public var modified: Int64
    /// The time of change that was agreed on.
    public var agreedModified: Int64

    /// Joins the parts.
    public init(
      size: UInt64, agreedSize: UInt64, isZeros: Bool, hasHoles: Bool = false, modified: Int64,
      agreedModified: Int64
    ) {
      self.size = size
      self.agreedSize = agreedSize
      self.isZeros = isZeros
      self.hasHoles = hasHoles
      self.modified = modified
      self.agreedModified = agreedModified
    }
  }

  /// Whether no write explains what the file is. Empty, or nothing but zeros, is what file systems
  /// leave of bytes that didn't reach the disk, and so are zeros in the place of some of them: the
  /// last block of a file that grew has its new length before its new bytes. So is a file that is
  /// shorter, if its time says that nobody wrote it since.
  public static func isDamaged(_ file: File, after stop: LastStop) -> Bool {
    guard stop != .none, file.agreedSize > 0 else { return false }
    let isOld = file.modified <= file.agreedModified
    guard file.isZeros || file.hasHoles else { return isOld && file.size < file.agreedSize }
    return isOld || stop.mayHaveCut
  }
}
