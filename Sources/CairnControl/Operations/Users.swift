// The people of the container: `user list`, `user verify`, and their answers.

extension Control {
  /// Everybody who has published a profile in the container.
  public struct UserList: ControlOperation {
    /// The answer.
    public typealias Reply = Control.UserListReply
    /// `POST /v1/userList`.
    public static let name = "userList"
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// Asks for nothing more.
    public init() {}
  }

  /// How far I can be sure who somebody is.
  public enum Verification: String, Codable, Hashable, Sendable, CaseIterable {
    /// Numbers were compared, and nothing changed since.
    case verified
    /// Nobody compared numbers.
    case notVerified = "not-verified"
    /// Other devices, another handle or name than when they were last seen or verified.
    case changed
  }

  /// A person who can be invited.
  public struct User: Codable, Hashable, Sendable {
    /// The person's id, hexadecimal.
    public var user: String
    /// The name to invite them by.
    public var handle: String
    /// The name to show.
    public var name: String
    /// How many active devices they have.
    public var devices: Int
    /// Whether it is the person who asks.
    public var isMe: Bool
    /// How sure I can be of them.
    public var verification: Control.Verification?
    /// How many people claim the handle; more than one is a warning.
    public var claimedBy: Int?
    /// Whether the container doesn't show them now, though this device has read them before or the
    /// account knows them.
    public var isHidden: Bool?

    /// Joins the parts.
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

  /// What `userList` answers.
  public struct UserListReply: Codable, Hashable, Sendable {
    /// By handle.
    public var users: [Control.User]
    /// True if the container can't be reached: these are as this device has read them before.
    public var isRecalled: Bool?

    /// Joins the parts.
    public init(users: [Control.User], isRecalled: Bool? = nil) {
      self.isRecalled = isRecalled
      self.users = users
    }
  }

  /// Tells the number that a person and I must both see, or notes that we compared it.
  public struct UserVerify: ControlOperation {
    /// The answer.
    public typealias Reply = Control.UserVerifyReply
    /// `POST /v1/userVerify`.
    public static let name = "userVerify"
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// What is to be noted.
    public enum Act: String, Codable, Hashable, Sendable, CaseIterable {
      /// Nothing: only tell the number.
      case show
      /// That the other one sees `number`; then they are verified.
      case match
      /// That they aren't verified any more.
      case forget
      /// That a change of theirs was seen.
      case acknowledge
    }

    /// Who: a handle, an id, or the beginning of an id.
    public var user: String
    /// What to note.
    public var act: Act
    /// The digits that the other one sees, with `match`.
    public var number: String?

    /// Joins the parts.
    public init(user: String, act: Act = .show, number: String? = nil) {
      self.user = user
      self.act = act
      self.number = number
    }
  }

  /// What `userVerify` answers.
  public struct UserVerifyReply: Codable, Hashable, Sendable {
    /// The person, as they are known now.
    public var user: Control.User
    /// Twelve groups of five digits: what both must see.
    public var number: String

    /// Joins the parts.
    public init(user: Control.User, number: String) {
      self.user = user
      self.number = number
    }
  }
}
