// What one may do: `can` and its answers.

extension Control {
  /// Something that one may do to a file or folder, or not.
  public enum Verb: String, Codable, Hashable, Sendable, CaseIterable {
    /// See it.
    case read
    /// Change it; of a folder: put something into it.
    case update
    /// Delete it, for everybody.
    case delete
    /// Let others see it.
    case share
  }

  /// Asks what may be done to a file or folder. Answered from this device's index: right without
  /// the container too.
  public struct Can: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.CanReply
    /// `POST /v1/can`.
    public static let name = "can"
    /// The accepted targets.
    public static let targets: Control.Targets = .anyPath

    /// The absolute path of the file or folder.
    public var path: Control.Path

    /// Joins the parts.
    public init(path: Control.Path) {
      self.path = path
    }
  }

  /// Asks whether anything may be written to a database (CloudKit's canModifyManagedObjects).
  public struct CanModify: ControlOperation {
    /// The answer.
    public typealias Reply = Control.CanModifyReply
    /// `POST /v1/canModify`.
    public static let name = "canModify"

    /// The database.
    public var scope: Control.Scope

    /// Joins the parts.
    public init(scope: Control.Scope) {
      self.scope = scope
    }
  }

  /// The permission for one act, with the reason.
  public struct Permit: Codable, Hashable, Sendable {
    /// The act.
    public var verb: Control.Verb
    /// A Boolean value that indicates whether it is allowed.
    public var allowed: Bool
    /// Why, in a sentence.
    public var reason: String

    /// Joins the parts.
    public init(_ verb: Control.Verb, _ allowed: Bool, _ reason: String) {
      self.verb = verb
      self.allowed = allowed
      self.reason = reason
    }
  }

  /// The answer of `can`.
  public struct CanReply: Codable, Hashable, Sendable {
    /// The file or folder, absolute.
    public var path: Control.Path
    /// In which database it is; nil: in none.
    public var scope: Control.Scope?
    /// The four answers.
    public var permits: [Control.Permit]

    /// Joins the parts.
    public init(path: Control.Path, scope: Control.Scope?, permits: [Control.Permit]) {
      self.path = path
      self.scope = scope
      self.permits = permits
    }
  }

  /// The answer of `can modify`.
  public struct CanModifyReply: Codable, Hashable, Sendable {
    /// The database.
    public var scope: Control.Scope
    /// A Boolean value that indicates whether it is allowed.
    public var allowed: Bool
    /// Why, in a sentence.
    public var reason: String

    /// Joins the parts.
    public init(scope: Control.Scope, allowed: Bool, reason: String) {
      self.scope = scope
      self.allowed = allowed
      self.reason = reason
    }
  }
}
