import CairnControl
import CairnFolders
import CairnIdentity
import CairnIndex
import CairnStore

/// Turns errors of the lower layers into messages for people.
enum Failures {
  /// The error of a thread that the system refuses.
  static let noThreads = ControlError(
    .limitExceeded, "The system has no more threads.", remedy: "Raise the limit `ulimit -u`.")

  static func control(_ error: any Error) -> ControlError {
    switch error {
    case let error as ControlError: return error
    case let error as CloudError:
      return ControlError(
        code(error.code), sentence(error.message), remedy: sentence(error.remedy))
    case let error as FolderError: return folder(error)
    case let error as IndexFolderInUse:
      return ControlError(
        .alreadyRunning, sentence(error.description),
        remedy: "End that program, or let it use a home of its own.",
        path: Control.Path(error.folder))
    case let error as IndexFailure: return index(error)
    case let error as Account.FileFailure:
      return ControlError(
        .notAuthenticated, sentence(error.description),
        remedy: "Put the file back from your copy of the keys; nothing in your folders is touched. "
          + "If there is no copy, see LOST KEYS in cairn-init(1).")
    case let error as StoreError where error.code == .paused:
      return ControlError(
        .networkUnavailable, sentence(error.cause),
        remedy: "Run `cairn resume`; changes are sent then.")
    case let error as StoreError:
      return ControlError(code(of: error), sentence(error.cause), remedy: "Then try again.")
    default:
      return ControlError(
        .internalError, "Something failed that should not: \(error).",
        remedy: "See the log of the daemon; `cairn status` shows whether it still works.")
    }
  }

  /// Returns the code of the lower layers for programs: both use CloudKit's names.
  static func code(_ code: CloudError.Code) -> Control.ErrorCode {
    Control.ErrorCode(rawValue: code.rawValue) ?? .internalError
  }

  /// Returns the code of a store's error for programs.
  static func code(of error: StoreError) -> Control.ErrorCode {
    switch error.code {
    case .full: .quotaExceeded
    case .denied: .permissionFailure
    case .unsupported, .unlisted: .serverRejectedRequest
    case .paused: .networkUnavailable
    case .unreachable, .throttled, .notFound, .corrupt: .networkFailure
    }
  }

  /// The same with the share that it is about, because the rules of sharing don't name it.
  static func control(_ error: any Error, about share: Control.ShareReference?) -> ControlError {
    var told = control(error)
    let cause = error as? CloudError
    let rules: Set<Control.ErrorCode> = [
      .permissionFailure, .managedAccountRestricted, .tooManyParticipants,
    ]
    // A person called this operation, and nobody else repeats it.
    let isAsked = cause?.isPlannedAnew ?? false
    guard let share, told.path == nil, cause?.isOfContainer != true,
      isAsked || rules.contains(told.code)
    else { return told }
    if isAsked { told.remedy = "`cairn share show` says how it is now." }
    switch share {
    case .path(let path):
      told.path = path
      told.message = "\(path): \(told.message)"
    case .id(let text): told.message = "The share \(text): \(told.message)"
    }
    return told
  }

  private static func index(_ error: IndexFailure) -> ControlError {
    let path = Control.Path(error.path)
    switch error.kind {
    case .full:
      return ControlError(
        .quotaExceeded, "The index \(path) can't be written: its disk is full.",
        remedy: "Make room on the disk of this home; Cairn continues when there is room.",
        path: path)
    case .unusable:
      return ControlError(
        .assetNotAvailable, "The index \(path) can't be used now: \(error.reason).",
        remedy: "See whether the disk of this home fails, or may only be read; it is tried again "
          + "by itself.", path: path)
    case .damaged:
      return ControlError(
        .assetNotAvailable, "The index \(path) is damaged: \(error.reason).",
        remedy: "Run `cairn stop`, delete that file, and start again: it is a cache, and is "
          + "created again. Nothing is lost.", path: path)
    case .other:
      return ControlError(
        .internalError, "Something failed that should not: \(error).",
        remedy: "See the log of the daemon; `cairn status` shows whether it still works.",
        path: path)
    }
  }

  private static func folder(_ error: FolderError) -> ControlError {
    let path = error.path.isEmpty ? nil : Control.Path(error.path)
    let message = sentence(error.reason)
    switch error.code {
    case .denied:
      return ControlError(
        .permissionFailure, message, remedy: "Check the owner and the mode.", path: path)
    case .full:
      return ControlError(.quotaExceeded, message, remedy: "Make room on the disk.", path: path)
    case .notFound:
      return ControlError(.unknownItem, message, remedy: "Check the path.", path: path)
    case .detached:
      return ControlError(
        .assetNotAvailable, message,
        remedy: "Put the folder back, or mount its disk: then Cairn continues. Nothing is deleted "
          + "meanwhile, here or elsewhere. If the folder is lost, run `cairn remove`.",
        path: path)
    case .exists:
      return ControlError(
        .constraintViolation, message, remedy: "Choose another name.", path: path)
    case .unsupported:
      return ControlError(
        .invalidArguments, message, remedy: "See the manual of the command.", path: path)
    case .tooMany:
      return ControlError(
        .limitExceeded, message, remedy: "Raise the limit `ulimit -n`.", path: path)
    default:
      return ControlError(.internalError, message, remedy: "See `cairn status`.", path: path)
    }
  }

  /// Returns the text with a capital letter and a full stop.
  static func sentence(_ text: String) -> String {
    guard let first = text.first else { return text }
    let start = first.uppercased() + text.dropFirst()
    return start.hasSuffix(".") ? start : start + "."
  }
}
