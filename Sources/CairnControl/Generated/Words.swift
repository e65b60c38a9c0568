// Generated from openapi.yaml by Sources/CairnControl/generate. Don't edit it.

extension Control {
  /// The status of an invitation.
  public enum Acceptance: String, Codable, Hashable, Sendable, CaseIterable {
    /// Invited, not yet accepted.
    case pending
    /// Accepted.
    case accepted
    /// Removed, or has left.
    case removed
    /// Not known here.
    case unknown
  }

  /// The origin of the keys of a home.
  public enum SetupKeys: String, Codable, Hashable, Sendable, CaseIterable {
    /// The command created them.
    case created
    /// They were in the home already, and the container didn't know the person.
    case published
    /// They were in the home already, and the container knows the person.
    case found
  }

  /// The kind of an item in a folder.
  public enum EntryKind: String, Codable, Hashable, Sendable, CaseIterable {
    /// A regular file.
    case file
    /// A directory.
    case directory
    /// A symbolic link, mirrored as a link.
    case symlink
  }

  /// A change of an entry in a view.
  public enum ViewAct: String, Codable, Hashable, Sendable, CaseIterable {
    /// A directory is made.
    case makeDirectory = "make-directory"
    /// A symlink is made.
    case makeLink = "make-link"
    /// An entry gets another name, or another directory.
    case move
    /// A file gets other attributes.
    case set
    /// An entry is deleted. A directory must be empty.
    case delete
  }

  /// The sync state of an item.
  public enum EntryState: String, Codable, Hashable, Sendable, CaseIterable {
    /// Folder and zone are equal, and this is durable.
    case synced
    /// Changed here; not yet in the zone.
    case sending
    /// Changed in the zone; not yet in the folder.
    case receiving
    /// Can't be synced. `status` shows the reason.
    case problem
    /// One of two versions of a file: a conflict copy, or the file with the original name.
    case conflict
    /// Deleted here together with many others. The deletions await confirmation.
    case held
    /// Excluded from the zone by a pattern, or by Cairn itself.
    case ignored
    /// In the zone, and not selected for this device.
    case notSelected = "not-selected"
  }

  /// An attribute of files that a folder can carry.
  public enum MetadataKind: String, Codable, Hashable, Sendable, CaseIterable {
    /// The permission bits of the owner, the group and others.
    case mode
    /// The extended attributes of the namespace `user`.
    case extended
  }

  /// A decision of a selection.
  public enum SelectionMark: String, Codable, Hashable, Sendable, CaseIterable {
    /// Selected, with its contents.
    case all
    /// Not selected.
    case none
    /// Selected, without its contents.
    case itself
  }

  /// A member of a request that a person sets to true to confirm what an error tells.
  public enum Confirmation: String, Codable, Hashable, Sendable, CaseIterable {
    /// The person confirmed what the request deletes or takes away; `--yes`.
    case confirmed
    /// The request is meant although the place holds a home or secrets, or belongs to the system;
    /// `--sensitive`.
    case sensitive
  }

  /// The kinds of thing that a path or an id can refer to.
  public enum TargetKind: String, Codable, Hashable, Sendable, CaseIterable {
    /// The root of a mirrored folder, or a single file that is mirrored by itself: all of a zone.
    case folder
    /// A folder or file that is one of several parts of a share.
    case part
    /// Something that exists inside a mirrored folder.
    case inside
    /// A path inside a mirrored folder at which nothing exists.
    case missing
    /// A zone, by its id.
    case id
    /// A path that is in no mirrored folder.
    case elsewhere
  }

  /// The answer of a person to a program.
  public enum ProgramState: String, Codable, Hashable, Sendable, CaseIterable {
    /// The person has not answered yet.
    case asking
    /// The program may use its zones.
    case allowed
    /// The person refused, or withdrew the access.
    case revoked
  }

  /// The rule for records that others have changed since they were fetched.
  public enum ProgramPolicy: String, Codable, Hashable, Sendable, CaseIterable {
    /// The save is refused.
    case ifUnchanged = "if-unchanged"
    /// Only the changed fields are saved.
    case changedKeys = "changed-keys"
    /// All fields are replaced.
    case allKeys = "all-keys"
  }

  /// The kind of a condition.
  public enum ProgramFilterKind: String, Codable, Hashable, Sendable, CaseIterable {
    /// Every record.
    case all
    /// The field is equal to the value.
    case equal
    /// The field is less.
    case less
    /// The field is less or equal.
    case lessOrEqual = "less-or-equal"
    /// The field is greater.
    case greater
    /// The field is greater or equal.
    case greaterOrEqual = "greater-or-equal"
    /// The text of the field begins with the value.
    case begins
    /// The text or the list of the field contains the value.
    case contains
    /// All parts hold.
    case and
    /// One of the parts holds.
    case or
    /// The only part does not hold.
    case not
  }

  /// An action on the share of a zone.
  public enum ProgramShareAct: String, Codable, Hashable, Sendable, CaseIterable {
    /// Only returns the share.
    case show
    /// Shares the zone, or changes the title.
    case share
    /// Invites people, or changes their permission.
    case invite
    /// Changes the permission of participants.
    case permit
    /// Changes the permission of everybody with the link.
    case setPublic
    /// Removes participants.
    case remove
    /// Removes all participants.
    case stop
    /// Leaves the share of another person.
    case leave
  }

  /// The name of an error, as cairn-errors(7) explains it.
  public enum ErrorCode: String, Codable, Hashable, Sendable, CaseIterable {
    /// An error that cannot be fixed from outside: a bug, or a failure of the machine.
    case internalError
    /// Some parts of the request failed; the others succeeded.
    case partialFailure
    /// The container is not mounted or not reachable.
    case networkUnavailable
    /// The container stopped answering during the operation.
    case networkFailure
    /// The container is not one of Cairn's, or is a different one.
    case badContainer
    /// The daemon cannot serve the request now, but later.
    case serviceUnavailable
    /// Too many requests at once.
    case requestRateLimited
    /// The feature is disabled in the configuration.
    case missingEntitlement
    /// This home has no identity: `cairn init` comes first.
    case notAuthenticated
    /// Not allowed: no right, or no invitation.
    case permissionFailure
    /// No such file, share, person or invitation.
    case unknownItem
    /// The request is invalid.
    case invalidArguments
    /// Another writer changed the record first.
    case serverRecordChanged
    /// The request is refused permanently.
    case serverRejectedRequest
    /// The file disappeared before it was read.
    case assetFileNotFound
    /// The file changed while it was read.
    case assetFileModified
    /// The container has a newer version than this program.
    case incompatibleVersion
    /// A name is taken, or a rule of the zone is violated.
    case constraintViolation
    /// The operation was cancelled.
    case operationCancelled
    /// The token is older than the zone's memory; everything is compared again.
    case changeTokenExpired
    /// This item was valid; another one of the same batch was not.
    case batchRequestFailed
    /// Other writers keep writing to the zone; it is retried.
    case zoneBusy
    /// The operation is impossible in this database.
    case badDatabase
    /// There is no space left.
    case quotaExceeded
    /// No such zone.
    case zoneNotFound
    /// Too many, or too large.
    case limitExceeded
    /// The zone was deleted by its owner.
    case userDeletedZone
    /// A share cannot have more people.
    case tooManyParticipants
    /// The folder, its parent or a folder below it is already in a share.
    case alreadyShared
    /// A parent is missing, or still has children.
    case referenceViolation
    /// The container's policy forbids it.
    case managedAccountRestricted
    /// The share does not know the caller; the invitation may be for another identity.
    case participantMayNeedVerification
    /// The operation may have been done; its answer got lost.
    case serverResponseLost
    /// Content is missing in the container, or damaged.
    case assetNotAvailable
    /// The identity is locked.
    case accountTemporarilyUnavailable
    /// The person is already invited.
    case participantAlreadyInvited
    /// No daemon runs for this home, or it cannot be reached or started.
    case notRunning
    /// The given time is over.
    case timedOut
    /// The folder, its parent or a folder below it is already mirrored.
    case alreadyMirrored
    /// The daemon ended, or the connection broke, before the answer.
    case interrupted
    /// A daemon already runs for this home.
    case alreadyRunning
    /// This home already belongs to a person: `cairn init` was done.
    case alreadyExists
    /// The home has several containers, and the request could be about each of them.
    case ambiguousContainer

    /// The exit status of a command that fails with this error.
    public var exitStatus: Int32 {
      switch self {
      case .internalError: 1
      case .partialFailure: 2
      case .networkUnavailable: 3
      case .networkFailure: 4
      case .badContainer: 5
      case .serviceUnavailable: 6
      case .requestRateLimited: 7
      case .missingEntitlement: 8
      case .notAuthenticated: 9
      case .permissionFailure: 10
      case .unknownItem: 11
      case .invalidArguments: 12
      case .serverRecordChanged: 14
      case .serverRejectedRequest: 15
      case .assetFileNotFound: 16
      case .assetFileModified: 17
      case .incompatibleVersion: 18
      case .constraintViolation: 19
      case .operationCancelled: 20
      case .changeTokenExpired: 21
      case .batchRequestFailed: 22
      case .zoneBusy: 23
      case .badDatabase: 24
      case .quotaExceeded: 25
      case .zoneNotFound: 26
      case .limitExceeded: 27
      case .userDeletedZone: 28
      case .tooManyParticipants: 29
      case .alreadyShared: 30
      case .referenceViolation: 31
      case .managedAccountRestricted: 32
      case .participantMayNeedVerification: 33
      case .serverResponseLost: 34
      case .assetNotAvailable: 35
      case .accountTemporarilyUnavailable: 36
      case .participantAlreadyInvited: 37
      case .notRunning: 40
      case .timedOut: 41
      case .alreadyMirrored: 42
      case .interrupted: 43
      case .alreadyRunning: 44
      case .alreadyExists: 45
      case .ambiguousContainer: 46
      }
    }
  }

  /// The kind of a field's value.
  public enum FieldKind: String, Codable, Hashable, Sendable, CaseIterable {
    /// Raw bytes.
    case bytes
    /// Text.
    case text
    /// A whole number.
    case integer
    /// A number that may have a fraction.
    case number
    /// Yes or no.
    case boolean
    /// A point in time.
    case date
    /// A place on the earth.
    case location
    /// Another record.
    case reference
    /// Bytes that are stored like the content of a file.
    case asset
  }

  /// The difference between a container, or a zone's log in it, and what this device has read of
  /// it.
  public enum LogState: String, Codable, Hashable, Sendable, CaseIterable {
    /// The log is shorter than the log that this device has read.
    case lostEnd = "lost end"
    /// An older copy of the container was restored.
    case restored
    /// The log contains another entry at a position that this device has already read.
    case twoHistories = "two histories"
    /// An object is missing or altered, although later objects are there.
    case damaged
    /// An object that is no valid entry is at the next position of a log.
    case held
    /// The container shows a different chain for a person than the one that this person mentioned.
    case disputed
    /// The owner has moved the zone to another location, or hasn't moved it here yet.
    case elsewhere
    /// Objects that belong to nobody.
    case rubbish
    /// The container can't be reached.
    case offline
  }

  /// The answer to an offer of the ownership.
  public enum OfferAnswer: String, Codable, Hashable, Sendable, CaseIterable {
    /// You own the share from then on.
    case accept
    /// The offer ends. The owner withdraws it so, too.
    case decline
  }

  /// A step on the way to another owner without the owner's help.
  public enum SuccessionStep: String, Codable, Hashable, Sendable, CaseIterable {
    /// The owner names the successors, or nobody. All claims end.
    case name
    /// The owner refuses all claims. The successors stay.
    case refuse
    /// A successor claims the ownership.
    case claim
    /// A successor confirms the claim of another one.
    case confirm
    /// A successor takes back their claim, or their confirmation of one.
    case withdraw
    /// A successor with a confirmed claim becomes the owner.
    case takeOver = "take-over"
  }

  /// The permission of a person.
  public enum Permission: String, Codable, Hashable, Sendable, CaseIterable {
    /// No access. Used only as a share's public permission.
    case none
    /// Can view.
    case readOnly = "read-only"
    /// Can edit.
    case readWrite = "read-write"
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
    /// Nothing is pending in either direction.
    case idle
    /// Some changes can't proceed now, and are tried again by themselves. All others are done.
    case waiting
    /// So many files were deleted at once that the deletions await confirmation. Everything else
    /// continues.
    case held
    /// The container can't be reached. Local changes are kept and sent later.
    case offline
    /// The person has paused it, and nothing is sent or fetched. Local changes are kept and sent
    /// later.
    case paused
    /// The folder is missing, or isn't the one that was mirrored. Nothing is changed.
    case detached
    /// The zone's log can't be read further. The folder stays as it is.
    case damaged
  }

  /// The role of a person in a share.
  public enum Role: String, Codable, Hashable, Sendable, CaseIterable {
    /// The owner of the zone. There is exactly one.
    case owner
    /// Can add and remove participants.
    case administrator
    /// Invited by name.
    case privateUser = "participant"
    /// Joined by a link for anyone.
    case publicUser = "by-link"
  }

  /// The database of a zone.
  public enum Scope: String, Codable, Hashable, Sendable, CaseIterable {
    /// A zone of yours.
    case `private`
    /// A zone of another person that you participate in.
    case shared
    /// The container's zone that everybody can read.
    case `public`
  }

  /// The relation of this person to a share.
  public enum Sharing: String, Codable, Hashable, Sendable, CaseIterable {
    /// Not shared, or not mirrored at all.
    case no
    /// This person shares it.
    case owner
    /// Another person shares it with this person.
    case participant
    /// In the public database.
    case `public`
  }

  /// The direction of a file's bytes.
  public enum TransferDirection: String, Codable, Hashable, Sendable, CaseIterable {
    /// From the folder to the container.
    case upload
    /// From the container to the folder.
    case download
  }

  /// An action on a file or folder.
  public enum Verb: String, Codable, Hashable, Sendable, CaseIterable {
    /// See it.
    case read
    /// Change it, or for a folder, put something into it.
    case update
    /// Delete it, for everybody.
    case delete
    /// Let others see it.
    case share
  }

  /// The certainty of the identity of a person.
  public enum Verification: String, Codable, Hashable, Sendable, CaseIterable {
    /// Numbers were compared, and nothing has changed since then.
    case verified
    /// Nobody compared numbers.
    case notVerified = "not-verified"
    /// The person has other devices, another handle or another name than when they were last seen
    /// or verified.
    case changed
  }

  /// The rule that explains a state. Newer versions may have others.
  public enum WhyRule: String, Codable, Hashable, Sendable, CaseIterable {
    /// It isn't in a mirrored folder.
    case notMirrored = "not-mirrored"
    /// A pattern excludes it from the zone.
    case ignored
    /// It is a socket, FIFO or device, or is on another file system.
    case special
    /// The last log entry about an aspect decides it.
    case lastInLog = "last-in-log"
    /// Folder and zone are equal.
    case agreed
    /// It changed here, and is sent to the zone.
    case sending
    /// It changed in the zone, and is applied to the folder.
    case receiving
    /// It changed on both sides. The first version in the log keeps the name, and the other becomes
    /// a conflict copy.
    case firstInLog = "first-in-log"
    /// An edit wins over a deletion.
    case editWins = "edit-wins"
    /// It isn't selected for this device.
    case notSelected = "not-selected"
    /// It has to wait, for the given reason.
    case waiting
    /// It has a problem.
    case problem
    /// Content was moved to the rescue folder.
    case rescued
    /// The mount as a whole doesn't proceed.
    case mount
  }

  /// The version of a conflict that keeps the name.
  public enum ConflictChoice: String, Codable, Hashable, Sendable, CaseIterable {
    /// Yours: the copy if its name contains your handle, otherwise the file with the original name.
    case mine
    /// The other version.
    case theirs
    /// Both versions. The copy gets an ordinary name.
    case both
  }

  /// An action on drop boxes.
  public enum DropAct: String, Codable, Hashable, Sendable, CaseIterable {
    /// Nothing is changed.
    case show
    /// These files are deleted.
    case discard
    /// The link of the box stops working, and the files in it are deleted.
    case end
  }

  /// The state of a file in a drop box.
  public enum DropState: String, Codable, Hashable, Sendable, CaseIterable {
    /// It can be accepted.
    case complete
    /// A part of it is missing in the container.
    case incomplete
    /// It is larger than its box allows.
    case tooLarge
  }

  /// An action on a group.
  public enum GroupAct: String, Codable, Hashable, Sendable, CaseIterable {
    /// Nothing is changed.
    case show
    /// The group is created
    case create
    /// These people join the group.
    case add
    /// These people leave the group.
    case remove
    /// The group ends.
    case delete
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

  /// The kinds of events of the daemon (`cairn-status(1)` has the list). A client treats any other
  /// word as an unknown event.
  public enum EventKind: String, Codable, Hashable, Sendable, CaseIterable {
    /// The upload of local changes to the zone starts.
    case exportBegin = "export.begin"
    /// The changes are durable in the zone.
    case exportEnd = "export.end"
    /// The application of the zone's changes to the folder starts.
    case importBegin = "import.begin"
    /// The changes are in the folder.
    case importEnd = "import.end"
    /// A share was created or changed.
    case shareSaved = "share.saved"
    /// The owner stopped an accepted share; its folder here is removed.
    case shareStopped = "share.stopped"
    /// This person left a share; its folder here is removed.
    case shareLeft = "share.left"
    /// This person was removed from a share; its folder here is removed.
    case shareRevoked = "share.revoked"
    /// Somebody else changed this person's role or permission in a share.
    case shareRights = "share.rights"
    /// A successor claims the ownership of a share, the claim is confirmed, or it ended.
    case shareClaimed = "share.claimed"
    /// A person accepted an invitation.
    case shareAccepted = "share.accepted"
    /// The history policy of a folder was changed.
    case historyChanged = "history.changed"
    /// An invitation for this person arrived.
    case invitationReceived = "invitation.received"
    /// A person requests access to one of this person's shares.
    case requestReceived = "request.received"
    /// A file arrived in one of this person's drop boxes.
    case dropReceived = "drop.received"
    /// Two sides changed one file; both versions exist.
    case conflict
    /// Two sides changed different lines of one text, and it was merged.
    case merged
    /// Files were moved to the rescue folder.
    case rescued
    /// A person opened a file in an office program, here or on another device.
    case fileOpened = "file.opened"
    /// They closed it.
    case fileClosed = "file.closed"
    /// A deletion of many files waits for confirmation.
    case deletionsHeld = "deletions.held"
    /// It was confirmed or undone, or the files came back.
    case deletionsReleased = "deletions.released"
    /// A device has changed or deleted unusually many files.
    case changesMany = "changes.many"
    /// A file or record was set aside.
    case problem
    /// The problem was solved.
    case problemSolved = "problem.solved"
    /// A folder is now mirrored.
    case mountAdded = "mount.added"
    /// A folder is no longer mirrored.
    case mountRemoved = "mount.removed"
    /// A mount changed its phase.
    case mountPhase = "mount.phase"
    /// The traffic with the container, or of a folder, was paused.
    case trafficPaused = "traffic.paused"
    /// The traffic was resumed.
    case trafficResumed = "traffic.resumed"
    /// The container became unreachable.
    case containerLost = "container.lost"
    /// The container is reachable again.
    case containerFound = "container.found"
    /// The container lost data, or shows another history: the text begins with the name.
    case containerDamaged = "container.damaged"
    /// The lost data of the container is back.
    case containerRepaired = "container.repaired"
    /// A device of this person was added.
    case deviceAdded = "device.added"
    /// A person in a common share has changed, or others claim their handle.
    case userChanged = "user.changed"
    /// A device of this person was revoked.
    case deviceRevoked = "device.revoked"
  }

  /// An action of `userVerify`.
  public enum VerificationAct: String, Codable, Hashable, Sendable, CaseIterable {
    /// Only returns the number.
    case show
    /// Compares the number that the other person sees, and verifies the person if it is equal.
    case match
    /// Removes the verification.
    case forget
    /// Records that a change of the person was seen.
    case acknowledge
  }
}
