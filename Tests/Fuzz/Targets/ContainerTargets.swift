import CairnStore
import CairnWire
import CairnZone
import FoundationEssentials

@testable import CairnIdentity

extension FuzzTarget {
  /// Objects in the container outside of logs and inboxes, and the account file.
  static let containerTargets = [
    FuzzTarget("container-file") {
      [ContainerFile(id: Cast.container, created: -1, note: "Ana's").encoded()]
    } check: { bytes in
      guard let file = try unlessRefused({ try ContainerFile(bytes) }) else { return }
      try must(try ContainerFile(file.encoded()) == file, "a container file changes")
    },

    FuzzTarget("account") {
      [Cast.accountFile]
    } check: { bytes in
      guard let account = try unlessRefused({ try AccountFile.decode(bytes) }) else { return }
      try must(
        AccountFile.encode(account) == known(bytes, as: WireAccountFile.self),
        "an account file changes")
    },

    FuzzTarget("keyring") {
      [Cast.ring.encoded(), Keyring().encoded()]
    } check: { bytes in
      guard let ring = try unlessRefused({ try Keyring(encoded: bytes) }) else { return }
      try must(try Keyring(encoded: ring.encoded()) == ring, "a keyring changes")
    },

    FuzzTarget("door") {
      [Door(owner: Cast.ana.user, nonce: Cast.nonce).encoded()]
    } check: { bytes in
      guard let door = try unlessRefused({ try Door(bytes, of: Cast.zone) }) else { return }
      try must(door.encoded() == known(bytes, as: WireDoor.self), "a door changes")
    },

    // A key that a store lists, and the name of a file in a zone.
    FuzzTarget("name", limit: 1200) {
      ["container", "zones/00/log/00000000000000000001", "a b", "..", ".", "x/../y"]
        .map { Array($0.utf8) }
    } check: { bytes in
      if let key = ObjectKey(String(decoding: bytes, as: UTF8.self)) {
        let parts = key.description.utf8.split(
          separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        try must(
          parts.allSatisfy { !$0.isEmpty && $0.first != UInt8(ascii: ".") && $0.count < 256 },
          "a key leads elsewhere")
      }
      if let name = FileName(bytes) {
        try must(
          (1...255).contains(bytes.count) && !bytes.contains(0)
            && !bytes.contains(UInt8(ascii: "/")) && bytes != [46] && bytes != [46, 46],
          "a name is none")
        try must(name.bytes == bytes, "a name changes")
      }
      if let part = ZonePart(bytes: bytes) {
        try must(part.bytes == bytes, "a part of a zone changes")
        try must(ZonePart(part.description) == part, "a part of a zone isn't read back")
      }
      if let part = ZonePart(String(decoding: bytes, as: UTF8.self)) {
        try must(Array(part.description.utf8) == bytes, "a part of a zone has two spellings")
      }
    },
  ]

  /// The chain of entries of a person.
  static let identityTargets = [
    FuzzTarget("identity") {
      let second = try IdentityLog.append(
        .profile(handle: "ana.b", name: "Ana B"), to: Cast.person, by: Cast.ana, time: 1)
      return [
        Parts.joined([Cast.ana.origin]), Parts.joined([Cast.ana.origin, [1, 2, 3]]),
        Parts.joined([Cast.ana.origin, second.entry]),
      ]
    } check: { bytes in
      var parts = Parts(bytes)
      var entries: [[UInt8]] = []
      while !parts.isEmpty { entries.append(parts.counted()) }
      guard let person = try unlessRefused({ try IdentityLog.fold(entries) }) else { return }
      try check(person)
      try must(person.length == UInt64(entries.count), "a chain has another length")
    },

    // The chain behind the signature: bodies that Ana's device signs at the end of her chain.
    FuzzTarget("identity-signed", seeds: identityBodies) { bytes in
      var parts = Parts(bytes)
      var person = Cast.person
      while !parts.isEmpty {
        let body = parts.counted()
        let before = person
        let entry = Self.entry(body, after: person, keepsPlace: parts.byte() & 1 == 0)
        guard let next = try unlessRefused({ try IdentityLog.fold(entry, onto: before) }) else {
          continue
        }
        person = next
        try must(
          person.length == before.length + 1 && person.head == IdentityLog.digest(of: entry),
          "a chain has another length or head")
        try check(person)
      }
    },
  ]

  private static func check(_ person: Person) throws {
    try must(Person.isHandle(person.handle) && Person.isName(person.name), "a person has no name")
    try must(person.devices.values.contains { $0.isActive }, "a person has no device")
    try must(
      person.devices.allSatisfy { $0.key == DeviceID.derive(signKey: $0.value.signKey) },
      "a device has another's id")
  }

  /// Returns an entry with this body, signed by Ana's device. Its place is corrected on request.
  private static func entry(_ body: [UInt8], after person: Person, keepsPlace: Bool) -> [UInt8] {
    var body = body
    if !keepsPlace, var wire = Self.decodedBody(body) {
      wire.sequence = person.length + 1
      wire.previous = .init(person.head.bytes)
      wire.device = .init(Cast.ana.device.id.bytes)
      body = StoredMessage.encode(wire)
    }
    var entry = WireIdentityEntry()
    entry.format = IdentityLog.format
    entry.body = .init(body)
    entry.signature = .init(
      Cast.ana.device.signing.sign(IdentityLog.signatureContext, body))
    return StoredMessage.encode(entry)
  }

  private static func decodedBody(_ bytes: [UInt8]) -> WireIdentityBody? {
    do {
      return try StoredMessage.decode(
        bytes, as: WireIdentityBody.self, "body", limit: IdentityLog.entryLimit)
    } catch {
      return nil
    }
  }

  @Sendable private static func identityBodies() throws -> [[UInt8]] {
    let other = DeviceKeys(
      signing: SigningKey(seed: Cast.secret(8)), box: BoxKey(secret: Cast.secret(9)))
    let changes: [IdentityChange] = [
      .profile(handle: "ana", name: "Ana"), .renameDevice(Cast.ana.device.id, name: "desk"),
      .addDevice(DeviceRequest(name: "phone", keys: other, to: Cast.person)),
      .beginPublic(ZoneFolder(zone: Cast.zone, founder: Cast.ana.user, kind: .public)),
    ]
    let bodies = try changes.map { change in
      let (_, _, stored) = try IdentityLog.append(
        change, to: Cast.person, by: Cast.ana, time: 1)
      return try StoredMessage.decode(
        stored, as: WireIdentityEntry.self, "entry", limit: IdentityLog.entryLimit)
    }.map { Array($0.body) }
    return bodies.map { Parts.joined([$0]) + [1] }
  }
}
