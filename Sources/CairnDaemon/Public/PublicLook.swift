import CairnContainer
import CairnControl
import CairnIdentity
import CairnReplica
import CairnZone

/// Reads the public database: its zones to their ends, and the author of a path. A problem with one
/// author's zone doesn't affect the others.
struct PublicLook {
  let container: Container
  let persons: Persons

  /// Returns everything that is published, and the authors whose zones are unreadable, with the
  /// reasons.
  /// - Throws: `ControlError`; `CloudError` if the container is unreadable and nothing is known.
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

  /// Returns the author's directory of a path, read to its end, and the names in it; nil for the
  /// top.
  /// - Throws: `ControlError` if it begins with nobody who publishes.
  func directory(
    _ path: Control.Path
  ) throws -> (tree: PublicTree, directory: PublicTree.Directory, names: [FileName])? {
    let names = try PublicTree.names(path)
    guard let first = names.first else { return nil }
    let known = tree(try container.publicZones.all())
    let author: UserID
    do { author = try self.author(first.description) } catch let error as ControlError {
      // A name with an id in it means that id, or nobody. A name that is no person's handle or id
      // may be a file without its author.
      guard Self.digits(in: first.description) == nil else { throw PublicTree.missing(path) }
      let view = try container.acquaintances.seePeople()
      let isAmbiguous = view.everybody.contains {
        $0.handle == first.description || $0.id.begins(with: first.description)
      }
      throw isAmbiguous ? error : PublicTree.missing(path)
    }
    guard let directory = known.directories.first(where: { $0.author == author }) else {
      throw PublicTree.missing(path)
    }
    do { try pull(directory.zone) } catch let error as CloudError {
      guard directory.zone.header.genesis != nil else { throw error }
    }
    return (known, directory, Array(names.dropFirst()))
  }

  /// Returns the entry at a path.
  /// - Throws: `ControlError` with `.unknownItem` if there is none; or the problem of its author's
  ///   zone, if that may be the reason.
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

  /// Returns the person for a handle, an id or its beginning, or the name of their directory. In
  /// the last one only the id counts: another person's handle may look like it.
  func author(_ text: String) throws -> UserID {
    if let id = UserID(hexadecimal: text) { return id }
    let view = try persons.everybodyKnown()
    guard let digits = Self.digits(in: text) else { return try persons.known(text, in: view).id }
    let found = view.everybody.filter {
      $0.id.description.hasPrefix(digits)
    }
    guard found.count == 1, let person = found.first else {
      throw ControlError(
        .participantMayNeedVerification, "The digits \(digits) name no person, or several.",
        remedy: "`cairn public list` shows who publishes.")
    }
    return person.id
  }

  /// Returns the digits of an id at the end of a directory's name; nil if there are none.
  private static func digits(in name: String) -> String? {
    let parts = name.split(separator: "-")
    guard parts.count > 1, let last = parts.last, last.utf8.count == PublicTree.idDigits,
      last.utf8.allSatisfy({ "0123456789abcdef".utf8.contains($0) })
    else { return nil }
    return String(last)
  }

  /// Reads a zone from the container, or uses its last known state while that is unavailable.
  func pull(_ zone: Zone) throws {
    do { try zone.pull() } catch let error as CloudError {
      guard error.isWorthRetrying, zone.trouble == nil, zone.header.sequence > 0 else {
        throw error
      }
    }
  }

  /// Returns the zones as a tree.
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
