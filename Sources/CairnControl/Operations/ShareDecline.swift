// The refusal of an invitation: `share decline`, and its answer.

extension Control {
  /// Deletes an invitation from my inbox. Nobody is told, and I can be invited again.
  public struct ShareDecline: ControlOperation {
    /// The answer.
    public typealias Reply = Control.DeclineReply
    /// `POST /v1/shareDecline`.
    public static let name = "shareDecline"
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// The invitation: its id, six digits or more of it, or the link.
    public var invitation: String

    /// Joins the parts.
    public init(invitation: String) { self.invitation = invitation }
  }

  /// The answer of `share decline`.
  public struct DeclineReply: Codable, Hashable, Sendable {
    /// The share's id.
    public var id: String
    /// Its title.
    public var title: String
    /// The person who invited.
    public var from: Control.Person

    /// Joins the parts.
    public init(id: String, title: String, from: Control.Person) {
      self.id = id
      self.title = title
      self.from = from
    }
  }
}
