public import CairnStore
import CairnZone
import FoundationEssentials
import Synchronization

/// The new device's side of joining a person: it asks, waits for the answer of the device that
/// made the code, and has the account then. It takes and writes nothing unless the chain that it is
/// shown passes through what that device has read. Whoever owns it decides how long it waits.
public final class DeviceJoin: Sendable {
  private let code: DeviceCode
  private let store: any ObjectStore
  private let people: People
  private let name: String
  private let keys: DeviceKeys
  private let object: JoinObject
  /// The heads of the chain that requests were made for, one an attempt.
  private let heads = Mutex<[Bytes32]>([])
  private let isAnchored = Mutex(false)
  /// More is an attack on the chain, or a program gone wild.
  private static let attempts = 64

  /// Makes the keys of a device of that name; nothing is asked yet.
  /// - Parameters:
  ///   - code: What a device of the person's has given out.
  ///   - store: Where the container is.
  ///   - deviceName: What the person calls the new device.
  ///   - trail: How the container came there.
  public init(
    _ code: DeviceCode, in store: any ObjectStore, deviceName: String,
    trail: SiteTrail = SiteTrail()
  ) {
    self.code = code
    self.store = store
    people = People(store: store, memory: nil, sites: SiteLook(trail))
    name = deviceName
    keys = .random()
    object = JoinObject(user: code.user, secret: code.secret)
  }

  /// Asks, or looks for the answer.
  /// - Returns: the account; nil as long as there is no answer.
  /// - Throws: `CloudError` if there will be none: the code was used or is too old, or the
  ///   container shows another person than the code is of.
  public func advance() throws -> Account? {
    do {
      guard let (person, held) = try people.read(code.user, as: nil) else {
        throw CloudError(
          .badContainer, "the container doesn't know the person that the code is of",
          remedy: "name the container that the first device uses with --container")
      }
      guard try anchored(person, isHeld: held != nil) else { return nil }
      if let account = try answered() { return account }
      if let held { throw held.error }
      let sent = heads.withLock { $0 }
      let isMember = person.devices[keys.id]?.isActive == true
      if sent.last != person.head, !isMember, sent.count < Self.attempts {
        try ask(person, UInt64(sent.count))
      }
      return nil
    } catch let error as StoreError {
      throw CloudError(error)
    } catch let error as IdentityError {
      throw CloudError(.assetNotAvailable, error.description, remedy: "run `cairn verify`")
    }
  }

  /// Whether the chain is the one that the first device has read. A shorter one may not be shown
  /// whole yet, unless something keeps it from growing.
  private func anchored(_ person: Person, isHeld: Bool) throws -> Bool {
    if isAnchored.withLock({ $0 }) { return true }
    guard person.length >= code.anchor.length || isHeld else { return false }
    guard try people.passes(person, through: code.anchor) else { throw Self.disputed }
    isAnchored.withLock { $0 = true }
    return true
  }

  /// What is told when the answer didn't come in time.
  public var tooLate: CloudError? { isAnchored.withLock { $0 } ? nil : Self.disputed }

  private func ask(_ person: Person, _ attempt: UInt64) throws {
    let request = DeviceRequest(name: name, keys: keys, to: person)
    let key = object.requestKey(attempt)
    guard try store.puts(key, object.seal(request.wire(head: person.head), at: key)) else {
      throw Self.used
    }
    heads.withLock { $0.append(person.head) }
  }

  private func answered() throws -> Account? {
    let count = UInt64(heads.withLock { $0.count })
    for attempt in (0..<count).reversed() {
      let key = object.answerKey(attempt)
      guard let bytes = try store.get(key, upTo: JoinObject.limit),
        let answer = object.open(bytes, at: key, as: WireJoinAnswer.self)
      else { continue }
      switch answer.answer {
      case .grant(let box)?:
        if let account = try account(Array(box)) { return account }
      case .refusal(.used)?: throw Self.used
      case .refusal(.expired)?: throw Self.expired
      case .refusal, nil:
        throw CloudError(
          .serverRejectedRequest, "the first device refused to let this one in",
          remedy: "see that both have the same version of Cairn, and make a new code with "
            + "`cairn device link`")
      }
    }
    return nil
  }

  /// The account that a grant makes, if it fits to what everybody can see of the person.
  private func account(_ box: [UInt8]) throws -> Account? {
    guard let person = try people.refresh(code.user), person.devices[keys.id]?.isActive == true
    else { return nil }
    let damaged = CloudError(
      .serverRejectedRequest, "the first device's answer doesn't fit to the person's identity",
      remedy: "make a new code with `cairn device link`")
    guard let plain = keys.box.open(box) else { throw damaged }
    let grant: WireJoinGrant
    do {
      grant = try StoredMessage.decode(
        plain, as: WireJoinGrant.self, "join grant", limit: JoinObject.limit)
    } catch {
      throw damaged
    }
    let secrets = grant.encryptionSecrets.compactMap { SecretBytes(Array($0)) }
    let origin = Array(grant.origin)
    guard let last = secrets.last, secrets.count == grant.encryptionSecrets.count,
      try IdentityLog.fold([origin]).id == code.user
    else { throw damaged }
    let account = Account(
      user: code.user, device: keys, encryption: secrets.map { BoxKey(secret: $0) },
      origin: origin)
    // Another device may have been revoked since: then the newest key is in the chain.
    try people.learn(account, as: person)
    guard
      account.encryptionKey == person.encryptionKey
        || BoxKey(secret: last).publicKey == person.encryptionKey
    else { throw damaged }
    return account
  }

  /// Calls `onHint` when there may be an answer, or the chain may have grown.
  public func follow(_ onHint: @escaping @Sendable () -> Void) throws -> [Subscription] {
    do {
      return [
        try store.follow(JoinObject.folder(code.user), onHint),
        try store.follow(ChainPlace.folder(code.user), onHint),
      ]
    } catch {
      throw CloudError(error)
    }
  }

  /// Removes what this device asked and what it was answered: nothing of it is needed any more.
  /// Objects that can't be removed now are harmless: they open for nobody else.
  public func clean() {
    for attempt in 0..<UInt64(heads.withLock { $0.count }) {
      for key in [object.requestKey(attempt), object.answerKey(attempt)] {
        do { try store.delete(key) } catch { return }
      }
    }
  }

  /// What is told where the container shows another chain than the first device has read.
  public static let disputed = CloudError(
    .serverRejectedRequest,
    "disputed: the identity that the container shows isn't the one that the first device has read",
    remedy: "nothing was written; see that both devices use the same container, and run "
      + "`cairn verify` on the first one")

  /// What a second device is told.
  public static let used = CloudError(
    .permissionFailure, "the code was used already; each is good for one device",
    remedy: "make another one with `cairn device link`")

  /// What is told about a code whose time is over.
  public static let expired = CloudError(
    .permissionFailure, "the code is too old; each is good for ten minutes",
    remedy: "make another one with `cairn device link`; compare the two machines' clocks if it is "
      + "new")
}
