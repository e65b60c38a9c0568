import CairnIdentity
public import CairnStore
public import CairnZone
import FoundationEssentials

/// The minimal rights of one participant in the bucket of a container, as a policy. It is computed
/// from `ObjectKind` alone, without any request.
public struct BucketPolicy: Sendable {
  /// The engines with a policy language.
  public enum Engine: String, Sendable, CaseIterable {
    /// Amazon, and engines with its condition on conditional writes.
    case aws
    /// Ceph's gateway, which lacks this condition.
    case ceph
  }

  /// One statement of a policy.
  struct Statement: Codable, Hashable, Sendable {
    var id: String
    var effect = "Allow"
    var principal: [String: [String]]?
    var actions: [String]
    var resources: [String]
    var condition: [String: [String: [String]]]?

    enum CodingKeys: String, CodingKey {
      case id = "Sid"
      case effect = "Effect"
      case principal = "Principal"
      case actions = "Action"
      case resources = "Resource"
      case condition = "Condition"
    }
  }

  private struct Document: Codable {
    var version = "2012-10-17"
    var statements: [Statement]

    enum CodingKeys: String, CodingKey {
      case version = "Version"
      case statements = "Statement"
    }
  }

  private let user: UserID
  private let place: BucketPlace
  private let principal: String?
  private let engine: Engine

  /// Creates a policy.
  /// - Parameters:
  ///   - user: The participant.
  ///   - place: The container's location.
  ///   - principal: The engine's name for them; nil: the policy is attached to them.
  ///   - engine: The engine.
  public init(
    for user: UserID, in place: BucketPlace, principal: String? = nil, engine: Engine = .aws
  ) {
    self.user = user
    self.place = place
    self.principal = principal
    self.engine = engine
  }

  // MARK: What is allowed

  /// The allowed actions, statement by statement.
  var statements: [Statement] {
    let mine = [object("\(ObjectKind.person(user))/*")]
    let others = ObjectKind.allCases.filter { $0.putter == .anybody }
    let hints = ObjectKind.allCases.filter { $0.deleter == .anybody }
    return [
      statement(
        "List", ["s3:ListBucket"], ["arn:aws:s3:::\(place.name)"],
        place.prefix.isEmpty ? nil : ["StringLike": ["s3:prefix": ["\(place.prefix)*"]]]),
      statement("Read", ["s3:GetObject"], [object("*")]),
      statement(
        "Put", ["s3:PutObject"], others.map { below($0) },
        // With this condition a writer can neither overwrite nor upload in parts.
        engine == .aws ? ["Null": ["s3:if-none-match": ["false"]]] : nil),
      statement("Own", ["s3:PutObject", "s3:DeleteObject"], mine),
      statement("Hints", ["s3:DeleteObject"], hints.map { below($0) }),
    ]
  }

  private func statement(
    _ name: String, _ actions: [String], _ resources: [String],
    _ condition: [String: [String: [String]]]? = nil
  ) -> Statement {
    Statement(
      id: "Cairn\(name)\(user.digits)",
      principal: principal.map { ["AWS": [$0]] }, actions: actions, resources: resources,
      condition: condition)
  }

  private func below(_ kind: ObjectKind) -> String {
    object(kind.isOneObject ? kind.path() : "\(kind.path())/*")
  }

  private func object(_ key: String) -> String {
    "arn:aws:s3:::\(place.name)/\(place.prefix)\(key)"
  }

  // MARK: As text

  /// The policy as JSON of several lines.
  public var document: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    do {
      return String(
        decoding: try encoder.encode(Document(statements: statements)), as: UTF8.self)
    } catch { preconditionFailure("a policy of texts that can't be encoded: \(error)") }
  }

  /// Notes on the policy, a sentence each.
  public var notes: [String] {
    var notes = [
      principal == nil
        ? "It has no principal: attach it to the user whose key this person has, or name them by "
          + "--principal for a policy of the bucket."
        : "A bucket has one policy: join the statements of all who take part into it."
    ]
    if !place.prefix.isEmpty {
      notes.append(
        "Below a prefix the engine says of what isn't there that it may not be read, and each such "
          + "look costs a list more: a bucket of its own spares that.")
    }
    if engine == .ceph {
      notes.append(
        "This engine can't demand that a put is conditional: whoever may put may overwrite what "
          + "others put below the same folders. Readers notice, and `cairn repair` puts it back.")
    }
    notes.append(
      "It is for who takes part, not for who makes the container: `cairn init` of the first one "
        + "puts the object `container`.")
    return notes
  }
}
