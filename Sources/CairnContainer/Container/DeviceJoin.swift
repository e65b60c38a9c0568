import CairnIdentity
public import CairnStore
import CairnWire
import CairnZone
import FoundationEssentials
import Synchronization

/// The new device's side of joining a person. It sends a request, waits for the answer of the
/// device that made the code, and then has the account. It accepts and writes nothing unless the
/// chain contains that device's anchor. Its owner decides how long it waits.
public final class DeviceJoin: Sendable {
  private let code: DeviceCode
  private let store: any ObjectStore
  private let people: People
  private let name: String
  private let keys: DeviceKeys
  private let object: JoinObject
  /// The heads of the chain for which requests were made, one per attempt.
  private let heads = Mutex<[Bytes32]>([])
  private let isAnchored = Mutex(false)
  /// The maximum number of attempts; more are an attack on the chain, or a defect.
  private static let attempts = 64

  /// Creates the keys of a device with that name, without a request.
  /// - Parameters:
  ///   - code: The code from a device of the person.
  ///   - store: The store of the container.
  ///   - deviceName: The name of the new device.
  ///   - trail: The container's locations up to here.
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

  /// Sends the request, or checks for the answer.
  /// - Returns: the account; nil while there is no answer.
  /// - Throws: `CloudError` if there will be none: the code was used or has expired, or the
  ///   container shows another person than the one in the code.
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

  /// Returns whether the chain contains the first device's anchor. A shorter chain may not be
  /// visible completely yet, unless something holds it.
  private func anchored(_ person: Person, isHeld: Bool) throws -> Bool {
    if isAnchored.withLock({ $0 }) { return true }
    guard person.length >= code.anchor.length || isHeld else { return false }
    guard try people.passes(person, through: code.anchor) else { throw Self.disputed }
    isAnchored.withLock { $0 = true }
    return true
  }

  /// The error for a missing answer.
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

  /// The account from a grant, if it matches the public facts about the person.
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

  /// Removes this device's request and its answer, which are no longer needed. Objects that cannot
  /// be removed are harmless: nobody else can open them.
  public func clean() {
    for attempt in 0..<UInt64(heads.withLock { $0.count }) {
      for key in [object.requestKey(attempt), object.answerKey(attempt)] {
        do { try store.delete(key) } catch { return }
      }
    }
  }

  /// The error for a chain that lacks the first device's anchor.
  public static let disputed = CloudError(
    .serverRejectedRequest,
    "disputed: the identity that the container shows isn't the one that the first device has read",
    remedy: "nothing was written; see that both devices use the same container, and run "
      + "`cairn verify` on the first one")

  /// The error for a second device with the same code.
  public static let used = CloudError(
    .permissionFailure, "the code was used already; each is good for one device",
    remedy: "make another one with `cairn device link`")

  /// The error for an expired code.
  public static let expired = CloudError(
    .permissionFailure, "the code is too old; each is good for ten minutes",
    remedy: "make another one with `cairn device link`; compare the two machines' clocks if it is "
      + "new")
}
