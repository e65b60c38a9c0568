extension Control {
  /// The kinds of errors, with CloudKit's names where it has one; the last six are Cairn's. Unknown
  /// words of a newer daemon are read as `internalError`.
  public enum ErrorCode: String, Hashable, Sendable, CaseIterable {
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
  }
}

extension Control.ErrorCode {
  /// The exit status of `cairn`: CKError's own number for CloudKit's codes (so 1 is internalError,
  /// any failure without a better name), 40 to 45 for Cairn's. 0 is success, 64 is a usage error.
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
  /// Reads a word; an unknown one is `internalError`.
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
