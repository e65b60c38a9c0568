import CairnStore
import CairnZone
import Synchronization

/// A person's inbox in the container, into which anybody may put anything: opens each object once
/// and remembers what it was, so that a flood of rubbish costs its sender more than its recipient.
/// A name may come again with another object, since those who invite agree on names: what is
/// remembered is of one version of it.
final class Inbox: Sendable {
  /// What a message says.
  enum Message: Sendable {
    case invitation(Invitation)
    /// With the message that says it, to be passed on.
    case request(AccessRequest, SealedMessage)
  }

  /// A message and where it lies.
  struct Item: Sendable {
    var key: ObjectKey
    var message: Message
  }

  /// What an object in it turned out to be.
  private enum Opened {
    case message(Message)
    /// It may be one another day, or elsewhere: by somebody who can't be seen here, by a newer
    /// Cairn, or not to be read.
    case unknown
    /// It isn't a message to this person, and never will be.
    case rubbish
  }

  /// More objects than this aren't looked at; the order is that of their random names.
  static let mostObjects = 50_000

  private let store: any ObjectStore
  private let container: ContainerID
  private let account: Account
  private let people: People
  private let most: Int
  /// What was opened, and of which version of the object, if that can be told.
  private struct Known {
    var opened: Opened
    var version: String?
  }

  private let known = Mutex<[ObjectKey: Known]>([:])
  private let hasLooked = Atomic(false)

  /// - Parameters:
  ///   - store: where it is.
  ///   - container: which that is.
  ///   - account: whose inbox.
  ///   - people: who may have sent something.
  ///   - most: how many objects are looked at; the folder is listed once for so many.
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

  /// All messages that open, are signed by whom they name, and are about this container. While that
  /// can't be reached they are what was there at the last look, if there was one.
  func items() throws(StoreError) -> [Item] {
    try known.withLock { known throws(StoreError) in
      do throws(StoreError) {
        try look(&known)
        hasLooked.store(true, ordering: .relaxed)
      } catch {
        guard error.code == .unreachable, hasLooked.load(ordering: .relaxed) else { throw error }
      }
      return known.compactMap { key, known in
        guard case .message(let message) = known.opened else { return nil }
        return Item(key: key, message: message)
      }
    }
  }

  /// What else lies there.
  func survey() throws(StoreError) -> InboxSurvey {
    try known.withLock { known throws(StoreError) in
      try look(&known)
      var survey = InboxSurvey(isCut: known.count >= most)
      for known in known.values {
        switch known.opened {
        case .message: survey.messages += 1
        case .unknown: survey.unknown += 1
        case .rubbish: survey.rubbish += 1
        }
      }
      return survey
    }
  }

  /// Takes away what isn't a message to this person and never will be, behind what is usually
  /// looked at, too.
  /// - Returns: how many objects went, and how many couldn't be taken away.
  func tidy() throws(StoreError) -> (gone: Int, left: Int) {
    try known.withLock { known throws(StoreError) in
      var (gone, left) = (0, 0)
      var after: ObjectKey?
      while let keys = try page(after), let last = keys.last?.key {
        for object in keys {
          let key = object.key
          guard case .rubbish = try look(at: object, known).opened else { continue }
          do throws(StoreError) {
            try store.delete(key)
            known[key] = nil
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

  private func look(_ known: inout [ObjectKey: Known]) throws(StoreError) {
    var now: [ObjectKey: Known] = [:]
    var after: ObjectKey?
    while now.count < most, let objects = try page(after), let last = objects.last?.key {
      for object in objects { now[object.key] = try look(at: object, known) }
      after = last
    }
    known = now
  }

  private func page(_ after: ObjectKey?) throws(StoreError) -> [ListedObject]? {
    try store.listed(Self.folder(of: account.user) + "/", after: after, limit: most)
  }

  private func look(
    at object: ListedObject, _ known: [ObjectKey: Known]
  ) throws(StoreError) -> Known {
    // Of what can't be told from what comes after it nothing is remembered.
    if let version = object.version, let same = known[object.key], same.version == version {
      return same
    }
    return Known(opened: try open(object.key), version: object.version)
  }

  private func open(_ key: ObjectKey) throws(StoreError) -> Opened {
    let recipient = account.user.bytes
    do {
      // Each message begins with its format, whichever that is: of a large object that is none, and
      // cost nobody anything, no more is read.
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
      // What one can't read hides nothing but itself.
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

  /// Removes what was handled.
  static func delete(_ keys: [ObjectKey], in store: any ObjectStore) throws(StoreError) {
    for key in keys { try store.delete(key) }
  }
}

/// What lies in this person's inbox.
public struct InboxSurvey: Hashable, Sendable {
  /// Messages to this person.
  public var messages = 0
  /// What can't be read here or now: by somebody whom the container doesn't show, or by a newer
  /// Cairn, or not to be opened.
  public var unknown = 0
  /// What isn't a message to this person and never will be.
  public var rubbish = 0
  /// Whether there is more, which nobody looks at: then messages may be missing.
  public var isCut = false

  /// The most objects that are looked at.
  public static let most = Inbox.mostObjects
}

extension Container {
  /// Counts what lies in this person's inbox.
  /// - Throws: `CloudError` if the container can't be read.
  public func inboxSurvey() throws -> InboxSurvey {
    do { return try inbox.survey() } catch { throw CloudError(error) }
  }

  /// Takes away from this person's inbox what isn't a message to them and never will be.
  /// - Returns: how many objects went, and how many couldn't be taken away.
  /// - Throws: `CloudError` if the container can't be used.
  public func tidyInbox() throws -> (gone: Int, left: Int) {
    do { return try inbox.tidy() } catch { throw CloudError(error) }
  }
}
