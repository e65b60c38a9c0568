// The words that requests and replies share: CloudKit's for people and shares.

extension Control {
  /// The database of a zone.
  public enum Scope: String, Codable, Hashable, Sendable, CaseIterable {
    /// A zone of this person.
    case `private`
    /// A zone of another person that this person has accepted.
    case shared
    /// The container's public zones, which everybody may read.
    case `public`
  }

  /// The role of a person in a share (CKShare.ParticipantRole). In JSON as in arguments.
  public enum Role: String, Codable, Hashable, Sendable, CaseIterable {
    /// The owner of the zone; exactly one.
    case owner
    /// A participant who can add and remove participants.
    case administrator
    /// A participant who was invited by name.
    case privateUser = "participant"
    /// A participant who joined by a link for anyone.
    case publicUser = "by-link"
  }

  /// The permission of a person (CKShare.ParticipantPermission). In JSON as in arguments.
  public enum Permission: String, Codable, Hashable, Sendable, CaseIterable {
    /// No access; only as a share's public permission.
    case none
    /// Can view.
    case readOnly = "read-only"
    /// Can edit.
    case readWrite = "read-write"
  }

  /// The status of an invitation (CKShare.ParticipantAcceptanceStatus).
  public enum Acceptance: String, Codable, Hashable, Sendable, CaseIterable {
    /// Invited, and not accepted yet.
    case pending
    /// Accepted.
    case accepted
    /// Removed, or left.
    case removed
    /// Unknown here.
    case unknown
  }

  /// The phase of a mount.
  public enum Phase: String, Codable, Hashable, Sendable, CaseIterable {
    /// Opening its index and its zone.
    case starting
    /// Comparing the folder with the last synced state.
    case scanning
    /// Committing local changes to the zone.
    case sending
    /// Applying the zone's changes to the folder.
    case receiving
    /// Up to date.
    case idle
    /// Pending work waits for something, and is retried automatically; everything else is done.
    case waiting
    /// A large deletion waits for confirmation; everything else continues.
    case held
    /// The container is unreachable; local changes are kept and sent later.
    case offline
    /// Paused by the person: nothing is sent or fetched; local changes are kept and sent later.
    case paused
    /// The folder is missing, or is a different one; nothing is touched.
    case detached
    /// The zone's log cannot be read further; the folder stays as it is.
    case damaged
  }

  /// The kind of a name in a folder.
  public enum EntryKind: String, Codable, Hashable, Sendable, CaseIterable {
    /// A regular file.
    case file
    /// A directory.
    case directory
    /// A symbolic link, mirrored as a link.
    case symlink
  }

  /// The sync state of one name.
  public enum EntryState: String, Codable, Hashable, Sendable, CaseIterable {
    /// Folder and zone are equal, durably.
    case synced
    /// Changed here, and not in the zone yet.
    case sending
    /// Changed in the zone, and not in the folder yet.
    case receiving
    /// Set aside; `status` says why.
    case problem
    /// One of two versions of a file: a conflict copy, or its original.
    case conflict
    /// Deleted here, and waiting for confirmation together with other deletions.
    case held
    /// Excluded from the zone by a pattern, or by Cairn itself.
    case ignored
    /// In the zone, and not selected for this device.
    case notSelected = "not-selected"
  }

  /// A person of the container.
  public struct Person: Codable, Hashable, Sendable {
    /// The person's id: hexadecimal, and permanent.
    public var user: String
    /// The handle for invitations, if it is known.
    public var handle: String?
    /// The display name, if it is known.
    public var name: String?
    /// The certainty of the person's identity, where it matters.
    public var verification: Control.Verification?
    /// The number of people that claim the handle; more than one is a warning.
    public var claimedBy: Int?

    /// Creates a person.
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

  /// One thing in trouble, with its reason; everything else continues.
  public struct Problem: Codable, Hashable, Sendable {
    /// The absolute path of the file or folder in trouble, if there is one.
    public var path: Control.Path?
    /// The kind of trouble.
    public var code: Control.ErrorCode
    /// The event and its object.
    public var message: String
    /// The next action; empty if there is none.
    public var remedy: String

    /// Creates a problem.
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
