import CairnStore
import CairnZone
import Synchronization

/// A person's inbox in the container, into which anybody may put anything: opens each object once
/// and remembers what it was, so that a flood of rubbish costs its sender more than its recipient.
final class Inbox: Sendable {
  /// What a message says.
  enum Message: Sendable {
    case invitation(Invitation)
    case request(AccessRequest)
  }

  /// A message and where it lies.
  struct Item: Sendable {
    var key: ObjectKey
    var message: Message
  }

  /// More objects than this aren't looked at; the order is that of their random names.
  private static let mostObjects = 50_000

  private let store: any ObjectStore
  private let container: ContainerID
  private let account: Account
  private let people: People
  /// What was opened; nil for what isn't a message to us.
  private let known = Mutex<[ObjectKey: Message?]>([:])

  init(store: any ObjectStore, container: ContainerID, account: Account, people: People) {
    self.store = store
    self.container = container
    self.account = account
    self.people = people
  }

  /// The folder of a person's inbox.
  static func folder(of user: UserID) -> String { "users/\(user)/inbox" }

  /// The key of a message with that id.
  static func key(of user: UserID, _ id: Bytes16) -> ObjectKey {
    guard let key = ObjectKey("\(folder(of: user))/\(hexadecimal(id.bytes))") else {
      preconditionFailure("an inbox key that isn't a key")
    }
    return key
  }

  /// All messages that open, are signed by whom they name, and are about this container.
  func items() throws(StoreError) -> [Item] {
    try known.withLock { known throws(StoreError) in
      var now: [ObjectKey: Message?] = [:]
      var after: ObjectKey?
      while now.count < Self.mostObjects {
        let keys = try store.list(Self.folder(of: account.user) + "/", after: after, limit: 1_000)
        for key in keys {
          if let message = known[key] {
            now[key] = message
          } else {
            now[key] = try open(key)
          }
        }
        guard let last = keys.last else { break }
        after = last
      }
      known = now
      return now.compactMap { key, message in message.map { Item(key: key, message: $0) } }
    }
  }

  /// What an object says; nil if it isn't for us to understand.
  private func open(_ key: ObjectKey) throws(StoreError) -> Message? {
    guard let bytes = try store.get(key, upTo: SealedMessage.limit) else { return nil }
    let recipient = account.user.bytes
    do {
      let message = try SealedMessage(bytes) { account.open($0) }
      switch message.kind {
      case .invitation:
        let invitation = try Invitation(message, recipient: recipient) {
          try people.signKey(of: $0)
        }
        return invitation.container == container ? .invitation(invitation) : nil
      case .request:
        let request = try AccessRequest(message, recipient: recipient) {
          try people.signKey(of: $0)
        }
        return request.container == container ? .request(request) : nil
      }
    } catch let error as StoreError {
      throw error
    } catch {
      return nil
    }
  }

  /// Removes what was handled.
  static func delete(_ keys: [ObjectKey], in store: any ObjectStore) throws(StoreError) {
    for key in keys { try store.delete(key) }
  }
}
