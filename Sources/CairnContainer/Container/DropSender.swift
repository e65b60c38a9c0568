public import CairnIdentity
public import CairnStore
import CairnZone

/// The sender's side of a drop box. It needs no account, only a store that it may write to.
public struct DropSender: Sendable {
  private let store: any ObjectStore
  private let owner: Person
  private let seal: DropSeal
  private let account: Account?
  /// The description of the box.
  public let box: DropBoxDescription

  /// The owner's handle and name, as their identity claims.
  public var ownerName: (handle: String, name: String) { (owner.handle, owner.name) }

  /// Opens the drop box of a link.
  /// - Parameters:
  ///   - link: The link.
  ///   - store: The container.
  ///   - root: The root object of the container.
  ///   - account: The sender; nil for none. They have published their identity there.
  /// - Throws: `CloudError` if the link doesn't work (any more).
  public init(
    _ link: DropLink, in store: any ObjectStore, root: ContainerFile, by account: Account?
  ) throws {
    self.store = store
    self.account = account
    seal = DropSeal(owner: link.owner, secret: link.secret)
    guard root.id == link.container else { throw Self.dead }
    let people = People(store: store, of: root)
    do {
      guard let (person, held) = try people.read(link.owner, as: nil) else { throw Self.dead }
      // The key may be revoked behind the object that holds the chain.
      if let held { throw held.error }
      guard root.trail.keeps(person.site) else { throw Sharing.elsewhere(person) }
      owner = person
      guard
        let bytes = try store.get(
          DropPlace.box(seal.box).key(link.owner), upTo: DropSeal.limit)
      else { throw Self.dead }
      box = try DropBoxDescription(bytes, seal) { author in
        person.devices[author.device].flatMap { $0.isActive ? $0.signKey : nil }
      }
    } catch let error as StoreError {
      throw CloudError(error)
    } catch let error as FormatError {
      throw error.isNewer
        ? CloudError(.incompatibleVersion, "\(error)", remedy: "install a newer version of Cairn")
        : Self.dead
    } catch is IdentityError {
      throw Self.dead
    }
    guard box.container == root.id, box.expires.map({ $0 > WallClock.now }) ?? true else {
      throw Self.dead
    }
  }

  private static let dead = CloudError(
    .permissionFailure, "the link doesn't work: its drop box was ended, or its time is over",
    remedy: "ask the sender of the link for a new one")

  /// Checks a file before anything of it is sent.
  /// - Throws: `CloudError` if the box doesn't take a file of that name or size.
  public func check(name: String, size: UInt64) throws {
    guard DropMessage.isName(name) else {
      throw CloudError(
        .invalidArguments, "“\(name)” can't be the name of a file in a drop box",
        remedy: "rename it: 1 to 255 bytes of UTF-8, no dot at the beginning, and no control "
          + "characters")
    }
    guard size <= min(box.limits.size, DropContent.limit) else {
      throw CloudError(
        .limitExceeded,
        "“\(name)” has \(size) bytes, and the drop box takes files of at most \(box.limits.size)",
        remedy: "send a smaller file, or ask the owner for a box with another limit")
    }
  }

  /// Puts a file into the box. It appears there when it is complete.
  /// - Parameters:
  ///   - name: The name.
  ///   - size: The number of bytes.
  ///   - progress: Receives the number of sent bytes.
  ///   - read: Returns the next bytes, as many as are requested; fewer at the end of the file.
  /// - Throws: `CloudError`, also if the box ends meanwhile, and any error of `read`.
  public func send(
    name: String, size: UInt64, progress: (UInt64) -> Void = { _ in },
    read: (Int) throws -> [UInt8]
  ) throws {
    try check(name: name, size: size)
    try checkRoom()
    let message = DropMessage(
      key: .random(), name: name, size: size, time: WallClock.now, author: account?.author)
    let id = Bytes16.random()
    let place = DropPlace.drop(id, in: seal.box)
    guard let bytes = message.sealed(at: place, seal, to: owner.encryptionKey, by: account) else {
      throw Self.dead
    }
    var sent: [ObjectKey] = []
    do {
      for number in 0..<DropContent.pieces(of: size) {
        let wanted = DropContent.size(of: number, of: size)
        let plain = try read(wanted)
        guard plain.count == wanted else { throw Self.changed(name) }
        let place = DropPlace.piece(number, of: id, in: seal.box)
        let key = place.key(owner.id)
        sent.append(key)
        try put(key, DropContent.seal(plain, key: message.key, at: place, of: owner.id))
        progress(UInt64(number) * DropContent.pieceSize + UInt64(wanted))
      }
      guard try read(1).isEmpty else { throw Self.changed(name) }
      // The drop comes last, so that its owner never sees a part of one.
      sent.append(place.key(owner.id))
      try put(place.key(owner.id), bytes)
      // The owner removes the description of a box before they look at its files for the last time.
      guard try store.get(DropPlace.box(seal.box).key(owner.id), upTo: DropSeal.limit) != nil else {
        throw Self.dead
      }
    } catch {
      for key in sent.reversed() {
        do { try store.delete(key) } catch {
          // The owner's garbage collection removes it.
          break
        }
      }
      if let error = error as? StoreError { throw CloudError(error) }
      throw error
    }
  }

  private func put(_ key: ObjectKey, _ bytes: [UInt8]) throws {
    guard try store.puts(key, bytes) else {
      throw CloudError(
        .networkFailure, "another object is at \(key) already", remedy: "send the file again")
    }
  }

  private static func changed(_ name: String) -> CloudError {
    CloudError(
      .assetFileModified, "“\(name)” changed while it was read, and wasn't sent",
      remedy: "send it again when no program writes to it")
  }

  /// The maximum number of objects that are read to see whether a box is full.
  private static let mostCounted = 1_000

  /// Refuses a box with as many waiting files as it takes. The owner's device decides in the end.
  private func checkRoom() throws {
    do {
      let keys = try store.list(
        DropPlace.folder(owner.id) + "/", after: nil, limit: DropSurvey.most)
      let places = keys.compactMap { DropPlace($0, of: owner.id) }.filter { place in
        if case .drop(_, seal.box) = place { true } else { false }
      }
      guard places.count >= box.limits.files else { return }
      // Anybody can put objects under such names; only people with the link can seal them.
      var waiting = 0
      for place in places.prefix(Self.mostCounted) where waiting < box.limits.files {
        if let bytes = try store.get(place.key(owner.id), upTo: DropSeal.limit),
          seal.isSealed(bytes, at: place)
        {
          waiting += 1
        }
      }
      guard waiting < box.limits.files else {
        throw CloudError(
          .limitExceeded, "the drop box is full: \(waiting) files wait for its owner in it",
          remedy: "ask the owner to accept or discard some")
      }
    } catch let error as StoreError {
      // A bucket may refuse lists to people who only put objects.
      guard !error.isWorthRetrying else { throw CloudError(error) }
    }
  }
}
