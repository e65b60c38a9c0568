import CairnStore
public import CairnZone

/// The reason why an operation in the cloud failed, with CloudKit's name for it.
public struct CloudError: Error, Hashable, Sendable, CustomStringConvertible {
  /// CloudKit's names, as in messages, in JSON and in the manual.
  public enum Code: String, Hashable, Sendable, CaseIterable {
    case internalError, networkUnavailable, networkFailure, badContainer, serviceUnavailable
    case notAuthenticated, permissionFailure, unknownItem, invalidArguments
    case serverRecordChanged, serverRejectedRequest, assetFileNotFound, assetFileModified
    case assetNotAvailable, incompatibleVersion, constraintViolation, changeTokenExpired
    case zoneBusy, badDatabase, quotaExceeded, zoneNotFound, limitExceeded, tooManyParticipants
    case alreadyShared, referenceViolation, participantMayNeedVerification, userDeletedZone
    case participantAlreadyInvited, managedAccountRestricted, accountTemporarilyUnavailable
  }

  /// The kind of the error.
  public var code: Code
  /// The event and its object.
  public var message: String
  /// The next action.
  public var remedy: String
  /// A Boolean value that indicates whether the container currently accepts nothing from anybody:
  /// it is full or read-only. Reading continues.
  public private(set) var isOfContainer = false
  /// A Boolean value that indicates whether something that is no object is in the place of one. It
  /// says nothing about other objects.
  public private(set) var isOfObject = false
  /// A Boolean value that indicates whether this device's person has paused the traffic with the
  /// container.
  public private(set) var isPaused = false
  /// A Boolean value that indicates whether a change did not fit the current state. Changes of a
  /// folder are then planned again automatically, and requests of a person are not.
  public private(set) var isPlannedAnew = false
  /// The refused record, if the reason is about one.
  public private(set) var record: RecordID?
  private static let planned = "nothing to do, it is planned anew"

  /// Creates an error.
  public init(_ code: Code, _ message: String, remedy: String) {
    self.code = code
    self.message = message
    self.remedy = remedy
  }

  /// Creates an error about a record.
  public init(_ code: Code, _ message: String, record: RecordID, remedy: String) {
    self.init(code, message, remedy: remedy)
    self.record = record
  }

  /// The message and the remedy.
  public var description: String { "\(message); \(remedy)" }

  /// A Boolean value that indicates whether the same operation may succeed later without a change
  /// here.
  public var isWorthRetrying: Bool {
    switch code {
    case .networkUnavailable, .networkFailure, .serviceUnavailable, .zoneBusy, .quotaExceeded,
      .serverRecordChanged:
      true
    default: false
    }
  }

  /// A Boolean value that indicates whether the container is unreachable: earlier reads must
  /// suffice.
  public var isAway: Bool { code == .networkUnavailable || code == .networkFailure }

  /// Creates an error from one of the store.
  public init(_ error: StoreError) {
    switch error.code {
    case .unreachable:
      self.init(
        .networkUnavailable, "the container can't be reached: \(error.cause)",
        remedy: "mount its folder, or check the network; Cairn continues when it is back")
    case .paused:
      self.init(
        .networkUnavailable, "Cairn is paused here: nothing is sent to the container or fetched",
        remedy: "run `cairn resume`; changes are sent then")
      isPaused = true
    case .denied:
      self.init(
        .permissionFailure, "the container refuses access: \(error.cause)",
        remedy: "check the owner and the mode of the container's folder, and whether its file "
          + "system may be written; it is tried again by itself")
      isOfContainer = true
    case .throttled:
      self.init(
        .serviceUnavailable, "the container asks to wait: \(error.cause)",
        remedy: "nothing to do, it is tried again")
    case .full:
      self.init(
        .quotaExceeded, "the container is full: \(error.cause)",
        remedy: "make room in the container; Cairn tries again")
      isOfContainer = true
    case .notFound, .corrupt:
      self.init(
        .assetNotAvailable, "the container is damaged: \(error.cause)",
        remedy: "run `cairn verify`")
      isOfObject = true
    case .unsupported:
      self.init(
        .serverRejectedRequest, "the container's file system can't do it: \(error.cause)",
        remedy: "put the container on another file system; `cairn doctor` tests one")
      isOfObject = true
    case .unlisted:
      self.init(
        .serverRejectedRequest, error.cause,
        remedy: "ask the owner of the server for lists, or use the container itself")
    }
  }

  /// Creates an error from a refusal; `owner` is the name of the zone's owner, if known.
  public init(_ refusal: Refusal, owner: String? = nil) {
    let code: Code
    let remedy: String
    switch refusal.code {
    case .permissionFailure:
      (code, remedy) = (.permissionFailure, "ask the owner of the share for the permission")
    case .unknownItem: (code, remedy) = (.unknownItem, Self.planned)
    case .constraintViolation: (code, remedy) = (.constraintViolation, Self.planned)
    case .referenceViolation: (code, remedy) = (.referenceViolation, Self.planned)
    case .invalidArguments:
      (code, remedy) = (.invalidArguments, "see the manual page of the command")
    case .serverRecordChanged:
      (code, remedy) = (.serverRecordChanged, "nothing to do, it is tried again")
    case .zoneNotFound: (code, remedy) = (.zoneNotFound, "create the share first")
    case .tooManyParticipants:
      (code, remedy) = (.tooManyParticipants, "remove a participant first; a share has at most 100")
    case .limitExceeded: (code, remedy) = (.limitExceeded, "take some away first")
    case .quotaExceeded:
      // The owner pays for shared data.
      let whose = owner.map { "ask \($0), the owner, to raise the limit" }
      (code, remedy) = (
        .quotaExceeded,
        (whose ?? "raise it with `cairn quota`") + ", or delete something; the change is sent then"
      )
    case .incompatibleVersion:
      (code, remedy) = (.incompatibleVersion, "install a newer Cairn")
    case .managedAccountRestricted:
      (code, remedy) = (
        .managedAccountRestricted, "the owner can change it with `cairn share policy`"
      )
    case .userDeletedZone:
      (code, remedy) = (.userDeletedZone, "keep a copy elsewhere; this folder has no zone now")
    }
    self.init(code, refusal.reason, remedy: remedy)
    let ofState: [Refusal.Code] = [.unknownItem, .constraintViolation, .referenceViolation]
    isPlannedAnew = ofState.contains(refusal.code)
    record = refusal.record
  }
}

extension LogTrouble {
  /// The error for an operation that the trouble prevents.
  public var error: CloudError {
    switch kind {
    case .damaged: CloudError(.assetNotAvailable, message, remedy: remedy)
    case .lostEnd where mayBeEnded: CloudError(.zoneNotFound, message, remedy: remedy)
    case .lostEnd, .twoHistories: CloudError(.changeTokenExpired, message, remedy: remedy)
    case .held, .elsewhere: CloudError(.zoneBusy, message, remedy: remedy)
    case .disputed: CloudError(.participantMayNeedVerification, message, remedy: remedy)
    }
  }
}
