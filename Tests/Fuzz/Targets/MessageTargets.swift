import CairnStore
import CairnWire
import CairnZone
import FoundationEssentials
import SwiftProtobuf

@testable import CairnIdentity

extension FuzzTarget {
  /// Messages that others put into an inbox or behind a link, and messages of a joining device.
  static let messageTargets = [
    FuzzTarget("message") {
      [
        try invitation.sealed(to: Cast.person, by: Cast.ana),
        request.sealed(
          to: Cast.person, by: Cast.ana) ?? [],
      ]
    } check: { bytes in
      try checkMessage(bytes, isSealedHere: false)
    },

    // Messages behind seal and signature. The first byte selects one of the two kinds.
    FuzzTarget("message-signed") {
      [
        [0] + (try body(of: try invitation.sealed(to: Cast.person, by: Cast.ana))),
        [1] + (try body(of: request.sealed(to: Cast.person, by: Cast.ana) ?? [])),
      ]
    } check: { bytes in
      let kind: SealedMessage.Kind = bytes.first == 1 ? .request : .invitation
      let sealed = SealedMessage.seal(
        kind, Array(bytes.dropFirst()), recipient: Cast.ana.user.bytes,
        key: Cast.ana.encryptionKey, by: Cast.ana)
      guard let sealed else { throw Finding("a good key isn't one") }
      try checkMessage(sealed, isSealedHere: true)
    },

    FuzzTarget("join") {
      let key = join.requestKey(0)
      return [join.seal(deviceRequest.wire(head: Cast.person.head), at: key)]
    } check: { bytes in
      _ = join.open(bytes, at: join.requestKey(0), as: WireJoinRequest.self)
    },

    // Inside the seal: a request, an answer, and the grant in an answer.
    FuzzTarget("join-opened") {
      var answer = WireJoinAnswer()
      answer.refusal = .used
      var grant = WireJoinGrant()
      grant.origin = .init(Cast.ana.origin)
      grant.encryptionSecrets = [.init(Cast.secret.copy())]
      return [
        StoredMessage.encode(deviceRequest.wire(head: Cast.person.head)),
        StoredMessage.encode(answer), StoredMessage.encode(grant),
      ]
    } check: { bytes in
      if let wire = decoded(bytes, as: WireJoinRequest.self), let request = DeviceRequest(wire) {
        try must(Person.isName(request.name), "a device has no name")
        try must(
          StoredMessage.encode(request.wire(head: Bytes32(wire.head) ?? .zero))
            == known(bytes, as: WireJoinRequest.self)
            || Bytes32(wire.head) == nil, "a request changes")
      }
      _ = decoded(bytes, as: WireJoinAnswer.self)
      if let grant = decoded(bytes, as: WireJoinGrant.self) {
        _ = try unlessRefused { try IdentityLog.fold([Array(grant.origin)]) }
      }
    },

    // The objects of a drop box: the description, and a drop.
    FuzzTarget("drop") {
      [
        dropBox.sealed(by: Cast.ana, dropSeal),
        drop.sealed(
          at: dropPlace, dropSeal, to: Cast.ana.encryptionKey, by: Cast.ana) ?? [],
      ]
    } check: { bytes in
      try checkDrop(bytes)
    },

    // The same behind the seals. The first byte selects one of the two kinds.
    FuzzTarget("drop-opened") {
      let box = dropBox.sealed(by: Cast.ana, dropSeal)
      let file = drop.sealed(at: dropPlace, dropSeal, to: Cast.ana.encryptionKey, by: Cast.ana)
      let plain = try dropSeal.open(file ?? [], at: dropPlace, "drop")
      return [
        [0] + (try dropSeal.open(box, at: .box(dropSeal.box), "drop box")),
        [1] + (Cast.ana.open(plain) ?? []),
      ]
    } check: { bytes in
      let plain = Array(bytes.dropFirst())
      guard bytes.first == 1 else {
        return try checkDrop(dropSeal.seal(plain, at: .box(dropSeal.box)))
      }
      guard let box = BoxKey.seal(plain, to: Cast.ana.encryptionKey) else {
        throw Finding("a good key isn't one")
      }
      try checkDrop(dropSeal.seal(box, at: dropPlace))
    },

    FuzzTarget("drop-link") {
      [
        Array(
          DropLink(
            container: Cast.container, owner: Cast.ana.user, secret: Cast.secret,
            location: "/srv/cairn"
          ).text.utf8)
      ]
    } check: { bytes in
      let text = String(decoding: bytes, as: UTF8.self)
      guard let link = try unlessRefused({ try DropLink(parsing: text) }) else { return }
      try must(try DropLink(parsing: link.text) == link, "a link changes")
    },
  ]

  private static let dropSeal = DropSeal(owner: Cast.ana.user, secret: Cast.secret)

  private static let dropPlace = DropPlace.drop(Bytes16(high: 1, low: 3), in: dropSeal.box)

  private static let dropBox = DropBoxDescription(
    container: Cast.container, title: "Trip", limits: DropLimits(size: 100, files: 3), expires: 7)

  private static let drop = DropMessage(
    key: Cast.secret, name: "photo.jpg", size: 5, time: 1, author: Cast.ana.author)

  private static func checkDrop(_ bytes: [UInt8]) throws {
    let box = try unlessRefused {
      try DropBoxDescription(bytes, dropSeal) { Cast.signKey($0) }
    }
    if let box {
      let again = try DropBoxDescription(
        box.sealed(by: Cast.ana, dropSeal), dropSeal
      ) { Cast.signKey($0) }
      try must(again == box, "a description changes")
    }
    let drop = try unlessRefused {
      try DropMessage(bytes, at: dropPlace, dropSeal, open: { Cast.ana.open($0) }) {
        Cast.signKey($0)
      }
    }
    if let drop {
      try must(DropMessage.isName(drop.name), "a drop has a name that it can't have")
      try must(drop.author.map { $0 == Cast.ana.author } ?? true, "a sender signed nothing")
    }
    try must(box == nil || drop == nil, "one object is two")
  }

  private static let join = JoinObject(user: Cast.ana.user, secret: Cast.secret)

  private static let deviceRequest = DeviceRequest(
    name: "phone",
    keys: DeviceKeys(
      signing: SigningKey(seed: Cast.secret(8)), box: BoxKey(secret: Cast.secret(9))),
    to: Cast.person)

  private static let invitation = Invitation(
    id: Bytes16(high: 1, low: 1), container: Cast.container, zone: Cast.zone,
    owner: Cast.ana.user, keyring: Cast.ring, title: "Trip", permission: .readWrite,
    inviter: Cast.ana.author, time: 1,
    zoneHead: LogAnchor(sequence: 7, digest: Cast.bytes32(9)),
    chainHead: ChainHead(length: 3, head: Cast.bytes32(8)))

  private static let request = AccessRequest(
    id: Bytes16(high: 1, low: 2), container: Cast.container, zone: Cast.zone, text: "It's me",
    author: Cast.ana.author, recipient: Cast.person.id, time: 1)

  private static func decoded<M: Message>(_ bytes: [UInt8], as type: M.Type) -> M? {
    do {
      return try StoredMessage.decode(bytes, as: type, "message", limit: JoinObject.limit)
    } catch {
      return nil
    }
  }

  private static func body(of stored: [UInt8]) throws -> [UInt8] {
    try SealedMessage(stored) { Cast.ana.open($0) }.body
  }

  private static func checkMessage(_ bytes: [UInt8], isSealedHere: Bool) throws {
    let opened = try unlessRefused { try SealedMessage(bytes) { Cast.ana.open($0) } }
    try must(opened != nil || !isSealedHere, "what was sealed doesn't open")
    guard let opened else { return }
    let recipient = Cast.ana.user.bytes
    let invitation = try unlessRefused {
      try Invitation(opened, recipient: recipient) { Cast.signKey($0) }
    }
    if let invitation {
      let again = try Invitation.open(
        try invitation.sealed(to: Cast.person, by: Cast.ana), account: Cast.ana
      ) { Cast.signKey($0) }
      try must(again == invitation, "an invitation changes")
    }
    let request = try unlessRefused {
      try AccessRequest(opened, recipient: Cast.ana.user) { Cast.signKey($0) }
    }
    if let request {
      try must(request.text.utf8.count <= AccessRequest.textLimit, "a request is too long")
      let further = opened.passedOn(by: request.recipient, key: Cast.ana.encryptionKey)
      let again = try AccessRequest(
        try SealedMessage(further ?? []) { Cast.ana.open($0) }, recipient: Cast.ana.user
      ) { Cast.signKey($0) }
      try must(again == request, "a request changes when it is passed on")
    }
    try must(invitation == nil || request == nil, "one message is two")
  }
}
