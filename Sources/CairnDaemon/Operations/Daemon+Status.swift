import CairnCloud
import CairnControl
import CairnFolders
import CairnStore
import CairnThreads
import CairnZone
import Glibc
import Synchronization

extension Daemon {
  func status(_ request: Control.Status) throws -> Control.StatusReply {
    let wanted: [Mount]
    if let path = request.path {
      wanted = [try requiredMount(at: path).mount]
    } else {
      wanted = allMounts
    }
    return Control.StatusReply(
      daemon: Control.DaemonStatus(
        pid: getpid(), version: Control.version, startedAt: startedAt),
      account: account,
      container: Control.ContainerStatus(
        id: container.id.description, path: Control.Path(configuration.location.text),
        fileSystem: configuration.fileSystem, reachable: isReachable, state: containerState),
      mounts: try wanted.map { try describe($0) }, problems: accountProblems,
      rescued: try HomeRescue(home: home).list())
  }

  private var accountProblems: [Control.Problem] {
    let problems = accountState.withLock { state in
      state.problems.merging(state.peopleProblems) { first, _ in first }
    }
    return problems.sorted { $0.key < $1.key }.map(\.value)
  }

  private var isReachable: Bool {
    do { return try Container.root(of: configuration.location.open(isReadOnly: true)) != nil } catch
    {
      return false
    }
  }

  /// How a mount stands, without waiting for its work.
  func describe(_ mount: Mount) throws -> Control.MountStatus {
    let snapshot = mount.snapshot.withLock { $0 }
    let watching = mount.watching.withLock { $0 }
    let header = mount.zone.header
    let summary = try mount.zone.read { try $0.summary() }
    let me = container.account.user
    let title = header.share?.title ?? header.genesis?.name ?? ""
    var problems = snapshot.problems.map { problem in
      Control.Problem(
        path: problem.path.isEmpty ? nil : absolute(mount, problem.path),
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
      scope: Self.scope(mount.zone.scope),
      role: role(of: me, header), permission: permission(of: me, header), phase: snapshot.phase,
      files: summary.files, directories: summary.directories, bytes: summary.bytes,
      sequence: header.sequence, pendingLocal: snapshot.progress.pendingLocal,
      pendingRemote: snapshot.progress.pendingRemote,
      watching: Control.Watching(
        directories: watching.directories, unwatched: watching.unwatched, note: watching.note),
      problems: problems,
      rescued: snapshot.rescued.map { describe($0, mount) },
      conflicts: snapshot.conflicts.map { absolute(mount, $0) }.filter { exists($0) },
      held: snapshot.held.map { HeldText.control($0) },
      state: snapshot.phase == .offline ? .offline : snapshot.state)
  }

  private func exists(_ path: Control.Path) -> Bool {
    var status = stat()
    return path.bytes.withPath { lstat($0, &status) } == 0
  }

  func absolute(_ mount: Mount, _ relative: [UInt8]) -> Control.Path {
    Control.Path(relative.isEmpty ? mount.path : mount.folder + [UInt8(ascii: "/")] + relative)
  }

  func role(of user: UserID, _ header: ZoneHeader) -> Control.Role {
    guard header.kind == .owned else { return .publicUser }
    guard header.owner != user else { return .owner }
    switch header.share?.participants[user]?.role {
    case .administrator: return .administrator
    case .publicUser: return .publicUser
    default: return .privateUser
    }
  }

  func permission(of user: UserID, _ header: ZoneHeader) -> Control.Permission {
    guard header.kind == .owned else { return container.isAnonymous ? .readOnly : .readWrite }
    guard header.owner != user else { return .readWrite }
    return Self.permission(header.share?.participants[user]?.permission ?? .none)
  }

  static func permission(_ permission: Permission) -> Control.Permission {
    switch permission {
    case .none: .none
    case .readOnly: .readOnly
    case .readWrite: .readWrite
    }
  }

  /// What isn't mirrored at all is no failure of ours; `add --dry-run` calls it the same.
  private static func code(of problem: Problem) -> Control.ErrorCode {
    if problem.code == "notice" { return .invalidArguments }
    return Control.ErrorCode(rawValue: problem.code) ?? .internalError
  }

  // MARK: Waiting

  func wait(_ request: Control.Wait, _ stream: ResponseStream) throws -> Control.WaitReply {
    let wanted: [Mount]
    if let path = request.path {
      wanted = [try requiredMount(at: path).mount]
    } else {
      wanted = allMounts
    }
    // A year is as good as for ever, and any number is a valid request.
    let deadline = request.timeoutSeconds.map {
      SystemClock().now + Int64(min(max(0, $0), 3e7) * 1e9)
    }
    try settle(wanted, until: deadline, stream)
    for mount in wanted {
      guard let held = mount.snapshot.withLock({ $0.held }) else { continue }
      let problem = HeldText.problem(held, of: mount)
      throw ControlError(
        problem.code, problem.message + " All else is in step.", remedy: problem.remedy,
        path: problem.path)
    }
    return Control.WaitReply(mounts: try wanted.map { try describe($0) })
  }

  /// Waits until nothing is pending in either direction for these mounts.
  func settle(_ wanted: [Mount], until deadline: Int64?, _ stream: ResponseStream) throws {
    let gone = Waiter<Void>()
    let settled = wanted.map { _ in Waiter<Void>() }
    stream.onDisconnect {
      gone.complete(())
      for waiter in settled { waiter.complete(()) }
    }
    afterHints {
      for (mount, waiter) in zip(wanted, settled) { mount.mailbox.post(.settle(waiter)) }
    }
    for (mount, waiter) in zip(wanted, settled) {
      while true {
        let slice = SystemClock().now + 500_000_000
        if waiter.wait(until: deadline.map { min($0, slice) } ?? slice) != nil { break }
        tell(stream, about: mount)
        if let deadline, SystemClock().now >= deadline { throw try timedOut(wanted) }
      }
    }
    if gone.wait(until: 0) != nil {
      throw ControlError(.operationCancelled, "Nobody waits any more.", remedy: "Nothing to do.")
    }
  }

  private func tell(_ stream: ResponseStream, about mount: Mount) {
    let snapshot = mount.snapshot.withLock { $0 }
    let progress = snapshot.progress
    if progress.pending == 0, snapshot.phase == .scanning {
      stream.progress(
        Control.Progress(
          done: Int64(progress.looked), total: nil, unit: "names",
          what: "looking at \(Control.Path(mount.path))"))
      return
    }
    let done = progress.sent + progress.arrived
    stream.progress(
      Control.Progress(
        done: Int64(done), total: Int64(done + progress.pending), unit: "changes",
        what: "\(snapshot.phase.rawValue) \(Control.Path(mount.path))"))
  }

  private func timedOut(_ mounts: [Mount]) throws -> ControlError {
    var lines: [String] = []
    for mount in mounts {
      let answer = Waiter<[(path: [UInt8], reason: String)]>()
      mount.mailbox.post(
        .run { engine in
          do { answer.complete(try engine.pending(limit: 10)) } catch { answer.complete([]) }
        })
      let pending = answer.wait(until: SystemClock().now + 2_000_000_000) ?? []
      lines += pending.map { "\(absolute(mount, $0.path)): \($0.reason)" }
      let snapshot = mount.snapshot.withLock { $0 }
      if pending.isEmpty { lines.append("\(Control.Path(mount.path)): \(Self.work(snapshot))") }
    }
    return ControlError(
      .timedOut, "Still pending: \(lines.prefix(10).joined(separator: "; ")).",
      remedy: "See `cairn status`, or wait longer.")
  }

  /// What a mount is at, for whoever waits for it: its own list isn't to be had in the middle of a
  /// long turn.
  private static func work(_ snapshot: Mount.Snapshot) -> String {
    let progress = snapshot.progress
    let done = progress.sent + progress.arrived
    let what: String
    switch snapshot.phase {
    case .starting: what = "it opens its zone and reads the log"
    case .scanning: what = "the folder is being looked through, \(progress.looked) names so far"
    case .sending, .receiving:
      what =
        "\(snapshot.phase.rawValue), \(done) changes done"
        + (progress.pending > 0 ? ", \(progress.pending) to go" : "")
    case .idle: what = "it was about to be finished"
    default: what = snapshot.phase.rawValue
    }
    return what + (snapshot.note.map { ", \($0)" } ?? "")
  }
}
