import CairnIdentity
import CairnReplica
public import CairnStore
public import CairnZone

/// The effect of a move to another location, before anything is done.
public struct MoveOutlook: Sendable {
  /// A Boolean value that indicates whether there is no container at the target yet.
  public let isNew: Bool
  /// This person's zones and public zone: they continue there.
  public let own: [Zone]
  /// The own zones whose logs already end here.
  public let gone: Set<ZoneID>
  /// Zones of others that are already there.
  public let there: [Zone]
  /// Zones of others that are not there: they are read-only there until their owners move.
  public let staying: [Zone]
}

/// The result of a move.
public struct MoveReport: Sendable {
  /// The plan of the move.
  public let outlook: MoveOutlook
  /// The copy before the logs ended here, which was most of the data.
  public let before: CopyReport
  /// The copy since then; nil: the logs were not ended, because not everything could be copied.
  public internal(set) var after: CopyReport?

  /// Objects of this person's own zones that differ or are missing at the target.
  public internal(set) var lacking: [CopyReport.Mismatch] = []

  /// A Boolean value that indicates whether everything of this person continues there.
  public var isDone: Bool { after.map { !$0.isCut } ?? false && lacking.isEmpty }
}

/// A move to another location: a person copies everything of theirs there, and each of their logs
/// ends here with a last entry that says so. Nothing is deleted here. An interrupted move continues
/// when it is repeated. Until it is complete, the caller keeps using the container here.
///
/// It uses these parts of the container: `account`, `accountZone`, `copying`, `entries`, `id`,
/// `people`, `publicZones`, `sites`, `store`, `zone`.
public struct Moving: Sendable {
  let container: Container

  /// Creates the access for a container.
  public init(_ container: Container) { self.container = container }

  /// The effect of a move, without writing anything.
  /// - Parameter target: The target.
  /// - Returns: the plan.
  /// - Throws: `CloudError` if it is impossible.
  public func outlook(to target: any ObjectStore) throws -> MoveOutlook {
    let root = try siteRoot(of: target)
    let goal = root?.trail.here
    try pullForMove(container.accountZone, to: goal)
    var (own, there, staying): ([Zone], [Zone], [Zone]) = ([], [], [])
    var gone: Set<ZoneID> = []
    for entry in try container.entries() {
      guard let zone = try container.zone(entry.zone) else { continue }
      let isElsewhere = try isElsewhere(zone)
      guard !zone.header.isPurged else { continue }
      if zone.header.owner == container.account.user {
        try pullForMove(zone, to: goal)
        own.append(zone)
      } else if isElsewhere, goal != nil, zone.header.site?.id == goal {
        there.append(zone)
      } else {
        staying.append(zone)
      }
    }
    if let published = try publishedForMove(to: goal) { own.append(published) }
    for zone in own where goal != nil && zone.header.site?.id == goal { gone.insert(zone.id) }
    return MoveOutlook(isNew: root == nil, own: own, gone: gone, there: there, staying: staying)
  }

  /// Moves this person to another location of the container.
  /// - Parameters:
  ///   - target: The target: an empty store, or one with earlier movers.
  ///   - location: The address of the target for others.
  ///   - isCancelled: Whether to stop; called on any thread.
  ///   - progress: Receives the finished and the total bytes, on any thread.
  /// - Returns: the result. If it is incomplete, the next call continues.
  /// - Throws: `CloudError`; `StoreError` if one of the stores cannot be used.
  public func move(
    to target: any ObjectStore, at location: String,
    isCancelled: @escaping @Sendable () -> Bool = { false },
    progress: @escaping @Sendable (_ done: Int64, _ total: Int64) -> Void = { _, _ in }
  ) throws -> MoveReport {
    let outlook = try self.outlook(to: target)
    let carry = { (goal: SiteID?) in
      try StoreCopy(
        from: container.store, to: target, moveOrder(to: goal), isCancelled: isCancelled,
        progress: progress
      ).run()
    }
    var report = MoveReport(outlook: outlook, before: try carry(siteRoot(of: target)?.trail.here))
    report.lacking = try lacking(report.before, of: outlook.own)
    guard !report.before.isCut, report.lacking.isEmpty else { return report }
    let site = Site(id: try makeSite(in: target), location: location)
    try end(at: site)
    let after = try carry(site.id)
    report.after = after
    report.lacking = try lacking(after, of: outlook.own)
    if report.isDone { try checkArrived(at: site, in: target) }
    return report
  }

  // MARK: The site

  /// The root of the container at the target; nil: there is none.
  /// - Throws: `CloudError` if another object is there than a continuation of this container.
  private func siteRoot(of target: any ObjectStore) throws -> ContainerFile? {
    guard try ContainerFile.root(of: container.store)?.id == container.id else {
      throw CloudError(
        .badContainer, "the container of this home isn't where it was",
        remedy: "mount or restore it; nothing was moved")
    }
    guard let there = try ContainerFile.root(of: target) else { return nil }
    guard there.id == container.id else {
      throw CloudError(
        .badContainer, "another container stands there already, \(there.id)",
        remedy: "name another place")
    }
    let trail = try container.sites.trail()
    guard there.trail.here.map({ trail.onward(to: $0) }) == there.trail else {
      throw CloudError(
        .badContainer,
        there.trail == trail
          ? "a copy of this container stands there, and a copy is no place to go on"
          : "what stands there was moved to from another place than this one",
        remedy: "name another place; an empty one, or the one that others have moved to")
    }
    return there
  }

  /// Creates the container at the target, unless another person was faster.
  private func makeSite(in target: any ObjectStore) throws -> SiteID {
    if try siteRoot(of: target) == nil {
      guard let key = ObjectKey(ContainerFile.key),
        var root = try ContainerFile.root(of: container.store)
      else {
        preconditionFailure("a container that was just there")
      }
      root.trail = root.trail.onward(to: .random())
      do { _ = try target.put(key, root.encoded()) } catch {
        // A check shows whether it arrived.
        guard error.isWorthRetrying else { throw CloudError(error) }
      }
    }
    guard let site = try siteRoot(of: target)?.trail.here else {
      throw CloudError(
        .networkFailure, "the container's root didn't come there",
        remedy: "run it again to continue")
    }
    return site
  }

  // MARK: Ends

  /// Ends each log of this person here: the zones, the public zone, the chain, the account. The
  /// account is last: its end proves the others.
  private func end(at site: Site) throws {
    var ended: Set<ZoneID> = []
    while true {
      let before = container.accountZone.header.head
      for entry in try container.entries() {
        guard let zone = try container.zone(entry.zone), !ended.contains(zone.id),
          zone.header.owner == container.account.user, !zone.header.isPurged
        else { continue }
        try zone.exclusively { try $0.goOn(at: site) }
        ended.insert(zone.id)
      }
      if try publishedForMove(to: site.id) != nil {
        try container.publicZones.own().exclusively { try $0.goOn(at: site) }
      }
      _ = try container.people.append(to: container.account) {
        $0.site?.id == site.id ? nil : .goesOn(site)
      }
      try container.accountZone.exclusively { try $0.goOn(at: site) }
      // Another device may have created a zone just before; nothing comes after this end.
      if container.accountZone.header.head == before { return }
    }
  }

  private func isElsewhere(_ zone: Zone) throws -> Bool {
    do { try zone.pull() } catch let error as CloudError {
      // The known state must suffice: others' zones prevent no move.
      guard zone.header.genesis != nil else { throw error }
    }
    return zone.trouble?.kind == .elsewhere
  }

  /// Checks that nothing prevents a log of this person from ending here.
  private func pullForMove(_ zone: Zone, to goal: SiteID?) throws {
    do { try zone.pull() } catch let error as CloudError {
      guard zone.trouble?.kind == .elsewhere, goal != nil, zone.header.site?.id == goal else {
        throw error
      }
      return
    }
    guard let trouble = zone.trouble else { return }
    guard trouble.kind == .elsewhere, goal != nil, zone.header.site?.id == goal else {
      throw trouble.error
    }
  }

  /// This person's public zone; nil: none.
  private func publishedForMove(to goal: SiteID?) throws -> Zone? {
    guard try container.people.person(container.account.user)?.publicLock != nil else { return nil }
    let zone = try container.publicZones.own()
    try pullForMove(zone, to: goal)
    return zone.header.genesis == nil ? nil : zone
  }

  // MARK: What arrived

  /// The objects of this person that are missing or different at the target.
  private func lacking(_ report: CopyReport, of zones: [Zone]) throws -> [CopyReport.Mismatch] {
    let folders =
      [ObjectKind.person(container.account.user) + "/"]
      + zones.map { zone in
        zone.author == nil
          ? ObjectKind.zone(zone.folder.founder, zone.id) + "/"
          : ObjectKind.published.path(container.account.user) + "/"
      }
    return report.problems.filter { problem in
      folders.contains { problem.key.description.hasPrefix($0) }
    }
  }

  /// Checks that each log's end arrived at the target unchanged.
  private func checkArrived(at site: Site, in target: any ObjectStore) throws {
    guard let root = try siteRoot(of: target), root.trail.here == site.id else {
      throw Self.missing
    }
    do {
      let me = try container.people.person(container.account.user)
      let there = try People(store: target, of: root).person(container.account.user)
      guard let me, let there, there.length >= me.length, me.site?.id == site.id else {
        throw Self.missing
      }
      let zones = try outlook(to: target).own + [container.accountZone]
      for zone in zones {
        let (key, head) = try zone.exclusively { replica in
          (try replica.place(replica.header.sequence), replica.header.head)
        }
        guard zone.header.site?.id == site.id, let key,
          let bytes = try target.get(key, upTo: EntryCodec.limit),
          EntryCodec.digest(of: bytes) == head
        else { throw Self.missing }
      }
    } catch let error as StoreError { throw CloudError(error) }
  }

  private static let missing = CloudError(
    .networkFailure, "not all that was copied is to be found there",
    remedy: "run it again to continue")

  // MARK: What is copied

  /// Everything in the container, except data that earlier movers may have changed there since.
  private func moveOrder(to goal: SiteID?) throws -> CopyOrder {
    let scope = try moveScope(to: goal)
    return CopyOrder(
      stage: { scope.stage(of: $0) }, arrange: { container.copying.arranged($0) },
      isInUse: goal != nil)
  }

  private func moveScope(to goal: SiteID?) throws -> MoveScope {
    var scope = MoveScope()
    guard let goal else { return scope }
    for person in try container.people.all()
    where person.id != container.account.user && person.site?.id == goal {
      scope.moved.insert(person.id.description)
    }
    for entry in try container.entries() {
      guard let zone = try container.zone(entry.zone), zone.author == nil else { continue }
      let names = try zone.header.site?.id == goal ? names(of: zone) : nil
      scope.zones[zone.id.description] = .some(names)
    }
    return scope
  }

  /// The keys of the objects of a zone's entries, up to the last one that this device replayed.
  private func names(of zone: Zone) throws -> Set<ObjectKey> {
    try zone.exclusively { replica in
      guard replica.header.sequence > 0 else { return [] }
      return Set(try (1...replica.header.sequence).compactMap { try replica.place($0) })
    }
  }
}

/// The selection of objects for a move. People who moved before took their objects with them. The
/// remains of their folders here are not copied. Packs are always included:
/// nothing is trusted because of them, and a commit just before the end may name one.
private struct MoveScope: Sendable {
  /// The people who have moved there before.
  var moved: Set<String> = []
  /// The zones of this person's account; for those that end here, the names of their entries.
  var zones: [String: Set<ObjectKey>?] = [:]

  func stage(of key: ObjectKey) -> CopyOrder.Stage? {
    let kind = ObjectKind(key)
    // Its root names its location.
    guard kind != .root, let stage = Copying.stage(of: key) else { return nil }
    let parts = key.description.split(separator: "/")
    guard kind != .packs, kind != .parts, parts.count > 2 else { return stage }
    if parts[2] == "zones", parts.count > 3, let names = zones[String(parts[3])] {
      return kind == .log ? names.map { $0.contains(key) } ?? true ? stage : nil : stage
    }
    return moved.contains(String(parts[1])) ? nil : stage
  }
}
