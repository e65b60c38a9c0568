import CairnControl
import CairnIdentity
import CairnIndex
import CairnReplica
import CairnStore

/// The reason why an operation failed (CKError). It is the only error of this library.
public struct CloudError: Error, Sendable, CustomStringConvertible {
  /// The kinds of errors, by CloudKit's names where CloudKit has one.
  public enum Code: String, Hashable, Sendable, CaseIterable {
    case internalError, networkUnavailable, networkFailure, badContainer, serviceUnavailable
    case notAuthenticated, permissionFailure, unknownItem, invalidArguments
    case serverRecordChanged, serverRejectedRequest, assetFileModified, assetNotAvailable
    case assetFileNotFound, incompatibleVersion, constraintViolation, changeTokenExpired, zoneBusy
    case badDatabase, quotaExceeded, zoneNotFound, limitExceeded, tooManyParticipants
    case alreadyShared, referenceViolation, participantMayNeedVerification, userDeletedZone
    case participantAlreadyInvited, managedAccountRestricted, accountTemporarilyUnavailable
    case operationCancelled
    /// Another program uses the home.
    case homeInUse
  }

  /// The next action, for a program.
  public enum Remedy: Hashable, Sendable, CaseIterable {
    /// Nothing helps: the request itself is wrong.
    case none
    /// The same operation may succeed later: see `retryAfter`.
    case retry
    /// Fetch the records again, apply the change to them, and save them.
    case fetch
    /// Fetch all changes without a token.
    case fetchAll
    /// The owner of the share can give the right.
    case askOwner
    /// Space is needed: in the container, or within the owner's limit.
    case makeRoom
    /// The container lost something, which another device may have.
    case repair
    /// A newer version of the program is needed.
    case updateProgram
    /// End the other program, or use another home.
    case endOtherProgram
    /// The person has to allow the program.
    case allowProgram
  }

  /// A record that somebody else changed first.
  public struct Conflict: Sendable {
    /// The record of the refused save.
    public let client: CloudRecord
    /// The record in the zone; nil if it is deleted.
    public let server: CloudRecord?
    /// The record that the client's change began with; nil if the client created the record.
    public let ancestor: CloudRecord?
  }

  /// The kind of the error.
  public let code: Code
  /// The event and its object, for people.
  public let message: String
  /// The records that were changed by others, for `.serverRecordChanged`.
  public internal(set) var conflicts: [Conflict] = []
  /// The records that caused the error, if the reason is about records.
  public internal(set) var records: [RecordID] = []

  /// Creates an error, for example to leave the function of `CloudZone.modify`.
  public init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }

  /// The next action.
  public var remedy: Remedy {
    switch code {
    case .networkUnavailable, .networkFailure, .serviceUnavailable, .zoneBusy: .retry
    case .serverRecordChanged, .unknownItem: .fetch
    case .changeTokenExpired: .fetchAll
    case .permissionFailure, .managedAccountRestricted: .askOwner
    case .quotaExceeded: .makeRoom
    case .assetNotAvailable: .repair
    case .incompatibleVersion: .updateProgram
    case .homeInUse: .endOtherProgram
    case .notAuthenticated: .allowProgram
    default: .none
    }
  }

  /// The time to wait before the same operation is tried again; nil if that doesn't help.
  public var retryAfter: Duration? { remedy == .retry ? .seconds(2) : nil }

  /// The code and the message.
  public var description: String { "\(code.rawValue): \(message)" }

  // MARK: Errors of the lower layers

  static let cancelled = CloudError(.operationCancelled, "the operation was cancelled")

  init(_ error: any Error) {
    switch error {
    case let error as CloudError: self = error
    case let error as ControlError: self.init(error)
    case let error as CairnIdentity.CloudError:
      self.init(Code(rawValue: error.code.rawValue) ?? .internalError, error.message)
      records = error.record.map { [RecordID($0)] } ?? []
    case let error as StoreError: self.init(CairnIdentity.CloudError(error))
    case let error as IndexFolderInUse:
      self.init(.homeInUse, error.description)
    case let error as IdentityError:
      self.init(.invalidArguments, error.description)
    case let error as PeopleError:
      self.init(.constraintViolation, error.description)
    case Account.FileFailure.exposed(let path, _):
      self.init(.notAuthenticated, "others than you may use \(path), which has keys")
    case let error as Account.FileFailure:
      self.init(.notAuthenticated, error.description)
    case let error as ContentError:
      self.init(.assetNotAvailable, "\(error)")
    case is CancellationError: self = .cancelled
    default: self.init(.internalError, "\(error)")
    }
  }

  /// Runs a function of the lower layers.
  static func catching<T>(_ body: () throws -> T) -> Result<T, CloudError> {
    do { return .success(try body()) } catch { return .failure(CloudError(error)) }
  }
}
