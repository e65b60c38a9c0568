import CairnCloud
import CairnControl
import CairnFolders
import CairnStore
import CairnThreads
import CairnZone
import Glibc
import Synchronization

/// The operations that tell how everything stands, and wait for it.
struct StatusOperations: Operations {
  let one: OpenContainer
  let mounts: Mounts
  let teller: MountTeller
  let settling: Settling
  let problems: AccountProblems
  let troubles: LogTroubles
  let startedAt: Control.Time

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.Status.self) { request, _ in try status(request) }
    routes.answer(Control.Wait.self) { try wait($0, $1) }
    routes.answer(Control.WhoAmI.self) { _, _ in Control.WhoAmIReply(account: account) }
  }

  func status(_ request: Control.Status) throws -> Control.StatusReply {
    let wanted = try mounts.wanted(request.path)
    // What is said of the logs must be as old as the state that stands beside it.
    troubles.tell()
    return Control.StatusReply(
      daemon: Control.DaemonStatus(
        pid: getpid(), version: Control.version, startedAt: startedAt),
      account: account,
      container: Control.ContainerStatus(
        id: one.container.id.description, path: Control.Path(one.configuration.location.text),
        fileSystem: one.configuration.fileSystem, reachable: isReachable, state: troubles.state),
      mounts: try wanted.map { try teller.describe($0) }, problems: problems.all,
      rescued: try HomeRescue(home: one.home).list())
  }

  private var isReachable: Bool {
    do {
      return try Container.root(of: one.configuration.location.open(isReadOnly: true)) != nil
    } catch {
      return false
    }
  }

  /// This person, as the container knows them.
  private var account: Control.AccountStatus {
    Control.AccountStatus(
      user: one.container.account.user.description, handle: one.me.handle, name: one.me.name,
      device: one.container.account.device.id.description,
      deviceName: one.configuration.deviceName)
  }

  func wait(_ request: Control.Wait, _ stream: ResponseStream) throws -> Control.WaitReply {
    let wanted = try mounts.wanted(request.path)
    // A year is as good as for ever, and any number is a valid request.
    let deadline = request.timeoutSeconds.map {
      Monotonic.now + Int64(min(max(0, $0), 3e7) * 1e9)
    }
    try settling.settle(wanted, until: deadline, stream)
    for mount in wanted {
      guard let held = mount.snapshot.withLock({ $0.held }) else { continue }
      let problem = HeldText.problem(held, of: mount)
      throw ControlError(
        problem.code, problem.message + " All else is in step.", remedy: problem.remedy,
        path: problem.path)
    }
    return Control.WaitReply(mounts: try wanted.map { try teller.describe($0) })
  }
}
