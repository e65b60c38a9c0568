import CairnStore
import CairnZone
import Synchronization

/// A person's inbox in the container, into which anybody may put anything: opens each object once
/// and remembers what it was, so that a flood of rubbish costs its sender more than its recipient.
/// A name may come again with another object, since those who invite agree on names: what is
/// remembered is of one version of it.
public final class Inbox: Sendable {
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
    /// At which look it was found; what came later was found no earlier.
    var look: Int
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
  /// What was opened, of which version of the object, if that can be told, and at which look it was
  /// found.
  private struct Known {
    var opened: Opened
    var version: String?
    var look: Int
  }

  /// What is known, and how often was looked.
  private struct Memory {
    var objects: [ObjectKey: Known] = [:]
    var looks = 0
  }

  private let memory = Mutex(Memory())
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

  /// All invitations that open, oldest first.
  func invitations() throws -> [Invitation] {
    do {
      return try items().compactMap { item in
        if case .invitation(let invitation) = item.message { invitation } else { nil }
      }.sorted { $0.time < $1.time }
    } catch {
      throw CloudError(error)
    }
  }

  /// Takes this person's invitations to a zone out of the inbox: they were handled.
  /// That they can't be taken away is no failure: what was accepted isn't listed.
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

  /// Counts what lies there.
  /// - Throws: `CloudError` if the container can't be read.
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

  /// Takes away what isn't a message to this person and never will be, behind what is usually
  /// looked at, too.
  /// - Returns: how many objects went, and how many couldn't be taken away.
  /// - Throws: `CloudError` if the container can't be used.
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
      // Fewer than were asked for are all there are.
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
    // Of what can't be told from what comes after it, no more than that it was there is remembered.
    if let version = object.version, let former, former.version == version { return former }
    let isOther = object.version != former?.version
    let look = isOther ? memory.looks : former?.look ?? memory.looks
    var opened = try open(object.key)
    // What a store gave in part once is no rubbish, for which it would be taken from now on, and
    // taken away.
    if case .rubbish = opened { opened = try open(object.key) }
    return Known(opened: opened, version: object.version, look: look)
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
