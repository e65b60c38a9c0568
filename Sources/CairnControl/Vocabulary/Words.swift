// The words that requests and replies share: CloudKit's for people and shares.

extension Control {
  /// In which database a zone is.
  public enum Scope: String, Codable, Hashable, Sendable, CaseIterable {
    /// A zone of mine.
    case `private`
    /// A zone of somebody else's that I take part in.
    case shared
    /// The container's zone that everybody may read.
    case `public`
  }

  /// What a person may do in a share (CKShare.ParticipantRole). In JSON as in arguments.
  public enum Role: String, Codable, Hashable, Sendable, CaseIterable {
    /// The person whose zone it is; exactly one.
    case owner
    /// May add and remove participants.
    case administrator
    /// Invited by name.
    case privateUser = "participant"
    /// Joined by a link for anyone.
    case publicUser = "by-link"
  }

  /// Whether a person may write (CKShare.ParticipantPermission). In JSON as in arguments.
  public enum Permission: String, Codable, Hashable, Sendable, CaseIterable {
    /// No access; only as a share's public permission.
    case none
    /// May read.
    case readOnly = "read-only"
    /// May read and change.
    case readWrite = "read-write"
  }

  /// How far an invitation has come (CKShare.ParticipantAcceptanceStatus).
  public enum Acceptance: String, Codable, Hashable, Sendable, CaseIterable {
    /// Invited, not yet accepted.
    case pending
    /// Takes part.
    case accepted
    /// Taken out, or left.
    case removed
    /// Not known here.
    case unknown
  }

  /// What a mount is doing.
  public enum Phase: String, Codable, Hashable, Sendable, CaseIterable {
    /// Opening its index and its zone.
    case starting
    /// Comparing the folder with what was last agreed on.
    case scanning
    /// Committing local changes to the zone.
    case sending
    /// Applying the zone's changes to the folder.
    case receiving
    /// Nothing is pending in either direction.
    case idle
    /// What is pending waits for something, and is tried again by itself; all else is done.
    case waiting
    /// So much was deleted at once that it waits for a word; everything else goes on.
    case held
    /// The container can't be reached; local changes are kept and sent later.
    case offline
    /// Its person has paused it: nothing is sent or fetched; local changes are kept and sent later.
    case paused
    /// The folder is missing, or isn't the one that was mounted; nothing is touched.
    case detached
    /// The zone's log can't be read on; the folder stays as it is.
    case damaged
  }

  /// What a name in a folder is.
  public enum EntryKind: String, Codable, Hashable, Sendable, CaseIterable {
    /// A regular file.
    case file
    /// A directory.
    case directory
    /// A symbolic link, mirrored as a link.
    case symlink
  }

  /// How one name stands between folder and zone.
  public enum EntryState: String, Codable, Hashable, Sendable, CaseIterable {
    /// Folder and zone agree, durably.
    case synced
    /// Changed here; not yet in the zone.
    case sending
    /// Changed in the zone; not yet in the folder.
    case receiving
    /// Set aside; `status` says why.
    case problem
    /// One of two versions of a file: a conflict copy, or what stands under the name.
    case conflict
    /// Deleted here together with so much else that it waits for a word.
    case held
    /// Kept out of the zone by a pattern, or by Cairn itself.
    case ignored
  }

  /// A person of the container.
  public struct Person: Codable, Hashable, Sendable {
    /// The person's id: hexadecimal, the same for ever.
    public var user: String
    /// The name that others invite them by, if it is known.
    public var handle: String?
    /// The name to show, if it is known.
    public var name: String?
    /// How sure I can be of them, where that matters.
    public var verification: Control.Verification?
    /// How many people claim the handle; more than one is a warning.
    public var claimedBy: Int?

    /// Joins the parts.
    public init(
      user: String, handle: String? = nil, name: String? = nil,
      verification: Control.Verification? = nil, claimedBy: Int? = nil
    ) {
      self.user = user
      self.handle = handle
      self.name = name
      self.verification = verification
      self.claimedBy = claimedBy
    }
  }

  /// One thing in trouble, with its reason; everything else goes on.
  public struct Problem: Codable, Hashable, Sendable {
    /// Which file or folder, absolute, if it is about one.
    public var path: Control.Path?
    /// What kind of trouble.
    public var code: Control.ErrorCode
    /// What happened, to what.
    public var message: String
    /// What to do about it; empty if nothing is to be done.
    public var remedy: String

    /// Joins the parts.
    public init(
      path: Control.Path? = nil, code: Control.ErrorCode, message: String, remedy: String
    ) {
      self.path = path
      self.code = code
      self.message = message
      self.remedy = remedy
    }
  }
}
