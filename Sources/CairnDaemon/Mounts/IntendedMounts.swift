import CairnContainer
import CairnControl
import CairnFolders
import CairnIdentity
import CairnReplica
import CairnZone
import Glibc
import Logging

/// Folders and files that a command mirrors in a zone. The intent is noted in the home before the
/// first step, and each step can be repeated, so that the daemon completes an interrupted command.
struct IntendedMounts {
  let mirrors: Mirrors

  private var container: Container { mirrors.one.container }
  private var mounts: Mounts { mirrors.mounts }

  // MARK: Commands

  /// Mirrors the folders and files of an intent.
  /// - Parameter intent: The intent of a new command.
  /// - Returns: The zone.
  /// - Throws: The reason; then everything is as before, or is undone as soon as possible. If a
  ///   part has a mount already, the daemon completes the rest.
  func carryOut(_ intent: MountIntent) throws -> Zone {
    try mirrors.changing {
      try container.note(intent)
      return try begin(intent) {
        do { return try complete(intent) } catch {
          if try !isBegun(intent) { mirrors.clean { try withdraw(intent) } }
          mirrors.checkAccount()
          throw error
        }
      }
    }
  }

  /// Completes or undoes interrupted commands. A command calls this before it looks at the folders.
  /// - Throws: The error of the first one that has to wait; the next call continues.
  func finish() throws {
    var failure: (any Error)?
    for intent in try container.intents() {
      do {
        try mirrors.changing {
          // Its command may have ended meanwhile.
          guard try container.intents().contains(intent) else { return }
          try begin(intent) { try finish(intent) }
        }
      } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }

  /// Lets no other mount show the parts of an intent, or their folders, until the intent is
  /// complete or undone.
  private func begin<Result>(
    _ intent: MountIntent, _ body: () throws -> Result
  ) rethrows -> Result {
    try mounts.intending(intent.parts, while: { isNoted(intent) }, body)
  }

  /// Returns whether the intent is neither complete nor undone. Unreadable notes may have it.
  private func isNoted(_ intent: MountIntent) -> Bool {
    do { return try container.intents().contains { $0.isAbout(intent) } } catch {
      mirrors.log.warning("the notes of interrupted commands can't be read: \(error)")
      return true
    }
  }

  private func finish(_ intent: MountIntent) throws {
    guard !intent.isWithdrawn else { return try withdraw(intent) }
    do { _ = try complete(intent) } catch {
      guard try Self.isFinal(error) && !isBegun(intent) else { throw error }
      mirrors.log.warning("an interrupted command can't be completed, and is undone: \(error)")
      tell(
        .problem, intent, "an interrupted command is undone: \(Failures.control(error).message)")
      try withdraw(intent)
    }
  }

  /// Returns whether a later attempt fails, too.
  static func isFinal(_ error: any Error) -> Bool {
    switch error {
    case let error as CloudError: !error.isWorthRetrying
    case let error as FolderError: ![.full, .tooMany, .busy, .failed].contains(error.code)
    case let error as ControlError:
      ![.limitExceeded, .interrupted, .networkUnavailable].contains(error.code)
    default: false
    }
  }

  /// Gives the folders of withdrawn commands their earlier marks.
  /// - Throws: `CloudError` if the notes can't be read.
  func restoreMarks() throws {
    for intent in try container.intents() where intent.isWithdrawn {
      for item in try missing(intent.items) { mirrors.clean { try takeBack(item) } }
    }
  }

  /// Returns the folders and files that must not be mirrored as before an interrupted command.
  /// - Throws: `CloudError` if the notes can't be read.
  func parts() throws -> (old: Set<ZonePart>, new: Set<ZonePart>) {
    var parts: (old: Set<ZonePart>, new: Set<ZonePart>) = ([], [])
    for intent in try container.intents() {
      let rest = try missing(intent.items)
      parts.new.formUnion(rest.map(\.part))
      guard !intent.isWithdrawn else { continue }
      parts.old.formUnion(try rest.compactMap { try earlier($0)?.part })
    }
    return parts
  }

  // MARK: Steps

  /// Returns whether a part has a mount, or a share was left. From then on, a command that fails is
  /// completed later.
  private func isBegun(_ intent: MountIntent) throws -> Bool {
    try missing(intent.items).count < intent.items.count || intent.items.contains(where: isLeft)
  }

  /// Returns whether this person has left the share that a folder mirrored.
  private func isLeft(_ item: MountIntent.Item) throws -> Bool {
    guard let source = item.source else { return false }
    guard let zone = try container.zone(source) else { return true }
    return zone.scope == .shared
      && zone.header.share?.participants[container.account.user] == nil
  }

  /// Returns the items without a mount.
  private func missing(_ items: [MountIntent.Item]) throws -> [MountIntent.Item] {
    let known = Set(try container.mounts().map(\.part))
    return items.filter { !known.contains($0.part) }
  }

  private func complete(_ intent: MountIntent) throws -> Zone {
    let zone = try zone(of: intent)
    let rest = try missing(intent.items)
    for item in rest { try claim(item, isNew: intent.new != nil) }
    try makeDirectories(rest.filter { !$0.isFile && !$0.part.isWhole }, in: zone)
    for item in rest {
      guard let source = try source(of: item) else { continue }
      guard source.scope == .private else {
        try container.participation.leave(source)
        continue
      }
      try source.pull()
      try container.merging.copy(source, into: item.part.base, of: zone)
    }
    for item in intent.items { try mirror(item, of: zone) }
    if let title = intent.title, zone.header.share == nil {
      _ = try container.sharing.share(zone, title: title)
      mounts.ended.drop(zone.id)
      tell(.shareSaved, intent, "shared as “\(title)”")
    } else if let share = zone.header.share, rest.contains(where: { !$0.part.isWhole }) {
      tell(.shareSaved, intent, "added to “\(share.title)”")
    }
    try container.drop(intent)
    return zone
  }

  private func tell(_ kind: Control.EventKind, _ intent: MountIntent, _ text: String) {
    let item = intent.items.first
    mirrors.events.add(
      kind, mount: item.flatMap { mounts[$0.part]?.id }, path: item?.path, text: text)
  }

  private func zone(of intent: MountIntent) throws -> Zone {
    if let new = intent.new { return try container.create(new) }
    guard let zone = try container.zone(intent.zone) else {
      throw CloudError(
        .zoneNotFound, "your account doesn't have the folder's zone any more",
        remedy: "look at `cairn status`")
    }
    try zone.pull()
    guard !zone.header.isPurged else {
      throw CloudError(
        .zoneNotFound, "the share was deleted", remedy: "look at `cairn status`")
    }
    return zone
  }

  private func source(of item: MountIntent.Item) throws -> Zone? {
    try item.source.flatMap { try container.zone($0) }
  }

  /// Returns the earlier mount of a folder; nil if it had none, or has the new one.
  private func earlier(_ item: MountIntent.Item) throws -> MountEntry? {
    try container.mounts().first { $0.zone == item.source && $0.path == item.path }
  }

  /// Ends the earlier mount of a folder, and puts the mark of the part on it.
  private func claim(_ item: MountIntent.Item, isNew: Bool) throws {
    if let part = try earlier(item)?.part {
      if let mount = mounts[part] { mounts.end(mount, forget: true) }
      let mark = try MountMark.mark(on: item.path)
      if mark == nil || mark == part {
        try MountMark.abandon(item.path, part, false, mirrors.one.index)
      }
    }
    let path = Control.Path(item.path)
    if item.part.isWhole, !isNew, try !Places.makeInside(path, for: item.part, mounts) {
      try Places.makeFolder(path)
    }
    guard !item.isFile || path.isFile else {
      throw FolderError(.notFound, item.path, "\(path) is gone")
    }
    try MountMark.claim(Self.folder(of: item), for: item.part, isFile: item.isFile)
  }

  private static func folder(of item: MountIntent.Item) -> [UInt8] {
    item.isFile ? WatchRoots.parent(of: item.path) : item.path
  }

  private func makeDirectories(_ items: [MountIntent.Item], in zone: Zone) throws {
    for attempt in 1... {
      let changes = try zone.read { view in
        var taken: Set<FileName> = []
        return try items.compactMap { item -> RecordChange? in
          guard try view.record(item.part.base) == nil else { return nil }
          let name = try Self.freeName(for: Control.Path(item.path)) { name in
            try taken.contains(name) || view.child(of: .root, named: name) != nil
          }
          taken.insert(name)
          return RecordChange(
            id: item.part.base, act: .create(.directory), place: Place(parent: .root, name: name))
        }
      }
      guard !changes.isEmpty else { return }
      do {
        try zone.save(changes)
        return
      } catch let error as CloudError {
        // Another person took the name meanwhile.
        guard error.code == .constraintViolation, attempt < 100 else { throw error }
      }
    }
  }

  /// Returns the last name of a path, numbered if it is taken.
  private static func freeName(
    for path: Control.Path, isTaken: (FileName) throws -> Bool
  ) throws -> FileName {
    if let name = try FileName(path.lastName)?.free(isTaken) { return name }
    throw ControlError(
      .constraintViolation, "No name is free in the share for \(path).",
      remedy: "Rename the folder.", path: path)
  }

  /// Notes the mount of an item, and starts it.
  private func mirror(_ item: MountIntent.Item, of zone: Zone) throws {
    let entry = container.mountEntry(item.part, path: item.path, isFile: item.isFile)
    if try !missing([item]).isEmpty {
      let source = try source(of: item)
      if let source, source.scope == .private {
        try container.formers.replace(source, by: entry, of: zone)
      } else {
        if let source { try container.participation.forgetEverything(of: source) }
        if let id = item.source { try container.removeMount(id) }
        try container.addMount(entry.part, path: entry.path, isFile: entry.isFile)
      }
    }
    guard mounts[item.part] == nil else { return }
    let mount = try mirrors.start(zone, entry)
    mirrors.events.add(
      .mountAdded, mount: mount.id, path: item.path, text: "mirrored from now on")
  }

  // MARK: Undoing

  /// Undoes the steps of a command, except those of parts that have a mount.
  /// - Throws: The first error. The intent stays noted, and the next call continues.
  private func withdraw(_ intent: MountIntent) throws {
    var intent = intent
    intent.isWithdrawn = true
    try container.note(intent)
    let rest = try missing(intent.items)
    var failure: (any Error)?
    for item in rest {
      do { try takeBack(item) } catch {
        mirrors.log.warning("\(Control.Path(item.path)) has no earlier mark yet: \(error)")
        if !Self.isLost(item, error) { failure = failure ?? error }
      }
      guard let entry = try earlier(item), mounts[entry.part] == nil,
        let zone = try container.zone(of: entry)
      else { continue }
      try mirrors.start(zone, entry)
    }
    // Without its note, the mark of a deleted zone would stay on the folder.
    if let failure { throw failure }
    if let new = intent.new, rest.count == intent.items.count {
      try container.drop(new)
    } else if let zone = try container.zone(intent.zone) {
      for item in rest where !item.part.isWhole && !item.wasMarked { try delete(item, from: zone) }
    }
    try container.drop(intent)
  }

  /// Returns whether a folder will not need its earlier mark: it was deleted, or mirrors something
  /// else. A folder whose parent is missing may be on a disk that isn't mounted.
  static func isLost(_ item: MountIntent.Item, _ error: any Error) -> Bool {
    switch (error as? FolderError)?.code {
    case .exists: true
    case .notFound: Control.Path(WatchRoots.parent(of: folder(of: item))).exists
    default: false
    }
  }

  /// Gives a folder its earlier mark, or none, or removes it if the command made it.
  /// - Throws: `FolderError` with `.notFound` if the folder is missing.
  private func takeBack(_ item: MountIntent.Item) throws {
    let folder = Self.folder(of: item)
    if !item.wasMarked {
      let mark = try MountMark.mark(on: folder)
      // A folder that wasn't reached has its earlier mark.
      if item.isFile || mark == item.part {
        try MountMark.abandon(folder, item.part, item.isFile, mirrors.one.index)
      }
    }
    // Only if nobody has put anything into it since.
    if item.isMade { _ = item.path.withPath { rmdir($0) } }
    if let part = try earlier(item)?.part { try MountMark.claim(item.path, for: part) }
  }

  /// Deletes the records of an item that isn't mirrored after all.
  private func delete(_ item: MountIntent.Item, from zone: Zone) throws {
    do { try container.takingOut.delete(item.part.base, of: zone) } catch let error as CloudError {
      // If this person can't edit the share any more, others decide about it.
      guard !error.isWorthRetrying else { throw error }
    }
  }
}
