extension Control {
  /// What went wrong, by CloudKit's names where it has one; the last six are ours. Other words of a
  /// newer daemon are read as `internalError`.
  public enum ErrorCode: String, Hashable, Sendable, CaseIterable {
    /// Nothing that can be mended from outside: a bug, or a failure of the machine.
    case internalError
    /// Some of what was asked for failed; the rest was done.
    case partialFailure
    /// The container isn't there: not mounted, or not reachable.
    case networkUnavailable
    /// The container stopped answering on the way.
    case networkFailure
    /// The container isn't one of Cairn's, or not the one that is meant.
    case badContainer
    /// The daemon can't serve the request now; later it can.
    case serviceUnavailable
    /// Too many requests at once.
    case requestRateLimited
    /// The feature is switched off in the configuration.
    case missingEntitlement
    /// This home has no identity: `cairn init` comes first.
    case notAuthenticated
    /// Not allowed: no right to it, or not invited.
    case permissionFailure
    /// There is no such file, share, person or invitation.
    case unknownItem
    /// The request makes no sense as it is.
    case invalidArguments
    /// Somebody else changed the record first.
    case serverRecordChanged
    /// The request is refused for good.
    case serverRejectedRequest
    /// The file vanished before it was read.
    case assetFileNotFound
    /// The file changed while it was read.
    case assetFileModified
    /// The container is of a newer version than this program.
    case incompatibleVersion
    /// A name is taken, or a rule of the zone is broken.
    case constraintViolation
    /// The operation was given up on request.
    case operationCancelled
    /// The token is older than what the zone remembers; everything is compared anew.
    case changeTokenExpired
    /// This item was in order; another one of the same batch wasn't.
    case batchRequestFailed
    /// Others keep writing to the zone; it is tried again.
    case zoneBusy
    /// That can't be done in this database.
    case badDatabase
    /// There is no room left.
    case quotaExceeded
    /// There is no such zone.
    case zoneNotFound
    /// Too many, or too large.
    case limitExceeded
    /// The zone was deleted by its owner.
    case userDeletedZone
    /// A share can't have more people.
    case tooManyParticipants
    /// The folder, one above it or one below it, is in a share already.
    case alreadyShared
    /// A parent is missing, or still has children.
    case referenceViolation
    /// The container's policy forbids it.
    case managedAccountRestricted
    /// The caller isn't known to the share; the invitation may be for another identity.
    case participantMayNeedVerification
    /// It was done, or not; the answer got lost.
    case serverResponseLost
    /// Content is missing in the container, or damaged.
    case assetNotAvailable
    /// The identity is locked.
    case accountTemporarilyUnavailable
    /// The person is invited already.
    case participantAlreadyInvited

    /// No daemon runs for this home, or it can't be reached or started.
    case notRunning
    /// The time that was given is over.
    case timedOut
    /// The folder, one above it or one below it, is mirrored already.
    case alreadyMirrored
    /// The daemon ended, or the connection broke, before the answer came.
    case interrupted
    /// A daemon runs for this home already.
    case alreadyRunning
    /// This home belongs to somebody already: `cairn init` was done.
    case alreadyExists
  }
}

extension Control.ErrorCode {
  /// What `cairn` exits with: CKError's own number for CloudKit's codes (so 1 is internalError,
  /// any failure without a better name), 40 to 45 for ours. 0 is success, 64 is a usage error.
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
    }
  }
}

extension Control.ErrorCode: Codable {
  /// Reads a word; one that isn't known here is `internalError`.
  public init(from decoder: any Decoder) throws {
    let word = try decoder.singleValueContainer().decode(String.self)
    self = Control.ErrorCode(rawValue: word) ?? .internalError
  }

  /// Writes the word.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rawValue)
  }
}
