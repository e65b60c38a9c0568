public import CairnIdentity
import CairnReplica
public import CairnStore
public import CairnZone
import Synchronization

/// The drop boxes of this person: anybody with the link of one can put files for its owner into the
/// container, and see none. The owner accepts or discards them.
///
/// A box is a secret in the owner's account. The link carries it. Without it nobody can make an
/// object that counts, and each file is sealed to the owner's encryption key, so that other people
/// with the link can't read it.
///
/// It uses these parts of the container: `account`, `accountZone`, `dropMemory`, `id`,
/// `isAnonymous`, `people`, `requireAccount`, `store`, `upkeep`.
public struct Drops: Sendable {
  let container: Container

  /// Creates the access for a container.
  public init(_ container: Container) { self.container = container }

  private var me: UserID { container.account.user }

  // MARK: Boxes

  /// Creates a drop box.
  /// - Parameters:
  ///   - part: The folder that accepted files are put into.
  ///   - title: The title that senders see.
  ///   - limits: The limits.
  ///   - expires: The end of the link in nanoseconds since 1970; nil without an end.
  /// - Returns: The box.
  /// - Throws: `CloudError`.
  public func create(
    into part: ZonePart, title: String, limits: DropLimits, expires: Int64? = nil
  ) throws -> DropBox {
    try container.requireAccount()
    guard (1...DropContent.limit).contains(limits.size), (1...10_000).contains(limits.files) else {
      throw CloudError(
        .invalidArguments, "a drop box takes 1 to 10,000 files of 1 byte to 64 GiB",
        remedy: "give other limits")
    }
    let box = DropBox(
      secret: .random(), owner: me, part: part, title: String(title.prefix(200)), limits: limits,
      expires: expires)
    guard !box.isOver(at: WallClock.now) else {
      throw CloudError(
        .invalidArguments, "the link would have ended already", remedy: "give a time to come")
    }
    // The account comes first: a box that no device remembers couldn't be emptied.
    try AccountZone.add(box, to: container.accountZone)
    let description = DropBoxDescription(
      container: container.id, title: box.title, limits: limits, expires: expires)
    do {
      let bytes = description.sealed(by: container.account, box.seal)
      guard try container.store.puts(DropPlace.box(box.id).key(me), bytes) else {
        throw CloudError(
          .assetNotAvailable, "another object took the place of the drop box", remedy: "try again")
      }
    } catch {
      // Nobody got its link. If the record can't be removed now, `end` removes it.
      try? AccountZone.removeDropBox(box.id, from: container.accountZone)
      if let error = error as? StoreError { throw CloudError(error) }
      throw error
    }
    return box
  }

  /// The boxes of this person, as this device knows them.
  public func boxes() throws -> [DropBox] {
    guard !container.isAnonymous else { return [] }
    return try AccountZone.dropBoxes(of: me, in: container.accountZone)
  }

  /// Returns the link of a box, with a location of the container for senders; empty for none.
  public func link(of box: DropBox, location: String = "") -> DropLink {
    DropLink(container: container.id, owner: me, secret: box.secret, location: location)
  }

  /// Ends a box: its link stops working, and the files in it are deleted.
  /// - Throws: `CloudError`, `.permissionFailure` if the container doesn't let this person.
  public func end(_ box: DropBox) throws {
    // Until the description is gone, senders believe that the box is there.
    let description = DropPlace.box(box.id).key(me)
    guard try container.upkeep.discard(description) else {
      throw CloudError(
        .permissionFailure, "the container doesn't let you end the drop box “\(box.title)”",
        remedy: "ask the owner of the container to delete \(description)")
    }
    for object in try listed().objects where DropPlace(object.key, of: me)?.box == box.id {
      _ = try container.upkeep.discard(object.key)
    }
    try AccountZone.removeDropBox(box.id, from: container.accountZone)
  }

  /// Calls `onHint` when somebody may have put a file into a box.
  public func follow(_ onHint: @escaping @Sendable () -> Void) throws -> Subscription {
    do { return try container.store.follow(DropPlace.folder(me), onHint) } catch {
      throw CloudError(error)
    }
  }

  // MARK: Files

  /// Returns the boxes and the files that wait in them. The link of a box whose end has come stops
  /// working; an empty one is removed. Without boxes the container isn't asked.
  /// - Throws: `CloudError`.
  public func survey() throws -> DropSurvey {
    let boxes = try boxes()
    guard !boxes.isEmpty else { return DropSurvey() }
    var survey = try look(at: boxes)
    let now = WallClock.now
    let over = boxes.filter { $0.isOver(at: now) }
    let described = over.filter { survey.described.contains($0.id) }
    for box in described { _ = try container.upkeep.discard(DropPlace.box(box.id).key(me)) }
    // A file may have arrived before its sender could miss the description.
    if !described.isEmpty { survey = try look(at: boxes) }
    guard !survey.isCut else { return survey }
    for box in over where !survey.filled.contains(box.id) && !survey.described.contains(box.id) {
      try AccountZone.removeDropBox(box.id, from: container.accountZone)
      survey.boxes.removeAll { $0.id == box.id }
    }
    return survey
  }

  /// Returns the objects in this person's folder that belong to no box and no file.
  func garbage() throws -> [ObjectKey] { try look(at: boxes()).garbage }

  private func listed() throws -> (objects: [ListedObject], isCut: Bool) {
    do {
      let found = try container.store.listed(
        DropPlace.folder(me) + "/", after: nil, limit: DropSurvey.most)
      return (found, found.count >= DropSurvey.most)
    } catch {
      throw CloudError(error)
    }
  }

  private func look(at boxes: [DropBox]) throws -> DropSurvey {
    let (objects, isCut) = try listed()
    let seals = Dictionary(boxes.map { ($0.id, $0.seal) }) { first, _ in first }
    var survey = DropSurvey(boxes: boxes, isCut: isCut)
    var found: [Found] = []
    var sizes: [ObjectKey: Int] = [:]
    var pieces: [(key: ObjectKey, drop: Bytes16)] = []
    var kept: Set<Bytes16> = []
    try container.dropMemory.withLock { memory in
      memory.looks += 1
      let keys = container.account.encryption.count
      if memory.keys != keys { memory.forgetClosed(for: keys) }
      var now: [ObjectKey: DropMemory.Known] = [:]
      for object in objects {
        guard let place = DropPlace(object.key, of: me), let seal = seals[place.box] else {
          survey.garbage.append(object.key)
          continue
        }
        switch place {
        case .box(let box): survey.described.insert(box)
        case .piece(_, let drop, let box):
          survey.filled.insert(box)
          sizes[object.key] = object.size ?? 0
          pieces.append((object.key, drop))
        case .drop(let id, let box):
          let known = try opened(object, at: place, seal, memory)
          now[object.key] = known
          switch known.opened {
          case .drop(let message):
            kept.insert(id)
            survey.filled.insert(box)
            found.append(Found(id: id, box: box, message: message, look: known.look))
          case .closed, .unknown:
            kept.insert(id)
            survey.filled.insert(box)
          case .rubbish: survey.garbage.append(object.key)
          }
        }
      }
      memory.objects = now
    }
    survey.garbage += pieces.filter { !kept.contains($0.drop) }.map(\.key)
    found.sort { ($0.look, $0.id) < ($1.look, $1.id) }
    var counts: [Bytes16: UInt32] = [:]
    for drop in found {
      guard let box = boxes.first(where: { $0.id == drop.box }) else { continue }
      guard counts[box.id, default: 0] < box.limits.files else {
        survey.beyond[box.id, default: 0] += 1
        continue
      }
      counts[box.id, default: 0] += 1
      survey.drops.append(
        WaitingDrop(
          id: drop.id, box: box.id, message: drop.message, state: state(of: drop, box, sizes)))
    }
    return survey
  }

  private struct Found {
    var id: Bytes16
    var box: Bytes16
    var message: DropMessage
    var look: Int
  }

  private func state(
    of drop: Found, _ box: DropBox, _ sizes: [ObjectKey: Int]
  ) -> WaitingDrop.State {
    let size = drop.message.size
    guard size <= min(box.limits.size, DropContent.limit) else { return .tooLarge }
    let isWhole = (0..<DropContent.pieces(of: size)).allSatisfy { number in
      let key = DropPlace.piece(number, of: drop.id, in: box.id).key(me)
      return sizes[key] == DropContent.stored(number, of: size)
    }
    return isWhole ? .complete : .incomplete
  }

  private func opened(
    _ object: ListedObject, at place: DropPlace, _ seal: DropSeal, _ memory: DropMemory
  ) throws -> DropMemory.Known {
    let former = memory.objects[object.key]
    if let version = object.version, let former, former.version == version, former.isFinal {
      return former
    }
    return DropMemory.Known(
      opened: try open(object.key, at: place, seal), version: object.version,
      look: former?.look ?? memory.looks)
  }

  /// A person with the link made the object for a key that this device doesn't have.
  private struct ForAnotherKey: Error {}

  private func open(
    _ key: ObjectKey, at place: DropPlace, _ seal: DropSeal
  ) throws -> DropMemory.Opened {
    do {
      guard let bytes = try container.store.get(key, upTo: DropSeal.limit) else { return .unknown }
      return .drop(
        try DropMessage(
          bytes, at: place, seal,
          open: { box in
            // Another device of this person may have added a key.
            guard let plain = container.account.open(box) else { throw ForAnotherKey() }
            return plain
          },
          signKey: { author in
            // The part of a removed device isn't trusted any more.
            guard let person = try container.people.person(author.user),
              let device = person.devices[author.device], device.isActive
            else { return nil }
            return device.signKey
          }))
    } catch let error as FormatError {
      return error.isNewer ? .closed : .rubbish
    } catch is ForAnotherKey {
      return .closed
    } catch is IdentityError {
      return .unknown
    } catch let error as StoreError {
      // An unreadable object hides only itself.
      guard !error.isWorthRetrying else { throw CloudError(error) }
      return .unknown
    }
  }

  /// Reads the content of a file, piece by piece.
  /// - Throws: `CloudError` if a piece is missing, damaged or not the sender's, and any error of
  ///   `body`.
  public func read(_ drop: WaitingDrop, _ body: ([UInt8]) throws -> Void) throws {
    guard drop.state == .complete else { throw Self.unacceptable(drop) }
    for number in 0..<DropContent.pieces(of: drop.size) {
      let place = DropPlace.piece(number, of: drop.id, in: drop.box)
      let sealed: [UInt8]?
      do {
        sealed = try container.store.get(
          place.key(me), upTo: DropContent.stored(number, of: drop.size))
      } catch {
        throw CloudError(error)
      }
      guard let sealed,
        let plain = DropContent.open(sealed, key: drop.message.key, at: place, of: me),
        plain.count == DropContent.size(of: number, of: drop.size)
      else { throw Self.damaged(drop) }
      try body(plain)
    }
  }

  private static func unacceptable(_ drop: WaitingDrop) -> CloudError {
    guard drop.state == .tooLarge else { return damaged(drop) }
    return CloudError(
      .limitExceeded, "“\(drop.name)” is larger than its drop box allows",
      remedy: "discard it by `cairn drop discard \(hexadecimal(drop.id.bytes).prefix(12))`")
  }

  private static func damaged(_ drop: WaitingDrop) -> CloudError {
    CloudError(
      .assetNotAvailable,
      "a part of “\(drop.name)” is missing in the container, or isn't the sender's",
      remedy: "ask the sender to put it again, and discard this one by `cairn drop discard "
        + "\(hexadecimal(drop.id.bytes).prefix(12))`")
  }

  /// Deletes a file from its box: it was accepted, or nobody wants it.
  /// - Throws: `CloudError`, `.permissionFailure` if the container doesn't let this person.
  public func discard(_ drop: WaitingDrop) throws {
    let place = DropPlace.drop(drop.id, in: drop.box)
    guard try container.upkeep.discard(place.key(me)) else {
      throw CloudError(
        .permissionFailure, "the container doesn't let you delete “\(drop.name)”",
        remedy: "ask the owner of the container to delete \(place.key(me))")
    }
    for piece in try pieces(of: drop) { _ = try container.upkeep.discard(piece) }
  }
  private func pieces(of drop: WaitingDrop) throws -> [ObjectKey] {
    if drop.state == .complete {
      return (0..<DropContent.pieces(of: drop.size)).map {
        DropPlace.piece($0, of: drop.id, in: drop.box).key(me)
      }
    }
    // The size is only a claim.
    return try listed().objects.map(\.key).filter {
      if case .piece(_, drop.id, drop.box)? = DropPlace($0, of: me) { true } else { false }
    }
  }
}
