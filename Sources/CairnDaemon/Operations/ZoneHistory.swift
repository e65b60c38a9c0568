import CairnControl
import CairnReplica
import CairnZone

/// Describes the entries of one zone's log in words. It remembers names, because an entry that
/// deletes a record doesn't have its name.
struct ZoneHistory {
  /// The view, valid inside of one `Zone.read`; the caller replaces it in the next one.
  var view: ZoneView
  /// Returns the name of a person.
  let person: (UserID) -> String
  private var places: [RecordID: Place] = [:]

  init(view: ZoneView, person: @escaping (UserID) -> String) {
    self.view = view
    self.person = person
  }

  /// Returns the changes of an entry in words.
  mutating func changes(_ commit: LoggedCommit) throws -> [Control.LogChange] {
    var told: [Control.LogChange] = []
    if let name = commit.name {
      told.append(Control.LogChange(what: "zone", text: "created the zone “\(name)”"))
    }
    if let note = commit.reversal { told.append(tell(note)) }
    told += commit.share.map { Control.LogChange(what: "share", text: text(of: $0)) }
    for change in commit.records where change.place != nil && change.act != .delete {
      if case .create = change.act { places[change.id] = change.place }
    }
    for change in commit.records { told.append(try tell(change)) }
    if commit.raisesEpoch {
      told.append(Control.LogChange(what: "zone", text: "changed the zone's key"))
    }
    return told
  }

  private func tell(_ note: ReversalNote) -> Control.LogChange {
    let what =
      switch note.kind {
      case .restore: "restored items as of entry \(note.place)"
      case .rewind: "reverted changes since entry \(note.place)"
      }
    let part = note.first == 0 ? "" : ", as a part of @\(note.first)"
    return Control.LogChange(what: "reversal", text: what + part)
  }

  private mutating func tell(_ change: RecordChange) throws -> Control.LogChange {
    let before = try path(of: change.id)
    if let place = change.place { places[change.id] = place }
    let path = try path(of: change.id)
    let name = path.map { Control.Path($0).printable } ?? "the record \(change.id)"
    let (what, text): (String, String)
    switch change.act {
    case .create(let type): (what, text) = ("created", "created \(Self.kind(type)) \(name)")
    case .delete: (what, text) = ("deleted", "deleted \(name)")
    case .update where change.place != nil && before != path:
      let old = before.map { Control.Path($0).printable } ?? "it"
      (what, text) = ("moved", "moved \(old) to \(name)")
    case .update: (what, text) = ("changed", "changed \(name)")
    }
    return Control.LogChange(
      what: what, path: path.map { Control.Path($0) }, record: change.id.description, text: text)
  }

  private static func kind(_ type: RecordType) -> String {
    switch type {
    case .file: "the file"
    case .directory: "the directory"
    case .symlink: "the link"
    case .reference: "the reference"
    case .typed(let name): "a record of the type \(name):"
    }
  }

  /// Returns the record's path in the zone, as far as names are known.
  func path(of id: RecordID) throws -> [UInt8]? {
    let way = try Ascent(from: id) { try places[$0] ?? view.record($0)?.place }
    guard way.isWhole, !way.places.isEmpty else { return nil }
    return Array(way.names.map(\.bytes).joined(separator: [UInt8(ascii: "/")]))
  }

  // MARK: The share

  func text(of change: ShareChange) -> String {
    switch change {
    case .title(let title): "shared it as “\(title)”"
    case .invite(let user, let permission, let first):
      "invited \(person(user)), \(Self.text(of: permission))"
        + (first > 0 ? ", without history" : "")
    case .accept: "accepted the invitation"
    case .remove(let user): "removed \(person(user)) from the share"
    case .stop: "stopped sharing"
    case .setPermission(let user, let permission):
      "set \(person(user)) to \(Self.text(of: permission))"
    case .setRole(let user, let role):
      role == .administrator
        ? "made \(person(user)) an administrator" : "made \(person(user)) a participant again"
    case .setPublic(let permission): "set link sharing to \(Self.text(of: permission))"
    case .addLink(let link):
      link.isOneTime ? "created a one-time link" : "created a link for anyone"
    case .removeLink: "revoked a link"
    case .claim: "joined by a link"
    case .setAccessRequests(let isAllowed):
      isAllowed ? "turned requests for access on" : "turned requests for access off"
    case .block(let user): "blocked \(person(user))"
    case .unblock(let user): "unblocked \(person(user))"
    case .setPolicy: "changed which ways of sharing are allowed"
    case .zone(let change): text(of: change)
    }
  }

  private func text(of change: ZoneWideChange) -> String {
    switch change {
    case .offer(let user):
      user.map { "offered the ownership to \(person($0))" } ?? "ended the offer of the ownership"
    case .takeOver: "became the owner"
    case .succession(nil): "decided that nobody may take it over"
    case .succession(let succession?):
      "ended all claims, and decided who may take it over: "
        + succession.people.sorted().map(person).joined(separator: ", ")
    case .confirm(let user):
      user.map { "confirmed that \(person($0)) takes it over" }
        ?? "withdrew a claim to the ownership, or its confirmation"
    case .purge: "deleted the folder for everybody"
    case .quota(let limit): limit.map { "set the limit to \($0) bytes" } ?? "removed the limit"
    case .revokeDevice(let device): "revoked the device \(device.digits)"
    case .minimumVersion(let version): "requires programs with format version \(version)"
    case .carry(let carried):
      carried.isEmpty
        ? "limited the attributes of files to the executable bit"
        : "allowed more attributes of files than the executable bit"
    case .checkpoint: "noted the state of the zone"
    case .floor(let floor): "allowed the deletion of entries before \(floor.checkpoint)"
    case .history(let policy):
      policy == nil ? "set the history policy to all versions" : "changed the history policy"
    case .retire: "closed older packs"
    case .forget(let forgetting):
      (forgetting.versions.count == 1
        ? "deleted an earlier version" : "deleted \(forgetting.versions.count) earlier versions")
        + " of a file permanently"
    case .closePast: "hid the history from future participants"
    case .goesOn(let site): "moved the zone to \(Control.Path(site.location).printable)"
    }
  }

  private static func text(of permission: Permission) -> String {
    switch permission {
    case .none: "none"
    case .readOnly: "read-only"
    case .readWrite: "read-write"
    }
  }
}
