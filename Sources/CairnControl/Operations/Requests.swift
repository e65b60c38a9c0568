// Requests for access: `share set-requests` to `share unblock`.

extension Control {
  /// Lets people who have nothing but the locator ask for access, or ends that.
  public struct ShareSetRequests: ShareOperation {
    /// The answer.
    public typealias Reply = Control.ShareReply
    /// `POST /v1/shareSetRequests`.
    public static let name = "shareSetRequests"
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// The share.
    public var share: Control.ShareReference
    /// A Boolean value that indicates whether people may request access.
    public var allowed: Bool

    /// Joins the parts.
    public init(share: Control.ShareReference, allowed: Bool) {
      self.share = share
      self.allowed = allowed
    }
  }

  /// Asks the owners of shares for access (CKShareRequestAccessOperation).
  public struct ShareRequest: ControlOperation {
    /// The answer.
    public typealias Reply = Control.RequestReply
    /// `POST /v1/shareRequest`.
    public static let name = "shareRequest"
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// Links to the shares.
    public var links: [String]
    /// The message to the owner; at most 1,000 bytes.
    public var message: String

    /// Joins the parts.
    public init(links: [String], message: String = "") {
      self.links = links
      self.message = message
    }
  }

  /// Lists the people who request access to my shares.
  public struct ShareRequests: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.RequestsReply
    /// `POST /v1/shareRequests`.
    public static let name = "shareRequests"
    /// The accepted targets.
    public static let targets: Control.Targets = .readWhole
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// Only this share; nil: all of mine.
    public var share: Control.ShareReference?

    /// Joins the parts.
    public init(share: Control.ShareReference? = nil) {
      self.share = share
    }
  }

  /// Invites somebody who asked.
  public struct ShareApprove: ShareOperation {
    /// The answer.
    public typealias Reply = Control.InviteReply
    /// `POST /v1/shareApprove`.
    public static let name = "shareApprove"
    /// The accepted targets.
    public static let targets: Control.Targets = .shared
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// The share.
    public var share: Control.ShareReference
    /// The person: a handle, the beginning of an id, or the id of a request.
    public var person: String
    /// The permission.
    public var permission: Control.Permission
    /// As for `shareInvite`.
    public var unverified: Bool?

    /// Joins the parts.
    public init(
      share: Control.ShareReference, person: String, permission: Control.Permission = .readWrite,
      unverified: Bool? = nil
    ) {
      self.unverified = unverified
      self.share = share
      self.person = person
      self.permission = permission
    }
  }

  /// Drops somebody's request; they may ask again.
  public struct ShareDeny: ShareOperation {
    /// The answer.
    public typealias Reply = Control.ShareReply
    /// `POST /v1/shareDeny`.
    public static let name = "shareDeny"
    /// The accepted targets.
    public static let targets: Control.Targets = .whole
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// The share.
    public var share: Control.ShareReference
    /// The person: a handle, the beginning of an id, or the id of a request.
    public var person: String

    /// Joins the parts.
    public init(share: Control.ShareReference, person: String) {
      self.share = share
      self.person = person
    }
  }

  /// Shuts somebody out: they neither take part nor may ask.
  public struct ShareBlock: ShareOperation {
    /// The answer.
    public typealias Reply = Control.ShareReply
    /// `POST /v1/shareBlock`.
    public static let name = "shareBlock"
    /// The accepted targets.
    public static let targets: Control.Targets = .whole
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// The share.
    public var share: Control.ShareReference
    /// The person: a handle, the beginning of an id, or the id of a request.
    public var person: String

    /// Joins the parts.
    public init(share: Control.ShareReference, person: String) {
      self.share = share
      self.person = person
    }
  }

  /// Takes a block back.
  public struct ShareUnblock: ShareOperation {
    /// The answer.
    public typealias Reply = Control.ShareReply
    /// `POST /v1/shareUnblock`.
    public static let name = "shareUnblock"
    /// The accepted targets.
    public static let targets: Control.Targets = .whole
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// The share.
    public var share: Control.ShareReference
    /// The person: a handle, the beginning of an id, or the id of a request.
    public var person: String

    /// Joins the parts.
    public init(share: Control.ShareReference, person: String) {
      self.share = share
      self.person = person
    }
  }

  /// The result of requesting access to one share.
  public struct RequestOutcome: Codable, Hashable, Sendable {
    /// The link, without a secret.
    public var link: String
    /// Why it couldn't be asked; nil: it was.
    public var error: ControlError?

    /// Joins the parts.
    public init(link: String, error: ControlError? = nil) {
      self.link = link
      self.error = error
    }
  }

  /// The answer of `share request`.
  public struct RequestReply: Codable, Hashable, Sendable {
    /// One for each link, in their order.
    public var outcomes: [Control.RequestOutcome]

    /// Joins the parts.
    public init(outcomes: [Control.RequestOutcome]) {
      self.outcomes = outcomes
    }
  }

  /// Somebody asks for access.
  public struct AccessRequest: Codable, Hashable, Sendable {
    /// The request's id, hexadecimal.
    public var id: String
    /// The share's id.
    public var share: String
    /// The share's title.
    public var title: String
    /// The person who requests access.
    public var from: Control.Person
    /// The message.
    public var text: String
    /// The time by their clock.
    public var time: Control.Time

    /// Joins the parts.
    public init(
      id: String, share: String, title: String, from: Control.Person, text: String,
      time: Control.Time
    ) {
      self.id = id
      self.share = share
      self.title = title
      self.from = from
      self.text = text
      self.time = time
    }
  }

  /// The answer of `share requests`.
  public struct RequestsReply: Codable, Hashable, Sendable {
    /// The oldest first.
    public var requests: [Control.AccessRequest]

    /// Joins the parts.
    public init(requests: [Control.AccessRequest]) {
      self.requests = requests
    }
  }
}
