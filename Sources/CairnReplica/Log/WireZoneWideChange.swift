import CairnIdentity
import CairnWire
import CairnZone
import FoundationEssentials

// The conversion of changes of a whole zone to their stored form and back. Replay decides about
// their meaning.

private func damaged(_ why: String) -> FormatError { FormatError("commit", why) }

extension WireShareChange {
  static func wire(_ change: ZoneWideChange) -> OneOf_Change {
    switch change {
    case .offer(let user): .offer(.init(user?.bytes ?? []))
    case .takeOver: .takeOver(true)
    case .succession(let succession): .succession(WireShareSuccession(succession))
    case .confirm(let user): .confirm(.init(user?.bytes ?? []))
    case .purge: .purge(true)
    case .quota(let limit): .quota(WireShareQuota(limit))
    case .revokeDevice(let device): .revokeDevice(.init(device.bytes))
    case .minimumVersion(let version): .minimumVersion(version)
    case .carry(let carried): .carry(carried.rawValue)
    case .checkpoint: .checkpoint(true)
    case .floor(let floor): .floor(WireFloor(floor))
    case .history(let policy): .history(WireHistoryPolicy(policy))
    case .retire(let retirement): .retire(WireRetirement(retirement))
    case .forget(let forgetting): .forget(WireForgetting(forgetting))
    case .closePast: .closePast(true)
    case .goesOn(let site): .goesOn(WireSite(site))
    }
  }

  /// Decodes a change.
  /// - Throws: also for a change of the share instead of the zone.
  static func zoneWideChange(_ change: OneOf_Change) throws(FormatError) -> ZoneWideChange {
    switch change {
    case .offer(let bytes): return .offer(to: try person(bytes))
    case .succession(let wire): return .succession(try wire.succession())
    case .confirm(let bytes): return .confirm(try person(bytes))
    case .takeOver(true): return .takeOver
    case .purge(true): return .purge
    case .quota(let quota): return .quota(quota.hasLimit ? quota.limit : nil)
    case .revokeDevice(let device):
      guard let device = DeviceID(bytes: device) else { throw damaged("a device has no id") }
      return .revokeDevice(device)
    case .minimumVersion(let version): return .minimumVersion(version)
    case .carry(let bits):
      guard let carried = CarriedAttributes(known: bits) else {
        // Only a newer Cairn knows other attributes that a zone could carry.
        throw .newer("commit")
      }
      return .carry(carried)
    case .checkpoint(true): return .checkpoint
    case .floor(let floor): return .floor(try floor.floor())
    case .history(let policy): return .history(try policy.policy())
    case .retire(let retirement): return .retire(try retirement.retirement())
    case .forget(let forgetting): return .forget(try forgetting.forgetting())
    case .closePast(true): return .closePast
    case .goesOn(let site): return .goesOn(try site.site())
    default: throw damaged("a change of the zone doesn't say what changes")
    }
  }

  /// Decodes a person, or nobody.
  private static func person(_ bytes: Data) throws(FormatError) -> UserID? {
    guard !bytes.isEmpty else { return nil }
    guard let user = UserID(bytes: bytes) else { throw damaged("a person has no id") }
    return user
  }
}

extension WireShareSuccession {
  fileprivate init(_ succession: Succession?) {
    self.init()
    guard let succession else { return }
    people = .init(succession.people.sorted().flatMap(\.bytes))
    needed = succession.needed
    wait = succession.wait
  }

  fileprivate func succession() throws(FormatError) -> Succession? {
    var users: [UserID] = []
    let bytes = Array(people)
    for start in stride(from: 0, to: bytes.count, by: 32) {
      guard let user = UserID(bytes: bytes[start..<min(start + 32, bytes.count)]),
        users.last.map({ $0 < user }) ?? true
      else { throw damaged("successors aren't in order, or one has no id") }
      users.append(user)
    }
    guard !users.isEmpty else {
      guard needed == 0, wait == 0 else { throw damaged("nobody may make a claim") }
      return nil
    }
    return Succession(people: Set(users), needed: needed, wait: wait)
  }
}

extension WireShareQuota {
  fileprivate init(_ limit: UInt64?) {
    self.init()
    if let limit { self.limit = limit }
  }
}

extension WireGenesis {
  func siteID() throws(FormatError) -> SiteID? {
    guard !site.isEmpty else { return nil }
    guard let id = SiteID(bytes: site) else { throw damaged("where it begins has no id") }
    return id
  }
}

extension WireFloor {
  init(_ floor: Floor) {
    self.init()
    checkpoint = floor.checkpoint
    digest = .init(floor.digest.bytes)
    forgotten = floor.forgotten
    past = .init(floor.past.bytes)
  }

  func floor() throws(FormatError) -> Floor {
    guard let digest = Bytes32(digest), let past = Bytes32(past) else {
      throw damaged("a floor has no digest")
    }
    return Floor(checkpoint: checkpoint, digest: digest, forgotten: forgotten, past: past)
  }
}

extension WireHistoryPolicy {
  init(_ policy: HistoryPolicy?) {
    self.init()
    guard let policy else {
      forever = true
      return
    }
    if let all = policy.all { self.all = all }
    if let daily = policy.daily { self.daily = daily }
    if let versions = policy.versions { self.versions = versions }
  }

  func policy() throws(FormatError) -> HistoryPolicy? {
    guard forever else {
      return HistoryPolicy(
        all: hasAll ? all : nil, daily: hasDaily ? daily : nil,
        versions: hasVersions ? versions : nil)
    }
    guard !hasAll, !hasDaily, !hasVersions else {
      throw damaged("what is kept for ever has no bounds")
    }
    return nil
  }
}

extension WireRetirement {
  fileprivate init(_ retirement: Retirement) {
    self.init()
    generation = retirement.generation
    packs = .init(retirement.kept.sorted().flatMap(\.bytes))
    inline = retirement.dropsInline
  }

  fileprivate func retirement() throws(FormatError) -> Retirement {
    var kept: Set<PackName> = []
    var last: PackName?
    let bytes = Array(packs)
    for start in stride(from: 0, to: bytes.count, by: 16) {
      guard let pack = PackName(bytes: bytes[start..<min(start + 16, bytes.count)]),
        last.map({ $0 < pack }) ?? true
      else { throw damaged("packs aren't in order, or one has no name") }
      kept.insert(pack)
      last = pack
    }
    return Retirement(generation: generation, kept: kept, dropsInline: inline)
  }
}

extension WireForgetting {
  fileprivate init(_ forgetting: Forgetting) {
    self.init()
    record = .init(forgetting.record.bytes)
    versions = .init(forgetting.versions.sorted().flatMap { Crypto.number($0) })
  }

  fileprivate func forgetting() throws(FormatError) -> Forgetting {
    guard let record = RecordID(bytes: record), versions.count.isMultiple(of: 8) else {
      throw damaged("what is to be forgotten has no id, or no places")
    }
    let bytes = Array(versions)
    let places = stride(from: 0, to: bytes.count, by: 8).map { start in
      bytes[start..<start + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }
    guard zip(places, places.dropFirst()).allSatisfy(<) else {
      throw damaged("versions that are to be forgotten aren't in order")
    }
    return Forgetting(record: record, versions: Set(places))
  }
}
