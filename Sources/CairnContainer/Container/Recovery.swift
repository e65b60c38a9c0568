public import CairnIdentity
public import CairnStore
public import CairnZone

/// The recovery sheets of this person. A sheet is a device whose keys follow from words on paper.
/// Its entry in the person's chain contains all that it needs, sealed for it. So nothing has to be
/// renewed, and the container can neither withhold a part of it nor replace it.
///
/// It uses these parts of the container: `account`, `people`, `refreshMe`.
public struct Recovery: Sendable {
  let container: Container

  /// Creates the access for a container.
  public init(_ container: Container) { self.container = container }

  /// Adds a recovery device to this person, and checks that its words open everything.
  /// - Parameter name: The name of the sheet, which all people of the container can see.
  /// - Returns: The words, which are stored nowhere, and the device.
  /// - Throws: `CloudError`. If the sheet may exist without its words, the error says so.
  public func make(named name: String) throws -> (words: RecoveryWords, device: DeviceID) {
    let words = RecoveryWords.random()
    let keys = words.keys
    var mayExist = false
    do {
      let me = try container.people.append(to: container.account) { me in
        guard me.devices[keys.id] == nil else { return nil }
        let request = DeviceRequest(name: name, keys: keys, to: me)
        mayExist = true
        return .addRecovery(request)
      }
      try check(me, keys)
    } catch {
      guard mayExist else { throw error }
      throw Self.lost(name, keys.id, error)
    }
    return (words, keys.id)
  }

  /// Checks that the words would recover this person now.
  /// - Returns: The recovery device.
  /// - Throws: `CloudError` with the reason if they would not.
  public func test(_ words: RecoveryWords) throws -> DeviceID {
    let keys = words.keys
    try check(container.refreshMe().me, keys)
    return keys.id
  }

  private func check(_ me: Person, _ keys: DeviceKeys) throws {
    guard let device = me.devices[keys.id] else { throw Self.foreign }
    guard device.isActive else { throw Self.revoked(device) }
    if let trouble = container.people.troubles[me.id] { throw trouble.error }
    guard try container.people.account(of: me, on: keys) != nil else { throw Self.incomplete }
  }

  /// Returns the error for a sheet that may be in the chain although nobody has its words.
  static func lost(_ name: String, _ id: DeviceID, _ error: any Error) -> CloudError {
    let cause =
      error as? CloudError ?? (error as? StoreError).map { CloudError($0) }
      ?? CloudError(.assetNotAvailable, "\(error)", remedy: "run `cairn verify`")
    return CloudError(
      cause.code,
      "the sheet “\(name)” may have been made, but its words are lost: \(cause.message)",
      remedy: "if `cairn device list` shows it, run `cairn device revoke \(id.digits)`; then make "
        + "another one")
  }

  static let foreign = CloudError(
    .unknownItem, "no recovery sheet of yours in this container has these words",
    remedy: "run `cairn device list` to see your sheets, and check the container")

  static let incomplete = CloudError(
    .assetNotAvailable, "the recovery sheet doesn't get all of your keys",
    remedy: "revoke it with `cairn device revoke`, and make another one with `cairn device "
      + "recovery`")

  static func moved(_ person: Person) -> CloudError {
    let location = person.site.map(\.location) ?? ""
    return CloudError(
      .badContainer,
      location.isEmpty
        ? "your account isn't complete in this container: the person of the sheet hasn't moved here"
        : "your account has moved from this container to \(location)",
      remedy: location.isEmpty
        ? "name the container that your devices used last"
        : "run it again with --container \(Site.word(location))")
  }

  static func revoked(_ sheet: Person.Device) -> CloudError {
    CloudError(
      .permissionFailure, "the recovery sheet “\(sheet.name)” was revoked: it recovers nothing",
      remedy: "use another sheet, or another device of yours")
  }
}

/// The recovery of a person from the words of a sheet and the container, with nothing else. The
/// sheet finds its person, opens the person's keys, and lets in a new device. It stays valid: a
/// person who has lost everything else must not lose it, too, when the new machine fails.
public struct PersonRecovery: Sendable {
  private let people: People
  private let keys: DeviceKeys

  /// Creates the recovery with these words in that store, a container with these locations.
  public init(
    _ words: RecoveryWords, in store: any ObjectStore, trail: SiteTrail = SiteTrail()
  ) {
    keys = words.keys
    people = People(store: store, memory: nil, sites: SiteLook(trail))
  }

  /// Finds the person with this sheet in the container.
  /// - Returns: The person's account on the recovery device.
  /// - Throws: `CloudError` if nobody has such a sheet, or it was revoked.
  public func find() throws -> Account {
    try translated {
      let found = try people.all().first { $0.devices[keys.id] != nil }
      guard let person = found, let sheet = person.devices[keys.id] else { throw Recovery.foreign }
      guard sheet.isActive else { throw Recovery.revoked(sheet) }
      guard try people.sites.trail().keeps(person.site) else { throw Recovery.moved(person) }
      guard let account = try people.account(of: person, on: keys) else {
        throw Recovery.incomplete
      }
      return account
    }
  }

  /// Lets in a new device by the signature of the sheet. A repetition changes nothing.
  /// - Parameters:
  ///   - device: The keys of the new device, which are stored already.
  ///   - name: Its name.
  ///   - sheet: The result of `find`.
  /// - Returns: The person with the new device.
  /// - Throws: `CloudError`.
  public func letIn(_ device: DeviceKeys, named name: String, by sheet: Account) throws -> Person {
    try translated {
      let person = try people.append(to: sheet) { person in
        let isThere = person.devices[device.id] != nil
        return isThere ? nil : .addDevice(DeviceRequest(name: name, keys: device, to: person))
      }
      guard person.devices[device.id]?.isActive == true else { throw CloudError.revoked }
      return person
    }
  }

  private func translated<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as StoreError {
      throw CloudError(error)
    } catch let error as IdentityError {
      throw CloudError(.assetNotAvailable, error.description, remedy: "run `cairn verify`")
    }
  }
}
