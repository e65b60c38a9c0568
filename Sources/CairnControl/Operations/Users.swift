// The people of the container: `user list`, `user verify`, and their answers.

extension Control {
  /// Lists all people with a published profile in the container.
  public struct UserList: ControlOperation {
    /// The answer.
    public typealias Reply = Control.UserListReply
    /// `POST /v1/userList`.
    public static let name = "userList"
    /// True: the operation runs on a thread of its own.
    public static let mayWait = true

    /// Creates a request.
    public init() {}
  }

  /// The certainty of a person's identity.
  public enum Verification: String, Codable, Hashable, Sendable, CaseIterable {
    /// The numbers were compared, and nothing changed since.
    case verified
    /// The numbers were never compared.
    case notVerified = "not-verified"
    /// The devices, the handle or the name differ from those seen or verified last.
    case changed
  }

  /// A person who can be invited.
  public struct User: Codable, Hashable, Sendable {
    /// The person's id, hexadecimal.
    public var user: String
    /// The handle for invitations.
    public var handle: String
    /// The display name.
    public var name: String
    /// The number of active devices.
    public var devices: Int
    /// True for the asking person.
    public var isMe: Bool
    /// The certainty of their identity.
    public var verification: Control.Verification?
    /// The number of people that claim the handle; more than one is a warning.
    public var claimedBy: Int?
    /// True if the container does not show them now, though this device or the account knows them.
    public var isHidden: Bool?

    /// Creates a value with these properties.
    public init(
      user: String, handle: String, name: String, devices: Int, isMe: Bool,
      verification: Control.Verification? = nil, claimedBy: Int? = nil, isHidden: Bool? = nil
    ) {
      self.isHidden = isHidden
      self.user = user
      self.handle = handle
      self.name = name
      self.devices = devices
      self.isMe = isMe
      self.verification = verification
      self.claimedBy = claimedBy
    }
  }

  /// The answer of `userList`.
  public struct UserListReply: Codable, Hashable, Sendable {
    /// The people, by handle.
    public var users: [Control.User]
    /// True if the container is unreachable: then these are the people that this device read
    /// before.
    public var isRecalled: Bool?

    /// Creates a value with these properties.
    public init(users: [Control.User], isRecalled: Bool? = nil) {
      self.isRecalled = isRecalled
      self.users = users
    }
  }

  /// Returns the number that both people must see, or records that they compared it.
  public struct UserVerify: ControlOperation {
    /// The answer.
    public typealias Reply = Control.UserVerifyReply
    /// `POST /v1/userVerify`.
    public static let name = "userVerify"
    /// True: the operation runs on a thread of its own.
    public static let mayWait = true

    /// The kinds of records.
    public enum Act: String, Codable, Hashable, Sendable, CaseIterable {
      /// Nothing: only return the number.
      case show
      /// The other person sees `number`; then they are verified.
      case match
      /// They are no longer verified.
      case forget
      /// A change of theirs was seen.
      case acknowledge
    }

    /// The person: a handle, an id, or the beginning of an id.
    public var user: String
    /// The record to make.
    public var act: Act
    /// The digits that the other person sees, with `match`.
    public var number: String?

    /// Creates a value with these properties.
    public init(user: String, act: Act = .show, number: String? = nil) {
      self.user = user
      self.act = act
      self.number = number
    }
  }

  /// The answer of `userVerify`.
  public struct UserVerifyReply: Codable, Hashable, Sendable {
    /// The person, as known now.
    public var user: Control.User
    /// Twelve groups of five digits that both must see.
    public var number: String

    /// Creates a value with these properties.
    public init(user: Control.User, number: String) {
      self.user = user
      self.number = number
    }
  }
}
