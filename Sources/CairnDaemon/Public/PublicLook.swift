import CairnCloud
import CairnControl
import CairnZone

/// Looks at what people publish: which zones there are, read to their ends, and who a path means.
/// One author's zone in trouble keeps nobody from the others.
struct PublicLook {
  let container: Container
  let persons: Persons

  /// What everybody publishes, and whose can't be read on, and why.
  /// - Throws: `ControlError`, `CloudError` if the container can't be read and nothing is known.
  func everything() throws -> (tree: PublicTree, problems: [Control.Problem]) {
    var problems: [Control.Problem] = []
    var zones: [Zone] = []
    for zone in try container.publicZones.all() {
      do { try pull(zone) } catch let error as CloudError {
        guard zone.header.genesis != nil || zone.trouble != nil else { throw error }
        problems.append(problem(error, of: zone))
      }
      if zone.header.genesis != nil { zones.append(zone) }
    }
    return (tree(zones), problems)
  }

  /// What a path means: an author's directory, read to its end, and names in it; nil for the top.
  /// - Throws: `ControlError` if it begins with nobody who publishes.
  func directory(
    _ path: Control.Path
  ) throws -> (tree: PublicTree, directory: PublicTree.Directory, names: [FileName])? {
    let names = try PublicTree.names(path)
    guard let first = names.first else { return nil }
    let known = tree(try container.publicZones.all())
    let author: UserID
    do { author = try self.author(first.description) } catch let error as ControlError {
      // A name with an id in it means that id, or nobody.
      throw Self.digits(in: first.description) == nil ? error : PublicTree.missing(path)
    }
    guard let directory = known.directories.first(where: { $0.author == author }) else {
      throw PublicTree.missing(path)
    }
    do { try pull(directory.zone) } catch let error as CloudError {
      guard directory.zone.header.genesis != nil else { throw error }
    }
    return (known, directory, Array(names.dropFirst()))
  }

  /// What stands at a path.
  /// - Throws: `ControlError` with `.unknownItem` if there is nothing; what keeps its author's zone
  ///   from being read on, if that may be why.
  func entry(_ path: Control.Path) throws -> (tree: PublicTree, found: PublicTree.Found) {
    guard let (tree, directory, names) = try directory(path) else {
      throw ControlError(
        .invalidArguments, "The path names nothing in the public database.",
        remedy: "Name an author and a path, as `cairn public list -r` shows them.", path: path)
    }
    guard let found = try tree.find(names, in: directory) else {
      if let trouble = directory.zone.trouble {
        throw ControlError(
          .unknownItem, "There is no \(path) as far as it can be read: \(trouble.message).",
          remedy: trouble.remedy, path: path)
      }
      throw PublicTree.missing(path)
    }
    return (tree, found)
  }

  /// The person that somebody's name for them stands for: a handle, an id or its beginning, or what
  /// their directory is called. In that the id alone counts: somebody's handle may look like it.
  func author(_ text: String) throws -> UserID {
    if let id = UserID(hexadecimal: text) { return id }
    guard let digits = Self.digits(in: text) else { return try persons.known(text).id }
    let found = try container.acquaintances.seePeople().everybody.filter {
      $0.id.description.hasPrefix(digits)
    }
    guard found.count == 1, let person = found.first else {
      throw ControlError(
        .participantMayNeedVerification, "Nobody's id alone begins with \(digits).",
        remedy: "`cairn public list` shows who publishes.")
    }
    return person.id
  }

  /// The digits of an id at the end of the name of a directory; nil if it can't be one.
  private static func digits(in name: String) -> String? {
    let parts = name.split(separator: "-")
    guard parts.count > 1, let last = parts.last, last.utf8.count == PublicTree.idDigits,
      last.utf8.allSatisfy({ "0123456789abcdef".utf8.contains($0) })
    else { return nil }
    return String(last)
  }

  /// A zone as the container has it now, or as it was known last while that is away.
  func pull(_ zone: Zone) throws {
    do { try zone.pull() } catch let error as CloudError {
      guard error.isWorthRetrying, zone.trouble == nil, zone.header.sequence > 0 else {
        throw error
      }
    }
  }

  /// The zones as a tree.
  func tree(_ zones: [Zone]) -> PublicTree {
    var known: [UserID: Control.Person] = [:]
    return PublicTree(zones, me: container.account.user) { user in
      if let person = known[user] { return person }
      let person = persons.told(user)
      known[user] = person
      return person
    }
  }

  private func problem(_ error: CloudError, of zone: Zone) -> Control.Problem {
    let failure = Failures.control(error)
    let name = tree([zone]).directories.first?.name
    return Control.Problem(
      path: Control.Path(name?.bytes ?? []), code: failure.code, message: failure.message,
      remedy: failure.remedy)
  }
}
