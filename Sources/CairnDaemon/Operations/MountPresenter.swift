import CairnContainer
import CairnControl
import CairnFolders
import CairnIdentity
import CairnReplica
import CairnStore
import CairnZone
import Glibc
import Synchronization

/// Mounts for answers.
struct MountPresenter {
  let one: OpenContainer
  let mounts: Mounts

  /// Returns the state of a mount without waiting for its work.
  func describe(_ mount: Mount) throws -> Control.MountStatus {
    let isPaused = one.traffic.pause(of: mount.zone.id.description) != nil
    let standing = mount.atWork(isPaused: isPaused)
    let snapshot = standing.snapshot
    let watching = snapshot.watching
    let header = mount.zone.header
    let summary = try mount.summary()
    let me = one.container.account.user
    let title = header.share?.title ?? header.genesis?.name ?? ""
    var problems = Self.problems(snapshot.problems, snapshot.failure, of: mount)
    if let held = snapshot.held { problems.append(HeldText.problem(held, of: mount)) }
    if let strays = try strays(besides: mount) { problems.append(strays) }
    return Control.MountStatus(
      id: mount.id, path: Control.Path(mount.path),
      zone: mount.zone.id.description, title: title,
      scope: Control.Scope(mount.zone.scope),
      role: Control.Role(of: me, header), permission: Control.Permission(of: me, header, one),
      phase: standing.phase,
      files: summary.files, directories: summary.directories, bytes: summary.bytes,
      sequence: header.sequence, work: standing.work, ignored: Self.ignored(snapshot, of: mount),
      watching: Control.Watching(
        directories: watching.directories, unwatched: watching.unwatched, note: watching.note,
        scanSeconds: watching.isWhole ? nil : watching.scanEvery.map { Double($0) / 1e9 },
        fileSystem: snapshot.disk.fileSystem.flatMap { traits in
          traits.notes.isEmpty ? nil : traits.notes.map { Failures.sentence($0) }
        }),
      problems: problems,
      rescued: snapshot.rescued.map { mount.told($0) },
      conflicts: snapshot.conflicts.map { mount.absolute($0) }.filter(\.exists),
      held: snapshot.held.map { HeldText.control($0) },
      state: snapshot.phase == .offline ? .offline : snapshot.state,
      offeredTo: try offered(header),
      succession: try header.share?.succession.map { try Control.Succession($0, recalled) })
  }

  /// Returns the person with the owner's offer of the ownership; nil for everybody but these two.
  private func offered(_ header: ZoneHeader) throws -> Control.Person? {
    let me = one.container.account.user
    guard let user = header.share?.offered, user == me || header.owner == me else { return nil }
    return try recalled(user)
  }

  /// Returns a person as this device read them. It never waits for the container.
  private func recalled(_ user: UserID) throws -> Control.Person {
    let person = try one.container.people.recall(user)
    return Control.Person(user: user.description, handle: person?.handle, name: person?.name)
  }

  /// Returns the problems that keep changes of a mount waiting.
  static func hindrances(of mount: Mount) -> [Control.Problem] {
    let snapshot = mount.snapshot.withLock { $0 }
    return problems(snapshot.absent.hindrances, snapshot.failure, of: mount)
  }

  private static func problems(
    _ problems: [PathProblem], _ failure: ControlError?, of mount: Mount
  ) -> [Control.Problem] {
    problems.map { problem in
      Control.Problem(
        path: problem.path.isEmpty ? nil : mount.absolute(problem.path),
        code: problem.code.map(Failures.code) ?? .invalidArguments,
        message: Failures.sentence(problem.message), remedy: Failures.sentence(problem.remedy))
    }
      + (failure.map { failure in
        [
          Control.Problem(
            path: Control.Path(mount.path), code: failure.code, message: failure.message,
            remedy: failure.remedy)
        ]
      } ?? [])
  }

  /// Returns the number of ignored names of a mount, the rules that leave out most, and what isn't
  /// selected.
  private static func ignored(_ snapshot: MountSnapshot, of mount: Mount) -> Control.Ignored {
    Control.Ignored(
      names: snapshot.absent.ignored.reduce(0) { $0 + $1.count },
      rules: snapshot.absent.ignored.prefix(10).map { rule in
        Control.IgnoredBy(
          pattern: Control.Path(rule.pattern), file: rule.file.map { mount.absolute($0) },
          names: rule.count)
      }, leftOut: snapshot.absent.leftOut.map { Control.LeftOut($0) })
  }

  /// Returns the problem that others put entries beside the folders of a share which this device
  /// mirrors folder by folder: they are in none of these, and nothing else would report them.
  /// Reported once, with the first folder.
  private func strays(besides mount: Mount) throws -> Control.Problem? {
    let all = mounts.of(mount.zone.id)
    guard mount.zone.scope == .private, !mount.part.isWhole, all.first === mount else { return nil }
    let parts = Set(all.map(\.part.base))
    let names = try mount.zone.read { view in
      try view.children(of: .root).filter { !parts.contains($0) }.compactMap { id in
        try view.record(id).flatMap { Self.isShown($0) ? $0.place?.name : nil }
      }
    }
    guard !names.isEmpty else { return nil }
    let few = names.sorted().prefix(3).map { Control.Path($0.bytes).description }
    let list = few.joined(separator: ", ") + (names.count > 3 ? ", …" : "")
    let title = Control.Path(one.title(of: mount.zone))
    return Control.Problem(
      path: nil, code: .unknownItem,
      message: "\(names.count == 1 ? "Something" : "\(names.count) things") beside the folders and "
        + "files of the share \(title) \(names.count == 1 ? "is" : "are") in no folder of "
        + "this device: \(list).",
      remedy: "Have a folder for that: `cairn add DIR --zone "
        + "\(mount.zone.id.digits)`.")
  }

  /// Returns whether a record would be visible in a folder.
  private static func isShown(_ record: Record) -> Bool {
    switch record.type {
    case .file, .directory, .symlink: true
    default: false
    }
  }
}
