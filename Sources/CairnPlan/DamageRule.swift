/// Decides whether a file that is different when the daemon starts was damaged by a stop of the
/// machine, rather than edited. A power cut leaves files empty or full of zeros, and these must not
/// replace good ones. A pure function of the file now and the zone's version.
public enum DamageRule {
  /// The kind of stop of the machine since the last run.
  public enum LastStop: Hashable, Sendable {
    /// None: changes that the daemon didn't see were made by a person or their programs.
    case none
    /// The daemon had ended properly before.
    case orderly
    /// The machine stopped while the daemon ran, as in a power cut.
    case cut
    /// Only the file system of the index stopped while the daemon ran: the index is older than the
    /// folder, and the folder has lost nothing.
    case indexCut
    /// Unknown: the index is lost, and the folder was mirrored before.
    case unknown

    /// Creates the value from the machine's starts during the last run and this one, and the end of
    /// the last one. `isForgotten` says that there was a run, but nothing is known of it.
    /// `isOfIndex` says that the two starts differ by the file system of the index alone.
    public init(
      last: String?, wasClean: Bool, now: String?, isForgotten: Bool = false,
      isOfIndex: Bool = false
    ) {
      guard let now, last != now else {
        self = .none
        return
      }
      guard last != nil else {
        self = isForgotten ? .unknown : .none
        return
      }
      self = wasClean ? .orderly : isOfIndex ? .indexCut : .cut
    }

    /// A Boolean value that indicates whether changes of the folder may be damage.
    public var mayHaveDamaged: Bool { self != .none && self != .indexCut }

    /// A Boolean value that indicates whether the index may have lost its last transactions, but
    /// isn't new.
    public var mayHaveOldIndex: Bool { self == .cut || self == .indexCut }

    /// A Boolean value that indicates whether recently written data may not have reached the disk.
    public var mayHaveCut: Bool { self == .cut || self == .unknown }
  }

  /// A file as it is, compared with the state on which both sides agreed.
  public struct File: Hashable, Sendable {
    /// The size now.
    public var size: UInt64
    /// The size of the zone's version.
    public var agreedSize: UInt64
    /// A Boolean value that indicates whether all bytes are zero; true for an empty file.
    public var isZeros: Bool
    /// A Boolean value that indicates whether it has that version's length and differs only by
    /// zeros instead of some bytes.
    public var hasHoles: Bool
    /// The modification time now.
    public var modified: Int64
    /// The agreed modification time.
    public var agreedModified: Int64

    /// Creates a value.
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

  /// Returns whether no write explains the file. File systems leave an empty file, or zeros, for
  /// bytes that didn't reach the disk. They also leave zeros for some of the bytes: the last block
  /// of a file that grew has its new length before its new bytes. A shorter file is damaged, too,
  /// if by its time nobody has written it since.
  public static func isDamaged(_ file: File, after stop: LastStop) -> Bool {
    guard stop.mayHaveDamaged, file.agreedSize > 0 else { return false }
    let isOld = file.modified <= file.agreedModified
    guard file.isZeros || file.hasHoles else { return isOld && file.size < file.agreedSize }
    return isOld || stop.mayHaveCut
  }
}
