import CairnContainer
import CairnControl
import CairnFolders
import CairnIdentity
import CairnStore
import FoundationEssentials
import Glibc
import Synchronization

/// The operation that checks everything Cairn needs here.
struct DoctorOperations: Operations {
  let one: OpenContainer
  let mounts: Mounts
  let troubles: LogTroubles

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.Doctor.self) { _, _ in doctor() }
  }

  /// Checks everything that Cairn needs here. Each check is independent: a failed one hides no
  /// other.
  func doctor() -> Control.DoctorReply {
    Control.DoctorReply(checks: [
      check("daemon") { "cairnd \(Control.version) runs as process \(getpid())" },
      check("identity") { try checkIdentity() },
      check("container") { try checkContainer() },
      check("history") { try troubles.check() },
      check("inbox") { try checkInbox() },
      check("writing") { try checkWriting() },
      access,
      check("clock") { try checkClock() },
      check("watches") { try checkWatches() },
      check("descriptors") { try checkDescriptors() },
      check("room") { try checkRoom() },
      check("folders") { try checkFolders() },
      check("file systems") { try checkFileSystems() },
    ])
  }

  private func check(_ name: String, _ body: () throws -> String) -> Control.Check {
    do { return Control.Check(name: name, message: try body()) } catch {
      let failure = Failures.control(error)
      return Control.Check(
        name: name, code: failure.code, message: failure.message, remedy: failure.remedy)
    }
  }

  private func checkIdentity() throws -> String {
    let account = try Account.load(one.home.keys + "/" + AccountFile.name)
    guard account.user == one.container.account.user else {
      throw ControlError(
        .notAuthenticated, "The keys in \(one.home.keys) are not those that the daemon began with.",
        remedy: "Run `cairn stop`, put the right keys back, and start it again.")
    }
    return "the keys of \(one.me.handle) are here, and nobody else can read them"
  }

  private func checkContainer() throws -> String {
    "\(one.configuration.location) holds the container \(try one.checkedRoot().id)"
  }

  /// The check whether others can use the container; a person who works alone needs nobody.
  private var access: Control.Check {
    let notice = ContainerAccess.notice(of: one.configuration.location.folder)
    return Control.Check(
      name: "access",
      message: notice?.message ?? "others who may write to the container can take part",
      remedy: notice?.remedy ?? "")
  }

  private func checkInbox() throws -> String {
    let survey = try one.container.inbox.survey()
    guard !survey.isCut else {
      throw ControlError(
        InboxWatch.flood.code, InboxWatch.flood.message, remedy: InboxWatch.flood.remedy)
    }
    let others = survey.rubbish + survey.unknown
    return "\(survey.messages) messages are in the inbox"
      + (others > 0 ? ", and \(others) objects that hide none" : "")
  }

  private func checkWriting() throws -> String {
    let traits = try one.location().probe()
    guard traits.allowsManyWriters else {
      throw ControlError(
        .serverRejectedRequest,
        "The file system \(traits.fileSystem) of the container has no way to put a file only if "
          + "it isn't there.", remedy: "Put the container on another file system.")
    }
    guard traits.isDurable else {
      throw ControlError(
        .serverRejectedRequest, "The file system \(traits.fileSystem) makes nothing durable.",
        remedy: "Put the container on another file system.")
    }
    return "objects are put whole and durably"
      + (traits.notifies ? ", and readers are woken" : "; readers have to ask for them")
  }

  /// Compares the clock. No clock decides anything, but wrong times are shown to others.
  private func checkClock() throws -> String {
    guard let clock = try one.location().clock() else {
      return "the clock of the container can't be asked"
    }
    let difference = abs(clock - Int64(time(nil)))
    guard difference < 60 else {
      throw ControlError(
        .constraintViolation,
        "The clocks of this machine and of the container differ by \(difference) seconds.",
        remedy: "Set the clock; until then others see wrong times, and nothing worse happens.")
    }
    return "this clock and the container's agree"
  }

  private func checkWatches() throws -> String {
    let used = mounts.all.reduce(into: (watched: 0, unwatched: 0)) { sum, mount in
      let watching = mount.snapshot.withLock { $0.watching }
      sum.watched += watching.directories
      sum.unwatched += watching.unwatched
    }
    for mount in mounts.all {
      let snapshot = mount.snapshot.withLock { $0 }
      guard let text = Unwatched.sentence(snapshot, at: mount.path) else { continue }
      throw ControlError(
        .limitExceeded, text,
        remedy: "Raise the limit; Cairn comes with a file for sysctl.d. Nothing is lost meanwhile.",
        path: Control.Path(mount.path))
    }
    let limit = try Self.number(in: "/proc/sys/fs/inotify/max_user_watches")
    guard used.unwatched == 0, used.watched * 10 < limit * 9 else {
      throw ControlError(
        .limitExceeded,
        "\(used.watched) directories are watched, \(used.unwatched) can't be, and the system "
          + "allows \(limit).",
        remedy: "Raise fs.inotify.max_user_watches; Cairn comes with a file for sysctl.d.")
    }
    return "\(used.watched) of \(limit) directories that may be watched"
  }

  private func checkDescriptors() throws -> String {
    guard let count = Descriptors.count() else {
      return "the system doesn't say how many files may be open"
    }
    return try Descriptors.judge(open: count.open, limit: count.limit)
  }

  private static func number(in file: String) throws -> Int {
    let text = String(decoding: try Data(contentsOf: URL(filePath: file)), as: UTF8.self)
    return Int(text.filter(\.isNumber)) ?? 0
  }

  private func checkRoom() throws -> String {
    for mount in mounts.all {
      guard let shortage = mount.snapshot.withLock({ $0.disk.shortage }) else { continue }
      throw ControlError(
        .quotaExceeded, "\(Control.Path(mount.path)): \(Failures.sentence(shortage.message))",
        remedy: Failures.sentence(shortage.remedy), path: Control.Path(mount.path))
    }
    let needed = max(one.configuration.keepFree, 64 << 20)
    for path in [one.home.index, one.configuration.location.folder].compactMap({ $0 }) {
      var status = Glibc.statvfs()
      guard statvfs(path, &status) == 0 else { continue }
      let free = UInt64(status.f_bavail) * UInt64(status.f_frsize)
      guard free >= needed else {
        throw ControlError(
          .quotaExceeded, "Only \(free >> 20) MiB are free where \(path) is.",
          remedy: "Make room; \(needed >> 20) MiB are little enough.")
      }
    }
    return "there is room for the index and in the container"
  }

  /// Tries the file systems of the folders. What one of them doesn't keep is no failure.
  private func checkFileSystems() throws -> String {
    var notes: [String] = []
    for mount in mounts.all where mount.snapshot.withLock({ $0.phase }) != .detached {
      let traits = try mount.ask(within: 10) { try $0.probeFileSystem() }
      notes += traits.notes.map { "\(Control.Path(mount.path)): \($0)" }
    }
    return notes.isEmpty
      ? "the file systems of the folders keep everything" : notes.joined(separator: "; ")
  }

  private func checkFolders() throws -> String {
    for mount in mounts.all {
      let snapshot = mount.snapshot.withLock { $0 }
      if let held = snapshot.held {
        let problem = HeldText.problem(held, of: mount)
        throw ControlError(
          problem.code, problem.message, remedy: problem.remedy, path: problem.path)
      }
      guard snapshot.phase != .detached, snapshot.phase != .damaged else {
        throw ControlError(
          snapshot.phase == .detached ? .unknownItem : .assetNotAvailable,
          "\(Control.Path(mount.path)): \(snapshot.note ?? snapshot.phase.rawValue)",
          remedy: snapshot.phase == .detached
            ? "Put the folder back, or run `cairn remove`. Nothing is deleted."
            : snapshot.failure?.remedy ?? "Run `cairn verify`.", path: Control.Path(mount.path))
      }
    }
    return "all \(mounts.all.count) mirrored folders are where they were"
  }
}
