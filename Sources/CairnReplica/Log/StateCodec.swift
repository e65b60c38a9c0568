import CairnIdentity
import CairnWire
import CairnZone
import FoundationEssentials

// The canonical form of a zone's state for its digest. The index stores headers in it, too.

private func damaged(_ why: String) -> FormatError { FormatError("state of a zone", why) }

extension WireStateHeader {
  init(_ header: ZoneHeader) {
    self.init()
    zone = .init(header.zone.bytes)
    kind = UInt32(header.kind.rawValue)
    sequence = header.sequence
    head = .init(header.head.bytes)
    epoch = header.epoch
    if let genesis = header.genesis {
      founder = .init(genesis.owner.bytes)
      name = genesis.name
    }
    if let owner = header.owner { self.owner = .init(owner.bytes) }
    if let share = header.share { self.share = WireStateShare(share) }
    if let quota = header.quota { self.quota = quota }
    bytes = header.bytes
    revoked = WireStateDevice.sorted(header.revokedDevices)
    keyDue = header.isRekeyDue
    purged = header.isPurged
    keys = WireMemberKey.sorted(header.keys)
    minimumVersion = header.minimumVersion
    carry = header.carried.rawValue
    generation = header.generation
    checkpoints = header.checkpoints
    if let floor = header.floor { self.floor = WireFloor(floor) }
    if let policy = header.history { history = WireHistoryPolicy(policy) }
    if let lock = header.lock { self.lock = .init(lock.bytes) }
    closings = header.closings.map { WireClosedPast($0) }
    if let site = header.site { self.site = WireSite(site) }
  }

  func header() throws(FormatError) -> ZoneHeader {
    guard let zone = ZoneID(bytes: zone), let head = Bytes32(head),
      let kind = UInt8(exactly: kind).flatMap(ZoneKind.init(rawValue:)),
      let carried = CarriedAttributes(known: carry)
    else { throw damaged("it doesn't say of which zone it is") }
    var header = ZoneHeader(zone: zone, kind: kind)
    header.sequence = sequence
    header.head = head
    header.epoch = epoch
    guard name.utf8.count <= Share.maximumTitleSize else { throw damaged("the name is too long") }
    if let founder = UserID(bytes: founder) { header.genesis = Genesis(owner: founder, name: name) }
    header.owner = UserID(bytes: owner)
    if hasShare {
      guard let owner = header.owner else { throw damaged("a share has no owner") }
      header.share = try share.share(of: owner)
    }
    header.quota = hasQuota ? quota : nil
    header.bytes = bytes
    for entry in revoked { header.revokedDevices.insert(try entry.author()) }
    header.isRekeyDue = keyDue
    header.isPurged = purged
    header.keys = try WireMemberKey.keys(keys)
    header.minimumVersion = minimumVersion
    header.carried = carried
    header.generation = generation
    header.checkpoints = checkpoints
    header.floor = hasFloor ? try floor.floor() : nil
    header.history = hasHistory ? try history.policy() : nil
    header.lock = Bytes32(lock)
    header.site = hasSite ? try site.site() : nil
    for closing in closings {
      let (last, next) = (
        header.closings.last, ClosedPast(sequence: closing.place, epoch: closing.epoch)
      )
      guard next.sequence > last?.sequence ?? 0, next.epoch > last?.epoch ?? 0,
        next.sequence <= sequence, next.epoch < epoch
      else { throw damaged("its past was closed where it can't have been") }
      header.closings.append(next)
    }
    return header
  }
}

extension WireStateDevice {
  fileprivate static func sorted(_ devices: Set<Author>) -> [WireStateDevice] {
    devices
      .sorted { ($0.user, $0.device.bytes) < ($1.user, $1.device.bytes) }
      .map { author in
        var wire = WireStateDevice()
        wire.user = .init(author.user.bytes)
        wire.device = .init(author.device.bytes)
        return wire
      }
  }

  fileprivate func author() throws(FormatError) -> Author {
    guard let user = UserID(bytes: user), let device = DeviceID(bytes: device) else {
      throw damaged("a device that was revoked has no id")
    }
    return Author(user: user, device: device)
  }
}

private func < (left: (UserID, [UInt8]), right: (UserID, [UInt8])) -> Bool {
  left.0 == right.0 ? left.1.lexicographicallyPrecedes(right.1) : left.0 < right.0
}

extension WireClosedPast {
  fileprivate init(_ closing: ClosedPast) {
    self.init()
    place = closing.sequence
    epoch = closing.epoch
  }
}

extension WireStateShare {
  fileprivate init(_ share: Share) {
    self.init()
    title = share.title
    publicPermission = UInt32(share.publicPermission.rawValue)
    participants = share.participants.values.sorted { $0.user < $1.user }
      .map { WireStateParticipant($0) }
    links = share.links.values.sorted { $0.id < $1.id }.map { WireShareLink($0) }
    accessRequests = share.allowsAccessRequests
    blocked = share.blocked.sorted().map { .init($0.bytes) }
    policy = WireSharePolicy(share.policy)
    changed = WireStamp(share.changed)
    if let user = share.offered { offered = .init(user.bytes) }
    if let succession = share.succession { self.succession = WireStateSuccession(succession) }
  }

  fileprivate func share(of owner: UserID) throws(FormatError) -> Share {
    guard let permission = UInt8(exactly: publicPermission).flatMap(Permission.init(rawValue:))
    else { throw damaged("a share has no permission") }
    guard !title.isEmpty, title.utf8.count <= Share.maximumTitleSize else {
      throw damaged("a share has no title, or too long a one")
    }
    var found = Share(
      owner: owner, title: title, publicPermission: permission,
      allowsAccessRequests: accessRequests, policy: try policy.policy(),
      changed: try changed.stamp())
    for entry in participants {
      let participant = try entry.participant()
      found.participants[participant.user] = participant
    }
    for entry in links {
      let link = try entry.link()
      found.links[link.id] = link
    }
    for bytes in blocked {
      guard let user = UserID(bytes: bytes) else { throw damaged("who is blocked has no id") }
      found.blocked.insert(user)
    }
    if !offered.isEmpty {
      guard let user = UserID(bytes: offered),
        found.participants[user]?.acceptance == .accepted
      else { throw damaged("a share is offered to no participant") }
      found.offered = user
    }
    if hasSuccession {
      found.succession = try succession.succession(of: found.participants)
    }
    return found
  }
}

extension WireStateSuccession {
  fileprivate init(_ succession: Succession) {
    self.init()
    people = succession.people.sorted().map { user in
      var wire = WireStateSuccessor()
      wire.user = .init(user.bytes)
      if let own = succession.confirmations[user] {
        wire.claimant = .init(own.claimant.bytes)
        wire.since = WireStamp(own.since)
      }
      return wire
    }
    needed = succession.needed
    wait = succession.wait
  }

  fileprivate func succession(
    of participants: [UserID: Participant]
  ) throws(FormatError) -> Succession {
    var users: Set<UserID> = []
    var confirmations: [UserID: Succession.Confirmation] = [:]
    for entry in people {
      guard let user = UserID(bytes: entry.user), participants[user]?.acceptance == .accepted
      else { throw damaged("a successor is no participant") }
      users.insert(user)
      guard entry.hasSince || !entry.claimant.isEmpty else { continue }
      let since = try entry.since.stamp()
      guard let claimant = UserID(bytes: entry.claimant), since.user == user else {
        throw damaged("a claim has no author")
      }
      confirmations[user] = Succession.Confirmation(claimant: claimant, since: since)
    }
    let claimants = confirmations.values.map(\.claimant)
    guard !users.isEmpty, needed > 0,
      claimants.allSatisfy({ confirmations[$0]?.claimant == $0 })
    else { throw damaged("a claim is confirmed that nobody made, or nobody may make one") }
    return Succession(people: users, needed: needed, wait: wait, confirmations: confirmations)
  }
}

extension WireStateParticipant {
  fileprivate init(_ participant: Participant) {
    self.init()
    user = .init(participant.user.bytes)
    role = UInt32(participant.role.rawValue)
    permission = UInt32(participant.permission.rawValue)
    accepted = participant.acceptance == .accepted
    firstEpoch = participant.firstEpoch
  }

  fileprivate func participant() throws(FormatError) -> Participant {
    guard let user = UserID(bytes: user),
      let role = UInt8(exactly: role).flatMap(Role.init(rawValue:)),
      let permission = UInt8(exactly: permission).flatMap(Permission.init(rawValue:))
    else { throw damaged("a participant isn't whole") }
    return Participant(
      user: user, role: role, permission: permission,
      acceptance: accepted ? .accepted : .pending, firstEpoch: firstEpoch)
  }
}

extension WireStamp {
  init(_ stamp: Stamp) {
    self.init()
    sequence = stamp.sequence
    user = .init(stamp.user.bytes)
    device = .init(stamp.device.bytes)
    time = stamp.time
  }

  func stamp() throws(FormatError) -> Stamp {
    guard let user = UserID(bytes: user), let device = DeviceID(bytes: device) else {
      throw damaged("an author has no id")
    }
    return Stamp(sequence: sequence, user: user, device: device, time: time)
  }
}

extension WireStateRecord {
  /// The record; only its form is checked.
  func record() throws(FormatError) -> Record {
    guard let id = RecordID(bytes: id) else { throw damaged("a record has no id") }
    let type: RecordType
    switch kind {
    case .file: type = .file
    case .directory: type = .directory
    case .symlink: type = .symlink
    case .reference: type = .reference
    case .typed: type = .typed(typeName)
    default: throw damaged("a record is of no kind")
    }
    var values: [String: FieldValue] = [:]
    for (name, value) in try WireField.decoded(fields) {
      guard let value else { throw damaged("a record has a field without a value") }
      values[name] = value
    }
    return Record(
      id: id, type: type, place: hasPlace ? try place.decoded() : nil,
      content: hasContent ? try content.content() : nil, target: hasTarget ? Array(target) : nil,
      attributes: hasAttributes
        ? try attributes.decoded() : Attributes(isExecutable: false, modified: 0),
      fields: values, created: try created.stamp(), changed: try changed.stamp())
  }

  init(_ record: Record) {
    self.init()
    id = .init(record.id.bytes)
    switch record.type {
    case .file: kind = .file
    case .directory: kind = .directory
    case .symlink: kind = .symlink
    case .reference: kind = .reference
    case .typed(let name):
      kind = .typed
      typeName = name
    }
    if let place = record.place { self.place = WirePlace(place) }
    if let content = record.content { self.content = WireContent(content) }
    if let target = record.target { self.target = .init(target) }
    if kind != .typed { attributes = WireAttributes(record.attributes) }
    fields = WireField.sorted(record.fields)
    created = WireStamp(record.created)
    changed = WireStamp(record.changed)
  }
}

extension WireStateVersion {
  init(_ version: RecordVersion) {
    self.init()
    record = WireStateRecord(version.record)
    if let end = version.end {
      ended = WireStamp(end.stamp)
      ending = UInt32(end.ending.rawValue) + 1
    }
  }

  /// The version, which is over.
  func version() throws(FormatError) -> RecordVersion {
    guard ending > 0, let how = UInt8(exactly: ending - 1).flatMap(RecordVersion.Ending.init)
    else { throw damaged("a version has no end") }
    return RecordVersion(
      record: try record.record(),
      end: RecordVersion.End(stamp: try ended.stamp(), ending: how))
  }
}
