import CairnIdentity
import CairnReplica
import CairnStore
public import CairnZone

/// The owner's own decisions about a zone, and the consequences of another owner, or of the end.
///
/// It uses these parts of the container: `access`, `account`, `erase`, `formers`, `givenZones`,
/// `participation`, `remember`, `reopen`, `store`, `zone`, `zones`.
public struct Ownership: Sendable {
  let container: Container

  /// Creates a value for a container.
  public init(_ container: Container) { self.container = container }

  /// Offers the zone to a participant of its share, who owns it once they accept.
  /// - Throws: `CloudError`, with `.permissionFailure` for everybody but the owner.
  public func offer(_ zone: Zone, to user: UserID) throws {
    try zone.require(.own, to: "transfer the zone")
    // From now on the new owner's devices decide the time of the transfer.
    try container.remember(given: zone.id)
    try container.access.change(zone, .offer(to: user))
  }

  /// Ends the offer of a zone: the owner withdraws it, or the participant declines it.
  /// - Throws: `CloudError`, with `.permissionFailure` for other people.
  public func endOffer(of zone: Zone) throws {
    try container.access.change(zone, .offer(to: nil))
  }

  /// Accepts the offer of a zone. This person is its owner then.
  /// - Throws: `CloudError`, with `.permissionFailure` without an offer to this person.
  public func takeOver(_ zone: Zone) throws { try container.access.change(zone, .takeOver) }

  /// Decides who may take the zone over without this person's help. All earlier claims end.
  /// - Parameters:
  ///   - succession: The successors; nil for nobody.
  ///   - zone: The zone.
  /// - Throws: `CloudError`, with `.permissionFailure` for everybody but the owner.
  public func decide(_ succession: Succession?, for zone: Zone) throws {
    try zone.require(.own, to: "name successors")
    // From now on others' devices decide the time of the change, as with an offer.
    if succession != nil { try container.remember(given: zone.id) }
    try container.access.change(zone, .zone(.succession(succession)))
  }

  /// Confirms the claim of a successor, as another one, or claims the ownership by confirming this
  /// person; nil withdraws.
  /// - Throws: `CloudError`, with `.permissionFailure` for people who are no successors, and
  ///   `.invalidArguments` if the person has no claim.
  public func confirm(_ claimant: UserID?, for zone: Zone) throws {
    try container.access.change(zone, .zone(.confirm(claimant)))
  }

  /// Takes the zone over with a confirmed claim, once the waiting time of the claim is over. The
  /// log has no clock, and would accept it before.
  /// - Parameters:
  ///   - zone: The zone.
  ///   - now: Nanoseconds since 1970.
  /// - Throws: `CloudError`: `.permissionFailure` without a confirmed claim, or before the end of
  ///   the waiting time.
  public func succeed(in zone: Zone, at now: Int64) throws {
    try zone.pull()
    let me = container.account.user
    if let due = zone.header.share?.succession?.due(for: me), now < due {
      throw CloudError(
        .permissionFailure, "the waiting time of the claim isn't over",
        remedy: "take the ownership over when it is")
    }
    try takeOver(zone)
  }

  /// Sets the owner's limit for the bytes of all files of a zone; nil removes it.
  public func setQuota(_ bytes: UInt64?, of zone: Zone) throws {
    try zone.require(.own, to: "set a limit")
    guard zone.header.quota != bytes else { return }
    try container.access.change(zone, .quota(bytes))
  }

  /// Sets the attributes of files that a zone carries from now on, beside the executable bit and
  /// the time; the owner only. Records keep those that they have.
  public func setCarried(_ carried: CarriedAttributes, of zone: Zone) throws {
    try zone.require(.own, to: "say which attributes of files the folder carries")
    guard zone.header.carried != carried else { return }
    try container.access.change(zone, .zone(.carry(carried)))
  }

  /// Sets the kept versions of a zone's past from now on; the owner only.
  /// - Parameters:
  ///   - policy: The kept versions; nil for all, forever.
  ///   - zone: The zone.
  /// - Throws: `CloudError`, with `.permissionFailure` for everybody else.
  public func setHistory(_ policy: HistoryPolicy?, of zone: Zone) throws {
    try zone.require(.own, to: "say what is kept of the past")
    guard zone.header.history != policy else { return }
    try container.access.change(zone, .zone(.history(policy)))
  }

  /// Makes everybody forget past versions of a record; the owner only. Every reader deletes them
  /// from then on. The next garbage collection deletes their bytes, whatever the policy keeps. It
  /// also raises the log start, so that the entries with them are deleted.
  /// - Parameters:
  ///   - past: The versions.
  ///   - zone: The zone.
  /// - Throws: `CloudError`, with `.permissionFailure` for everybody else.
  public func forget(_ past: PastToForget, in zone: Zone) throws {
    let versions = Set(past.versions.map(\.began))
    try container.access.change(
      zone, .zone(.forget(Forgetting(record: past.record, versions: versions))))
  }

  /// Returns whether the zone is in the wrong database since its owner changed.
  public func isMisplaced(_ zone: Zone) -> Bool {
    guard let owner = zone.header.owner, zone.scope != .public else { return false }
    return (owner == container.account.user) != (zone.scope == .private)
  }

  /// Moves a zone to the database that its owner requires: own zones are private, zones of others
  /// shared. Its records are replayed again into the other index, and the old object is not used
  /// any more.
  public func replace(_ zone: Zone) throws -> Zone {
    guard isMisplaced(zone) else { return zone }
    let scope: DatabaseScope = zone.scope == .private ? .shared : .private
    let owner = zone.header.owner ?? container.account.user
    let moved = try container.reopen(
      zone.id, founder: zone.folder.founder, owner: owner, in: scope,
      keys: zone.keyring())
    try moved.pull()
    try container.remember(moved, owner: owner)
    try container.erase(zone.id, in: zone.scope)
    return moved
  }

  /// Ends a zone for everybody, and deletes its content from the container, except content that
  /// another zone of this person references. The log remains, so that everybody learns of the end.
  /// Account and index know the zone until `Participation.forgetEverything(of:)`.
  public func purge(_ zone: Zone) throws {
    try zone.pull()
    // A former zone serves only the past of the ended zone.
    for former in try container.formers.all() where former.isWhole && former.part.zone == zone.id {
      guard let old = try container.zone(former.zone), old.header.owner == container.account.user
      else { continue }
      try purge(old)
      try container.participation.forgetEverything(of: old)
    }
    let packs = try packsOnly(of: zone)
    if !zone.header.isPurged { try container.access.change(zone, .purge) }
    do {
      for pack in packs.sorted() { try container.store.delete(pack) }
    } catch {
      throw CloudError(error)
    }
  }

  /// Returns this person's packs that no other zone references.
  private func packsOnly(of zone: Zone) throws -> Set<ObjectKey> {
    // A zone that was handed on may reference these packs, and can't be checked any more.
    let known = try allZones()
    guard try container.givenZones().isSubset(of: Set(known.map(\.id))) else { return [] }
    let own = ObjectKind.packs.path(container.account.user) + "/"
    var packs = try zone.packKeys().filter { $0.description.hasPrefix(own) }
    let unlisted = try ZoneFinder(container).unlisted(beside: Set(known.map(\.id)))
    for other in known + unlisted where other.id != zone.id {
      guard !packs.isEmpty else { break }
      packs.subtract(try other.packKeys())
    }
    return packs
  }

  private func allZones() throws -> [Zone] {
    try container.zones(.private) + container.zones(.shared)
  }
}

extension Zone {
  /// Returns the packs with the chunks of the zone and of its past.
  func packKeys() throws -> Set<ObjectKey> {
    try read { view in
      let state = view.state
      return try Set(state.chunks.stored(state.chunks.names()).map(\.range.key))
    }
  }
}
