/// A reply with a list that may be long. It is sent in batches of the list, followed by the reply
/// with an empty list. So neither daemon nor command holds the whole list.
public protocol ControlListReply: Codable, Sendable {
  /// The type of the list's elements.
  associatedtype Item: Codable & Sendable
  /// The name of the list's member in the JSON object.
  static var listName: String { get }
  /// The list.
  var items: [Item] { get set }
}

extension ControlOperation where Reply: ControlListReply {
  /// True: a slow reader of a list blocks a thread.
  public static var mayWait: Bool { true }
}
