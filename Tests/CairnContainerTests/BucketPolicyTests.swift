import CairnStore
import CairnZone
import FoundationEssentials
import Synchronization
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// A participant's rights in a bucket. They suffice for all acts, and permit no harm to others.
struct BucketPolicyTests {
  private static let place = BucketPlace(name: "bucket", prefix: "team/")

  @Test func `the policy has the form that an engine accepts`() throws {
    let user = try #require(UserID(bytes: [UInt8](repeating: 0xAB, count: 32)))
    let id = String(repeating: "ab", count: 32)
    let policy = BucketPolicy(
      for: user, in: Self.place, principal: "arn:aws:iam::1:user/bob", engine: .aws)
    #expect(policy.document == document.replacing("@ID@", with: id))
    #expect(policy.notes.count == 3 && policy.notes.contains { $0.contains("costs a list more") })
    let ceph = BucketPolicy(for: user, in: Self.place, engine: .ceph)
    #expect(!ceph.document.contains("if-none-match") && !ceph.document.contains("Principal"))
    #expect(ceph.notes.contains { $0.contains("may overwrite") })
    let whole = BucketPolicy(for: user, in: BucketPlace(name: "bucket", prefix: ""))
    #expect(!whole.document.contains("s3:prefix") && whole.notes.count == 2)
    #expect(whole.document.contains("\"arn:aws:s3:::bucket/users/\(id)/*\""))
  }

  @Test func `all acts of people are allowed to them`() throws {
    let world = try ZoneWorld()
    let (ana, bob) = (try world.account("ana"), try world.account("bob"))
    let carol = try world.account("carol")
    let stores = try [ana, bob, carol].map { account in
      AskedStore(world.store, try PlayedPolicy(BucketPolicy(for: account.user, in: Self.place)))
    }
    let (anas, bobs) = (
      try world.open(ana, store: stores[0]), try world.open(bob, store: stores[1])
    )
    let carols = try world.open(carol, store: stores[2])
    for container in [anas, bobs, carols] { try container.publishProfile() }
    try Self.share(world, anas, bobs, carols)
    try Self.tidy(anas, bobs)

    for store in stores {
      let asked = store.asked.withLock { $0 }
      #expect(asked.count > 20)
      // Somebody else than a link's maker may not take its object away. It stays, and opens nothing
      // any more.
      let refused = store.refused.withLock { $0 }
      #expect(refused.allSatisfy { $0.isOfClaimedLink(of: ana.user) }, "\(refused)")
    }
    #expect(stores.map { $0.refused.withLock { $0.count } } == [0, 1, 1])
    let actions = Set(stores.flatMap { $0.asked.withLock { $0 } }.map(\.action))
    #expect(actions == ["s3:GetObject", "s3:ListBucket", "s3:PutObject", "s3:DeleteObject"])
  }

  /// Shares Ana's zone with Bob by name, and with Carol by a link. Carol asks for more.
  private static func share(
    _ world: ZoneWorld, _ anas: Container, _ bobs: Container, _ carols: Container
  ) throws {
    let zone = try anas.privateDatabase.createZone(named: "Trip")
    _ = try anas.sharing.share(zone, title: "Trip")
    try zone.write("before", ContentPieces.noise(200_000))
    _ = try anas.sharing.invite(bobs.account.user, to: zone, permission: .readWrite)
    let bob = try bobs.participation.accept(zone.id)
    try bob.write("his", ContentPieces.noise(200_000))
    let made = try anas.links.oneTimeLink(to: zone, permission: .readOnly)
    let link = anas.links.link(to: zone, location: "/c", secret: made.secret)
    _ = try carols.links.accept(try ShareLink(parsing: link.text))
    try anas.requests.setAllowed(true, of: zone)
    _ = try anas.requests.waiting()
    try zone.pull()
    #expect(try zone.names() == ["before", "his"])
    // He administers a zone that another person founded.
    try anas.access.setRole(.administrator, of: bobs.account.user, in: zone)
    try bob.pull()
    let other = try bobs.links.oneTimeLink(to: bob, permission: .readOnly)
    try bobs.links.removeLinks([other.id], from: bob)
    #expect(bob.header.share?.links.isEmpty == true)
    try zone.pull()
    // A removed member cannot read on.
    try anas.access.remove(carols.account.user, from: zone)
    try bob.pull()
    try bob.write("more", [1])
    // He puts a file into a drop box of hers.
    let box = try anas.drops.create(
      into: ZonePart(zone.id), title: "Box", limits: DropLimits(size: 1, files: 1))
    let root = try #require(try ContainerFile.root(of: bobs.store))
    try DropSender(anas.drops.link(of: box), in: bobs.store, root: root, by: bobs.account)
      .send(name: "his", size: 0) { _ in [] }
    let dropped = try #require(try anas.drops.survey().drops.first)
    #expect(dropped.sender == bobs.account.author)
    try anas.drops.discard(dropped)
    try anas.drops.end(box)
    let news = try bobs.publicZones.founded()
    try news.write("news", [2])
    _ = try anas.publicZones.zone(of: bobs.account.user).pull()
  }

  /// Performs people's acts on their own data.
  private static func tidy(_ anas: Container, _ bobs: Container) throws {
    let now: Int64 = 1_700_000_000
    _ = try anas.upkeep.collectGarbage(at: now)
    _ = try anas.upkeep.collectGarbage(at: now + Upkeep.garbageLife)
    _ = try anas.devices.rename(anas.account.device.id, to: "desk")
    let zone = try #require(try anas.privateDatabase.zones().first { $0.header.share != nil })
    try zone.pull()
    try anas.requests.setAllowed(false, of: zone)
    try anas.ownership.purge(zone)
    _ = try bobs.inbox.survey()
  }

  @Test func `requests that would harm others are refused`() throws {
    let (ana, bob) = (
      try Sample.account("ana").account.user, try Sample.account("bob").account.user
    )
    let zone = ZoneFolder(zone: ZoneID(Crypto.digest("a zone", [])), founder: ana)
    let key = ZoneKey.random(epoch: 1)
    let aws = try PlayedPolicy(BucketPolicy(for: bob, in: Self.place))
    let ceph = try PlayedPolicy(BucketPolicy(for: bob, in: Self.place, engine: .ceph))
    let hers = [
      zone.place(1, key), zone.copy(of: .zero, 0, key), zone.floor(1, key),
      zone.part(.zero, key), zone.door, ChainPlace.start(ana), Inbox.key(of: ana, .random()),
      PackStamp.random(generation: 1).key(owner: ana),
    ].map(\.description)
    for policy in [aws, ceph] {
      for object in hers + ["container", "users/\(ana)/public/00", "users/\(ana)/join/00"] {
        #expect(!policy.allows(Asked("s3:DeleteObject", object)), "\(object)")
      }
      for object in ["container", zone.door.description, "users/\(ana)/public/00", "x"] {
        #expect(!policy.allows(Asked("s3:PutObject", object)), "\(object)")
      }
      #expect(!policy.allows(Asked("s3:ListBucket", prefix: "elsewhere/")))
      #expect(!policy.allows(Asked("s3:PutBucketPolicy", "x")))
    }
    for object in hers {
      #expect(!aws.allows(Asked("s3:PutObject", object, isConditional: false)), "\(object)")
    }
    // He may repair and delete his own objects.
    let own = PackStamp.random(generation: 1).key(owner: bob).description
    #expect(aws.allows(Asked("s3:DeleteObject", own)))
    #expect(aws.allows(Asked("s3:PutObject", own, isConditional: false)))
  }
}

/// A person's policy, with `@ID@` in the place of their id.
private let document = """
  {
    "Statement" : [
      {
        "Action" : [
          "s3:ListBucket"
        ],
        "Condition" : {
          "StringLike" : {
            "s3:prefix" : [
              "team/*"
            ]
          }
        },
        "Effect" : "Allow",
        "Principal" : {
          "AWS" : [
            "arn:aws:iam::1:user/bob"
          ]
        },
        "Resource" : [
          "arn:aws:s3:::bucket"
        ],
        "Sid" : "CairnListabababababab"
      },
      {
        "Action" : [
          "s3:GetObject"
        ],
        "Effect" : "Allow",
        "Principal" : {
          "AWS" : [
            "arn:aws:iam::1:user/bob"
          ]
        },
        "Resource" : [
          "arn:aws:s3:::bucket/team/*"
        ],
        "Sid" : "CairnReadabababababab"
      },
      {
        "Action" : [
          "s3:PutObject"
        ],
        "Condition" : {
          "Null" : {
            "s3:if-none-match" : [
              "false"
            ]
          }
        },
        "Effect" : "Allow",
        "Principal" : {
          "AWS" : [
            "arn:aws:iam::1:user/bob"
          ]
        },
        "Resource" : [
          "arn:aws:s3:::bucket/team/users/*/log/*",
          "arn:aws:s3:::bucket/team/users/*/inbox/*",
          "arn:aws:s3:::bucket/team/users/*/drops/*",
          "arn:aws:s3:::bucket/team/users/*/packs/*",
          "arn:aws:s3:::bucket/team/users/*/zones/*/log/*",
          "arn:aws:s3:::bucket/team/users/*/zones/*/copies/*",
          "arn:aws:s3:::bucket/team/users/*/zones/*/floors/*",
          "arn:aws:s3:::bucket/team/users/*/zones/*/parts/*",
          "arn:aws:s3:::bucket/team/users/*/zones/*/links/*",
          "arn:aws:s3:::bucket/team/bells/*",
          "arn:aws:s3:::bucket/team/wakes/*",
          "arn:aws:s3:::bucket/team/presence/*",
          "arn:aws:s3:::bucket/team/probe/*"
        ],
        "Sid" : "CairnPutabababababab"
      },
      {
        "Action" : [
          "s3:PutObject",
          "s3:DeleteObject"
        ],
        "Effect" : "Allow",
        "Principal" : {
          "AWS" : [
            "arn:aws:iam::1:user/bob"
          ]
        },
        "Resource" : [
          "arn:aws:s3:::bucket/team/users/@ID@/*"
        ],
        "Sid" : "CairnOwnabababababab"
      },
      {
        "Action" : [
          "s3:DeleteObject"
        ],
        "Effect" : "Allow",
        "Principal" : {
          "AWS" : [
            "arn:aws:iam::1:user/bob"
          ]
        },
        "Resource" : [
          "arn:aws:s3:::bucket/team/bells/*",
          "arn:aws:s3:::bucket/team/wakes/*",
          "arn:aws:s3:::bucket/team/presence/*",
          "arn:aws:s3:::bucket/team/probe/*"
        ],
        "Sid" : "CairnHintsabababababab"
      }
    ],
    "Version" : "2012-10-17"
  }
  """

/// A request, as an engine sees it.
private struct Asked: Hashable {
  let action: String
  /// The object, without the bucket and the prefix.
  let object: String?
  let prefix: String?
  let isConditional: Bool

  init(_ action: String, _ object: String, isConditional: Bool = true) {
    (self.action, self.object, self.isConditional) = (action, object, isConditional)
    prefix = nil
  }

  /// Returns whether an object of a person's link is deleted.
  func isOfClaimedLink(of user: UserID) -> Bool {
    guard let key = object.flatMap({ ObjectKey($0) }) else { return false }
    return action == "s3:DeleteObject" && ObjectKind(key) == .links
      && key.description.hasPrefix("users/\(user)/")
  }

  init(_ action: String, prefix: String) {
    (self.action, self.prefix, object, isConditional) = (action, prefix, nil, false)
  }
}

/// A policy, as an engine applies it.
private struct PlayedPolicy {
  private struct Document: Decodable {
    let Statement: [BucketPolicy.Statement]
  }
  private let statements: [BucketPolicy.Statement]

  init(_ policy: BucketPolicy) throws {
    statements = try JSONDecoder().decode(Document.self, from: Data(policy.document.utf8)).Statement
  }

  func allows(_ request: Asked) -> Bool {
    let resource = "arn:aws:s3:::bucket" + (request.object.map { "/team/\($0)" } ?? "")
    var values: [String: String] = [:]
    if let prefix = request.prefix { values["s3:prefix"] = prefix }
    if request.action == "s3:PutObject", request.isConditional { values["s3:if-none-match"] = "*" }
    return statements.contains { statement in
      statement.effect == "Allow" && statement.actions.contains(request.action)
        && statement.resources.contains { Self.matches(resource[...], $0[...]) }
        && (statement.condition ?? [:]).allSatisfy { test, keys in
          keys.allSatisfy { key, wanted in
            switch test {
            case "Null": wanted == [values[key] == nil ? "true" : "false"]
            case "StringLike":
              values[key].map { value in
                wanted.contains { Self.matches(value[...], $0[...]) }
              } ?? false
            default: false
            }
          }
        }
    }
  }

  /// Returns whether a text matches a pattern. A star stands for any characters.
  static func matches(_ text: Substring, _ pattern: Substring) -> Bool {
    guard let star = pattern.firstIndex(of: "*") else { return text == pattern }
    guard text.hasPrefix(pattern[..<star]) else { return false }
    let rest = pattern[pattern.index(after: star)...]
    var tail = text.dropFirst(pattern[..<star].count)
    while true {
      if matches(tail, rest) { return true }
      if tail.isEmpty { return false }
      tail = tail.dropFirst()
    }
  }
}

/// An engine that applies a policy, below the container's prefix.
private final class AskedStore: StoreAround {
  let inner: any ObjectStore
  let asked = Mutex<Set<Asked>>([])
  let refused = Mutex<[Asked]>([])
  private let policy: PlayedPolicy

  init(_ inner: any ObjectStore, _ policy: PlayedPolicy) {
    (self.inner, self.policy) = (inner, policy)
  }

  private func allowed(_ request: Asked) throws(StoreError) -> any ObjectStore {
    _ = asked.withLock { $0.insert(request) }
    guard policy.allows(request) else {
      refused.withLock { $0.append(request) }
      throw StoreError(code: .denied, cause: "The policy doesn't allow \(request).")
    }
    return inner
  }

  func put(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) -> PutOutcome {
    try allowed(Asked("s3:PutObject", key.description)).put(key, bytes)
  }
  func mend(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) {
    try allowed(Asked("s3:PutObject", key.description, isConditional: false)).mend(key, bytes)
  }
  func get(_ key: ObjectKey) throws(StoreError) -> [UInt8]? {
    try allowed(Asked("s3:GetObject", key.description)).get(key)
  }
  func get(_ key: ObjectKey, range: Range<Int>) throws(StoreError) -> [UInt8]? {
    try allowed(Asked("s3:GetObject", key.description)).get(key, range: range)
  }
  func size(of key: ObjectKey) throws(StoreError) -> Int? {
    try allowed(Asked("s3:GetObject", key.description)).size(of: key)
  }
  func list(
    _ prefix: String, after: ObjectKey?, limit: Int
  ) throws(StoreError) -> [ObjectKey] {
    try allowed(Asked("s3:ListBucket", prefix: "team/" + prefix))
      .list(prefix, after: after, limit: limit)
  }
  func delete(_ key: ObjectKey) throws(StoreError) {
    try allowed(Asked("s3:DeleteObject", key.description)).delete(key)
  }
}
