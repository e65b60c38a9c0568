import CairnIdentity
public import CairnStore
import CairnWire
public import CairnZone
import FoundationEssentials

/// A device that has joined, or was refused.
public struct JoinedDevice: Hashable, Sendable {
  /// The device's id.
  public var id: DeviceID
  /// The device's name.
  public var name: String
}

/// The devices of this person: joining, names, and the detection of copies.
///
/// It uses these parts of the container: `account`, `accountZone`, `id`, `people`, `refreshMe`,
/// `store`.
public struct Devices: Sendable {
  let container: Container

  /// Creates the access for a container.
  public init(_ container: Container) { self.container = container }

  /// The lifetime of a code from `linkCode`, in seconds.
  public static let codeLifetime: Int64 = 600
  /// The time during which expired codes are still answered, in seconds.
  private static let codeMemory: Int64 = 86_400
  private static let joinAttempts: UInt64 = 64

  /// Creates a code with which another device can join this person. It is stored in the account
  /// zone first.
  /// - Parameters:
  ///   - path: The container's location on this device.
  ///   - now: Seconds since 1970.
  /// - Returns: the code.
  /// - Throws: `CloudError`.
  public func linkCode(path: [UInt8], now: Int64) throws -> DeviceCode {
    let me = try container.refreshMe().me
    let code = PendingCode(
      secret: .random(), expires: now + Self.codeLifetime, device: container.account.device.id)
    try AccountZone.save(code, in: container.accountZone)
    return DeviceCode(
      container: container.id, path: path, user: container.account.user, expires: code.expires,
      secret: code.secret,
      anchor: ChainAnchor(me))
  }

  /// Answers requests with a code of this device. Garbage is ignored.
  /// - Parameter now: Seconds since 1970.
  /// - Returns: the devices that have joined this person.
  /// - Throws: `CloudError`.
  public func answerJoins(now: Int64) throws -> [JoinedDevice] {
    var joined: [JoinedDevice] = []
    for code in try AccountZone.codes(madeBy: container.account.author, in: container.accountZone) {
      guard code.expires <= now + Self.codeLifetime, code.expires >= now - Self.codeMemory else {
        try AccountZone.remove(code, from: container.accountZone)
        continue
      }
      do {
        if let device = try answer(code, now: now) { joined.append(device) }
      } catch let error as StoreError {
        throw CloudError(error)
      }
    }
    return joined
  }

  /// Calls `onHint` when a device may have sent a request, or another one may have changed the
  /// identity.
  public func followIdentity(
    _ onHint: @escaping @Sendable () -> Void
  ) throws -> [Subscription] {
    do {
      return [
        try container.store.follow(JoinObject.folder(container.account.user), onHint),
        try container.store.follow(ChainPlace.folder(container.account.user), onHint),
      ]
    } catch {
      throw CloudError(error)
    }
  }

  private func answer(_ code: PendingCode, now: Int64) throws -> JoinedDevice? {
    let object = JoinObject(user: container.account.user, secret: code.secret)
    var last: (attempt: UInt64, bytes: [UInt8])?
    for attempt in 0..<Self.joinAttempts {
      guard let bytes = try container.store.get(object.requestKey(attempt), upTo: JoinObject.limit)
      else {
        break
      }
      last = (attempt, bytes)
    }
    guard let last, try container.store.size(of: object.answerKey(last.attempt)) == nil else {
      return nil
    }
    let key = object.requestKey(last.attempt)
    guard let wire = object.open(last.bytes, at: key, as: WireJoinRequest.self) else { return nil }
    var answer = WireJoinAnswer()
    var joined: JoinedDevice?
    switch try judge(wire, code, now: now) {
    case .wait: return nil
    case .refuse(let refusal): answer.refusal = refusal
    case .grant(let request):
      answer.grant = .init(try grant(to: request))
      joined = JoinedDevice(id: request.id, name: request.name)
    }
    let answerKey = object.answerKey(last.attempt)
    _ = try container.store.puts(answerKey, object.seal(answer, at: answerKey))
    return joined
  }

  private enum Judgement {
    case wait
    case refuse(WireJoinRefusal)
    case grant(DeviceRequest)
  }

  /// Admits the device, if it may join. A repetition, after a crash of the daemon in the middle,
  /// has the same effect as one call.
  private func judge(
    _ wire: WireJoinRequest, _ code: PendingCode, now: Int64
  ) throws -> Judgement {
    guard let request = DeviceRequest(wire) else { return .refuse(.invalid) }
    if let used = code.used {
      guard used == request.id else { return .refuse(.used) }
    } else if now > code.expires {
      return .refuse(.expired)
    }
    var isStale = false
    var isRefused = false
    // One use, even if this device is switched off in between.
    var code = code
    code.used = request.id
    try AccountZone.save(code, in: container.accountZone)
    _ = try container.people.append(to: container.account) { me in
      if let known = me.devices[request.id] {
        isRefused = !known.isActive || known.boxKey != request.boxKey
        return nil
      }
      isStale = Bytes32(wire.head) != me.head
      guard !isStale else { return nil }
      isRefused = !request.isProven(after: me.head)
      return isRefused ? nil : .addDevice(request)
    }
    // If the chain has grown meanwhile, the device must send its request again.
    if isStale { return .wait }
    return isRefused ? .refuse(.invalid) : .grant(request)
  }

  private func grant(to request: DeviceRequest) throws -> [UInt8] {
    var grant = WireJoinGrant()
    grant.origin = .init(container.account.origin)
    grant.encryptionSecrets = container.account.encryption.map { .init($0.secret.copy()) }
    guard let box = BoxKey.seal(StoredMessage.encode(grant), to: request.boxKey) else {
      throw CloudError(
        .serverRejectedRequest, "the new device's key can't be used",
        remedy: "make a new code with `cairn device link`")
    }
    return box
  }

  /// Renames a device of this person.
  public func rename(_ device: DeviceID, to name: String) throws -> Person {
    try container.people.append(to: container.account) { me in
      me.devices[device]?.name == name ? nil : .renameDevice(device, name: name)
    }
  }

  /// Another machine that uses this device's keys, if one was noticed in this run. Then nothing
  /// more is written here.
  public var clone: ClonedDevice? { container.people.use.clone }

  /// Calls `body` when such a machine is noticed; it must return quickly.
  public func onClone(_ body: @escaping @Sendable () -> Void) { container.people.use.listen(body) }
}

extension DeviceRequest {
  /// Returns whether the device agreed to be added at this position of the chain. An entry with an
  /// invalid box key could not be sealed.
  func isProven(after head: Bytes32) -> Bool {
    SigningKey.verify(
      proof, by: signKey, IdentityLog.proofContext, boxKey.bytes, head.bytes)
      && BoxKey.seal([], to: boxKey) != nil
  }
}
