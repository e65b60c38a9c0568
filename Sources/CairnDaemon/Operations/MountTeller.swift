import CairnCloud
import CairnControl
import CairnFolders
import CairnZone
import Glibc
import Synchronization

/// Mounts, as answers show them.
struct MountTeller {
  let one: OpenContainer

  /// How a mount stands, without waiting for its work.
  func describe(_ mount: Mount) throws -> Control.MountStatus {
    let snapshot = mount.snapshot.withLock { $0 }
    let watching = snapshot.watching
    let header = mount.zone.header
    let summary = try mount.zone.read { try $0.summary() }
    let me = one.container.account.user
    let title = header.share?.title ?? header.genesis?.name ?? ""
    var problems = snapshot.problems.map { problem in
      Control.Problem(
        path: problem.path.isEmpty ? nil : mount.absolute(problem.path),
        code: Self.code(of: problem),
        message: Failures.sentence(problem.message), remedy: Failures.sentence(problem.remedy))
    }
    if let failure = snapshot.failure {
      problems.append(
        Control.Problem(
          path: Control.Path(mount.path), code: failure.code, message: failure.message,
          remedy: failure.remedy))
    }
    if let held = snapshot.held { problems.append(HeldText.problem(held, of: mount)) }
    return Control.MountStatus(
      id: mount.id, path: Control.Path(mount.path),
      zone: mount.zone.id.description, title: title,
      scope: Control.Scope(mount.zone.scope),
      role: Control.Role(of: me, header), permission: Control.Permission(of: me, header, one),
      phase: snapshot.phase,
      files: summary.files, directories: summary.directories, bytes: summary.bytes,
      sequence: header.sequence, pendingLocal: snapshot.progress.pendingLocal,
      pendingRemote: snapshot.progress.pendingRemote,
      watching: Control.Watching(
        directories: watching.directories, unwatched: watching.unwatched, note: watching.note),
      problems: problems,
      rescued: snapshot.rescued.map { mount.told($0) },
      conflicts: snapshot.conflicts.map { mount.absolute($0) }.filter(\.exists),
      held: snapshot.held.map { HeldText.control($0) },
      state: snapshot.phase == .offline ? .offline : snapshot.state)
  }

  /// What isn't mirrored at all is no failure of ours; `add --dry-run` calls it the same.
  private static func code(of problem: Problem) -> Control.ErrorCode {
    if problem.code == "notice" { return .invalidArguments }
    return Control.ErrorCode(rawValue: problem.code) ?? .internalError
  }
}
