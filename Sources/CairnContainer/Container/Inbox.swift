import CairnIdentity
import CairnStore
import CairnZone
import Synchronization

/// A person's inbox in the container, into which anybody may put anything. It opens each object
/// once and remembers its kind, so a flood of garbage costs its sender more than its recipient. A
/// name may return with another object, because inviters agree on names: the memory is about one
/// version of an object.
public final class Inbox: Sendable {
  /// The content of a message.
  enum Message: Sendable {
    case invitation(Invitation)
    /// A request, with its message, so that it can be passed on.
    case request(AccessRequest, SealedMessage)
  }

  /// A message and its key.
  struct Item: Sendable {
    var key: ObjectKey
    var message: Message
    /// The number of the check that found it, which orders messages by arrival.
    var look: Int
  }

  /// The kind of an object in it.
  private enum Opened {
    case message(Message)
    /// Possibly a message later, or elsewhere: by a person who is not visible here, by a newer
    /// Cairn, or unreadable.
    case unknown
    /// It is not a message to this person, and never will be.
    case rubbish
  }

  /// The maximum number of objects that are checked, in the order of their random names.
  static let mostObjects = 50_000

  private let store: any ObjectStore
  private let container: ContainerID
  private let account: Account
  private let people: People
  private let most: Int
  /// The kind of an opened object, its version, if known, and the check that found it.
  private struct Known {
    var opened: Opened
    var version: String?
    var look: Int
  }

  /// The known objects, and the number of checks.
  private struct Memory {
    var objects: [ObjectKey: Known] = [:]
    var looks = 0
  }

  private let memory = Mutex(Memory())
  private let hasLooked = Atomic(false)

  /// Creates an inbox.
  /// - Parameters:
  ///   - store: The store.
  ///   - container: The id of the container.
  ///   - account: The owner of the inbox.
  ///   - people: The possible senders.
  ///   - most: The maximum number of checked objects; the folder is listed once for this number.
  init(
    store: any ObjectStore, container: ContainerID, account: Account, people: People,
    most: Int = Inbox.mostObjects
  ) {
    self.most = most
    self.store = store
    self.container = container
    self.account = account
    self.people = people
  }

  /// The folder of a person's inbox.
  static func folder(of user: UserID) -> String { ObjectKind.inbox.path(user) }

  /// The key of a message with that id.
  static func key(of user: UserID, _ id: Bytes16) -> ObjectKey {
    guard let key = ObjectKey("\(folder(of: user))/\(hexadecimal(id.bytes))") else {
      preconditionFailure("an inbox key that isn't a key")
    }
    return key
  }

  /// All messages that can be opened, are signed by their named author, and concern this container.
  /// While the container is unreachable, these are the messages of the last check, if there was
  /// one.
  func items() throws(StoreError) -> [Item] {
    try memory.withLock { memory throws(StoreError) in
      do throws(StoreError) {
        try look(&memory)
        hasLooked.store(true, ordering: .relaxed)
      } catch {
        guard error.code == .unreachable, hasLooked.load(ordering: .relaxed) else { throw error }
      }
      return memory.objects.compactMap { key, known in
        guard case .message(let message) = known.opened else { return nil }
        return Item(key: key, message: message, look: known.look)
      }
    }
  }

  /// All readable invitations, oldest first.
  func invitations() throws -> [Invitation] {
    do {
      return try items().compactMap { item in
        if case .invitation(let invitation) = item.message { invitation } else { nil }
      }.sorted { $0.time < $1.time }
    } catch {
      throw CloudError(error)
    }
  }

  /// Removes this person's invitations to a zone from the inbox, because they were handled. A
  /// failure is harmless, because accepted ones are not listed.
  func forgetInvitations(to zone: ZoneID) throws {
    do {
      let keys = try items().compactMap { item -> ObjectKey? in
        guard case .invitation(let invitation) = item.message, invitation.zone == zone else {
          return nil
        }
        return item.key
      }
      try Inbox.delete(keys, in: store)
    } catch {
      guard error.isWorthRetrying else { return }
      throw CloudError(error)
    }
  }

  /// Counts the objects in the inbox.
  /// - Throws: `CloudError` if the container cannot be read.
  public func survey() throws -> InboxSurvey {
    do { return try counted() } catch { throw CloudError(error) }
  }

  private func counted() throws(StoreError) -> InboxSurvey {
    try memory.withLock { memory throws(StoreError) in
      try look(&memory)
      var survey = InboxSurvey(isCut: memory.objects.count >= most)
      for known in memory.objects.values {
        switch known.opened {
        case .message: survey.messages += 1
        case .unknown: survey.unknown += 1
        case .rubbish: survey.rubbish += 1
        }
      }
      return survey
    }
  }

  /// Removes objects that are not messages to this person, and never will be, also beyond the usual
  /// limit.
  /// - Returns: the numbers of removed objects, and of objects that could not be removed.
  /// - Throws: `CloudError` if the container cannot be used.
  public func tidy() throws -> (gone: Int, left: Int) {
    do { return try swept() } catch { throw CloudError(error) }
  }

  private func swept() throws(StoreError) -> (gone: Int, left: Int) {
    try memory.withLock { memory throws(StoreError) in
      var (gone, left) = (0, 0)
      var after: ObjectKey?
      while let keys = try page(after), let last = keys.last?.key {
        for object in keys {
          let key = object.key
          guard case .rubbish = try look(at: object, memory).opened else { continue }
          do throws(StoreError) {
            try store.delete(key)
            memory.objects[key] = nil
            gone += 1
          } catch {
            guard !error.isWorthRetrying else { throw error }
            left += 1
          }
        }
        after = last
      }
      return (gone, left)
    }
  }

  private func look(_ memory: inout Memory) throws(StoreError) {
    memory.looks += 1
    var now: [ObjectKey: Known] = [:]
    var after: ObjectKey?
    while now.count < most, let objects = try page(after), let last = objects.last?.key {
      for object in objects { now[object.key] = try look(at: object, memory) }
      // Fewer objects than requested are all there are.
      guard objects.count >= most else { break }
      after = last
    }
    memory.objects = now
  }

  private func page(_ after: ObjectKey?) throws(StoreError) -> [ListedObject]? {
    try store.listed(Self.folder(of: account.user) + "/", after: after, limit: most)
  }

  private func look(
    at object: ListedObject, _ memory: Memory
  ) throws(StoreError) -> Known {
    let former = memory.objects[object.key]
    // If an object cannot be distinguished from later ones with its name, only its existence is
    // remembered.
    if let version = object.version, let former, former.version == version { return former }
    let isOther = object.version != former?.version
    let look = isOther ? memory.looks : former?.look ?? memory.looks
    var opened = try open(object.key)
    // A partial read is not garbage, which would be remembered as such and removed.
    if case .rubbish = opened { opened = try open(object.key) }
    return Known(opened: opened, version: object.version, look: look)
  }

  private func open(_ key: ObjectKey) throws(StoreError) -> Opened {
    let recipient = account.user.bytes
    do {
      // Each message begins with its format. Of a large object with another beginning, nothing more
      // is read.
      guard let head = try store.get(key, range: 0..<1) else { return .unknown }
      guard head == [SealedMessage.firstByte] else { return .rubbish }
      guard let bytes = try store.get(key, upTo: SealedMessage.limit) else { return .unknown }
      let message = try SealedMessage(bytes) { account.open($0) }
      let found: Message
      let about: ContainerID
      switch message.kind {
      case .invitation:
        let invitation = try Invitation(message, recipient: recipient) {
          try people.signKey(of: $0)
        }
        (found, about) = (.invitation(invitation), invitation.container)
      case .request:
        let request = try AccessRequest(message, recipient: account.user) {
          try people.signKey(of: $0)
        }
        (found, about) = (.request(request, message), request.container)
      }
      return about == container ? .message(found) : .rubbish
    } catch let error as StoreError {
      // An unreadable object hides only itself.
      guard !error.isWorthRetrying else { throw error }
      return .unknown
    } catch let error as Invitation.Failure {
      switch error {
      case .unreadable, .notForUs, .badSignature: return .rubbish
      case .newerFormat, .newer, .unknownInviter, .unusableKey: return .unknown
      }
    } catch {
      return .rubbish
    }
  }

  /// Removes handled messages.
  static func delete(_ keys: [ObjectKey], in store: any ObjectStore) throws(StoreError) {
    for key in keys { try store.delete(key) }
  }
}

/// The contents of this person's inbox.
public struct InboxSurvey: Hashable, Sendable {
  /// Messages to this person.
  public var messages = 0
  /// The objects that are currently unreadable here: by a person that the container does not show,
  /// by a newer Cairn, or without permission.
  public var unknown = 0
  /// The objects that are not messages to this person, and never will be.
  public var rubbish = 0
  /// A Boolean value that indicates whether there are more objects than are checked: then messages
  /// may be missing.
  public var isCut = false

  /// The maximum number of checked objects.
  public static let most = Inbox.mostObjects
}
