import CairnContainer
import CairnControl
import CairnFolders
import CairnIdentity
import CairnStore
import CairnZone

/// The operations about this person's devices.
struct DeviceOperations: Operations {
  let one: OpenContainer
  let watch: AccountWatch
  let persons: Persons

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.DeviceLink.self) { [self] _, _ in try linkDevice() }
    routes.answer(Control.DeviceList.self) { [self] _, _ in try devices() }
    routes.answer(Control.DeviceRecovery.self) { [self] request, _ in try makeSheet(request) }
    routes.answer(Control.DeviceRecoveryTest.self) { [self] request, _ in try test(request) }
    routes.answer(Control.DeviceRevoke.self) { [self] request, _ in try revoke(request) }
    routes.answer(Control.DeviceRename.self) { [self] request, _ in try rename(request) }
  }

  func linkDevice() throws -> Control.DeviceLinkReply {
    let code = try one.container.devices.linkCode(
      path: Array(one.configuration.location.text.utf8), now: SystemClock().date / 1_000_000_000)
    return Control.DeviceLinkReply(
      code: code.text, expires: Control.Time(nanoseconds: code.expires * 1_000_000_000))
  }

  func devices() throws -> Control.DeviceListReply {
    let devices = try me().devices.map { describe($0.key, $0.value) }
    return Control.DeviceListReply(
      devices: devices.sorted {
        ($0.isActive ? 0 : 1, $0.name, $0.device) < ($1.isActive ? 0 : 1, $1.name, $1.device)
      })
  }

  /// This person by the container; while it is unavailable, by the last read.
  private func me() throws -> Person {
    do { return try one.container.refreshMe().me } catch let error as CloudError {
      guard error.isAway, let me = try one.container.people.recall(one.container.account.user)
      else { throw error }
      return me
    }
  }

  func rename(_ request: Control.DeviceRename) throws -> Control.DeviceReply {
    try checkName(request.to)
    let (id, _) = try device(request.device)
    let me = try one.container.devices.rename(id, to: request.to)
    guard let renamed = me.devices[id] else { preconditionFailure("a device that was just there") }
    return Control.DeviceReply(device: describe(id, renamed))
  }

  private func checkName(_ name: String) throws {
    guard Person.isName(name) else {
      throw ControlError(
        .invalidArguments, "“\(name)” can't be a device's name.",
        remedy: "Give one of 1 to 255 bytes, in one line.")
    }
  }

  /// Makes a recovery sheet. Its words are only in the answer.
  func makeSheet(_ request: Control.DeviceRecovery) throws -> Control.DeviceRecoveryReply {
    let now = Control.Time(nanoseconds: SystemClock().date)
    let me = try one.container.refreshMe().me
    let name = request.name ?? Self.freeName(for: me, now)
    try checkName(name)
    let (words, id) = try one.container.recovery.make(named: name)
    let account = one.container.account
    // The container may be away by now, and the words are nowhere else.
    guard let sheet = try one.container.people.recall(account.user)?.devices[id] else {
      preconditionFailure("a sheet that was just made")
    }
    return Control.DeviceRecoveryReply(
      device: describe(id, sheet), words: words.words, code: words.text,
      container: Control.Path(one.configuration.location.text),
      account: Control.AccountStatus(
        user: account.user.description, handle: me.handle, name: me.name,
        device: account.device.id.description, deviceName: one.configuration.deviceName),
      created: now)
  }

  /// Returns a name with the day that no active device has: `device revoke` names one sheet then.
  private static func freeName(for me: Person, _ now: Control.Time) -> String {
    let taken = Set(me.devices.values.filter(\.isActive).map(\.name))
    let name = "recovery sheet " + now.description.prefix(10)
    guard taken.contains(name) else { return name }
    let numbered = (2...).lazy.map { "\(name) (\($0))" }.first { !taken.contains($0) }
    return numbered ?? name
  }

  func test(_ request: Control.DeviceRecoveryTest) throws -> Control.DeviceReply {
    let id = try one.container.recovery.test(RecoveryWords(controlling: request.words))
    guard let sheet = try one.container.refreshMe().me.devices[id] else {
      preconditionFailure("a sheet that was just there")
    }
    return Control.DeviceReply(device: describe(id, sheet))
  }

  func revoke(_ request: Control.DeviceRevoke) throws -> Control.DeviceRevokeReply {
    let (id, known) = try device(request.device, alsoRevoked: true)
    try one.container.revocation.revoke(id)
    // If the rest is interrupted, the watch of the account completes it.
    watch.hint()
    try one.container.account.store(one.home.keys + "/" + AccountFile.name)
    let progress = try one.container.revocation.revokeInZones()
    let letIn = try one.container.revocation.letIn(by: id)
    let devices = try one.container.refreshMe().me.devices
    guard let revoked = devices[id] else {
      preconditionFailure("a device that was just there")
    }
    // The account itself is no folder.
    let account = progress.missed.contains { $0.zone == one.container.accountID } ? 0 : 1
    return Control.DeviceRevokeReply(
      device: describe(id, revoked), zones: max(0, progress.done - account),
      before: !known.isActive, hasBucketKey: one.configuration.location.folder == nil,
      pending: progress.pending, links: progress.links,
      devices: letIn.devices.compactMap { id in devices[id].map { describe(id, $0) } },
      guests: try letIn.guests.map { try describe($0) },
      missed: try progress.missed.map { try describe($0) })
  }

  private func describe(_ missed: MissedZone) throws -> Control.MissedZone {
    let id = missed.zone
    let title =
      try id == one.container.accountID
      ? "your account" : one.container.zone(id).map { one.title(of: $0) } ?? ""
    return Control.MissedZone(zone: id.description, title: title, reason: missed.reason)
  }

  private func describe(_ guest: LetIn.Guest) throws -> Control.Guest {
    let title = try one.container.zone(guest.zone).map { one.title(of: $0) } ?? ""
    return Control.Guest(
      zone: guest.zone.description, title: title, person: persons.told(guest.user),
      acceptance: guest.acceptance.map { $0 == .accepted ? .accepted : .pending } ?? .removed,
      isAdministrator: guest.isAdministrator)
  }

  func describe(_ id: DeviceID, _ device: Person.Device) -> Control.Device {
    Control.Device(id, device, isThis: id == one.container.account.device.id)
  }

  /// Returns the device with a name, or with the beginning of an id; active devices first.
  func device(_ text: String, alsoRevoked: Bool = false) throws -> (DeviceID, Person.Device) {
    let all = try one.container.refreshMe().me.devices
    func matching(_ isActive: Bool) -> [(DeviceID, Person.Device)] {
      let devices = all.filter { $0.value.isActive == isActive }.map { ($0.key, $0.value) }
      let exact = devices.filter { $0.1.name == text }
      guard exact.isEmpty else { return exact }
      let named = devices.filter { $0.1.name.lowercased() == text.lowercased() }
      return named.isEmpty ? devices.filter { $0.0.begins(with: text) } : named
    }
    var found = matching(true)
    if found.isEmpty, alsoRevoked { found = matching(false) }
    if found.isEmpty, let (id, revoked) = matching(false).first {
      throw ControlError(
        .unknownItem, "\(revoked.name) (\(id.description.prefix(12))) is revoked.",
        remedy: "`cairn device list` shows the active ones.")
    }
    guard let first = found.first, found.count == 1 else {
      throw ControlError(
        .unknownItem,
        found.isEmpty
          ? "You have no active device \(text)." : "\(found.count) of your devices match \(text).",
        remedy: "Take a name or an id from `cairn device list`.")
    }
    return first
  }
}

extension Control.Device {
  /// Describes a device of a person.
  init(_ id: DeviceID, _ device: Person.Device, isThis: Bool) {
    self.init(
      device: id.description, name: device.name, isActive: device.isActive,
      revoked: device.revoked.map { Control.Time(nanoseconds: $0) }, isThis: isThis,
      isRecovery: device.isRecovery)
  }
}

extension RecoveryWords {
  /// Reads the words of a request.
  init(controlling text: String) throws(ControlError) {
    do { try self.init(parsing: text) } catch {
      throw ControlError(
        .invalidArguments, error.description,
        remedy: "Copy the 24 words again, in the order of their numbers, or the text of the QR "
          + "code.")
    }
  }
}
