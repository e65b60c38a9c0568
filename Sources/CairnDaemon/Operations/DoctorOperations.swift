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
      check("daemon") { "cairnd \(Control.version) runs (process \(getpid()))" },
      check("configuration") { try checkConfiguration() },
      check("identity") { try checkIdentity() },
      check("container") { try checkContainer() },
      check("history") { try troubles.check() },
      check("inbox") { try checkInbox() },
      check("writing") { try checkWriting() },
      access,
      check("clock") { try checkClock() },
      check("watches") { try checkWatches() },
      check("descriptors") { try checkDescriptors() },
      speed,
      check("room") { try checkRoom() },
      check("folders") { try checkFolders() },
      fileSystems,
    ])
  }

  private func check(_ name: String, _ body: () throws -> String) -> Control.Check {
    do { return Control.Check(name: name, message: try body()) } catch {
      let failure = Failures.control(error)
      return Control.Check(
        name: name, code: failure.code, message: failure.message, remedy: failure.remedy)
    }
  }

  /// The note whether a speed limit applies now: then transfers are slow on purpose.
  private var speed: Control.Check {
    let limits = one.traffic.limits
    guard one.traffic.isLimited else {
      let isNone = limits.upload == nil && limits.download == nil
      return Control.Check(
        name: "speed", message: isNone ? "no speed limit is set" : "no speed limit applies now")
    }
    let both = [("uploads", limits.upload), ("downloads", limits.download)]
    let parts = both.compactMap { what, limit in limit.map { "\(what) to \($0) bytes/s" } }
    return Control.Check(
      name: "speed", message: "cairn.conf limits " + parts.joined(separator: ", ") + " now",
      remedy: "To transfer faster, change [network] in cairn.conf, then run `cairn stop` and "
        + "`cairn start`.")
  }

  /// Checks that every line of cairn.conf has an effect.
  private func checkConfiguration() throws -> String {
    if let problem = try Configuration.problem(in: one.home) {
      throw ControlError(
        problem.code, problem.message, remedy: problem.remedy, path: problem.path)
    }
    return "every line of \(Control.Path(one.home.configuration)) has an effect"
  }

  private func checkIdentity() throws -> String {
    let account = try Account.load(one.home.keys + "/" + AccountFile.name)
    guard account.user == one.container.account.user else {
      throw ControlError(
        .notAuthenticated, "The keys in \(one.home.keys) were replaced while the daemon runs.",
        remedy: "Run `cairn stop`, put the right keys back, and start it again.")
    }
    return "the keys of \(one.me.handle) are complete, and only you can read them"
  }

  private func checkContainer() throws -> String {
    "the container \(try one.checkedRoot().id) is at \(one.configuration.location)"
  }

  /// The note whether others can use the container; a person who works alone needs nobody.
  private var access: Control.Check {
    let notice = ContainerAccess.notice(of: one.configuration.location.folder)
    return Control.Check(
      name: "access",
      message: notice?.message ?? "others can write to the container",
      remedy: notice?.remedy ?? "")
  }

  private func checkInbox() throws -> String {
    let survey = try one.container.inbox.survey()
    guard !survey.isCut else {
      throw ControlError(
        InboxWatch.flood.code, InboxWatch.flood.message, remedy: InboxWatch.flood.remedy)
    }
    let others = survey.rubbish + survey.unknown
    let messages =
      switch survey.messages {
      case 0: "no message waits"
      case 1: "1 message waits"
      default: "\(survey.messages) messages wait"
      }
    return messages + (others > 0 ? "; \(others) other objects are ignored" : "")
  }

  private func checkWriting() throws -> String {
    if let folder = try one.container.upkeep.blockedFolders().first {
      throw ControlError(
        .permissionFailure, folder.sentence, remedy: "Run `cairn repair`: it takes that away.")
    }
    let traits = try one.location().probe()
    guard traits.allowsManyWriters else {
      throw ControlError(
        .serverRejectedRequest,
        "The container's file system, \(traits.fileSystem), can't create a file exclusively, so "
          + "several people can't write safely.",
        remedy: "Move the container to another file system: `cairn container move`.")
    }
    guard traits.isDurable else {
      throw ControlError(
        .serverRejectedRequest,
        "The container's file system, \(traits.fileSystem), doesn't make files durable.",
        remedy: "Move the container to another file system: `cairn container move`.")
    }
    return "writes are atomic and durable, and readers "
      + (traits.notifies ? "are notified at once" : "check for changes regularly")
  }

  /// Compares the clock. No clock decides anything, but wrong times are shown to others.
  private func checkClock() throws -> String {
    guard let clock = try one.location().clock() else {
      return "the container has no clock to compare with"
    }
    let difference = abs(clock - Int64(time(nil)))
    guard difference < 60 else {
      throw ControlError(
        .constraintViolation,
        "The clocks of this machine and of the container differ by \(difference) seconds.",
        remedy: "Set the clock. Until then others see wrong times; nothing else depends on it.")
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
    let noun = used.watched == 1 ? "directory is" : "directories are"
    return "\(used.watched) \(noun) watched; the limit is \(limit)"
  }

  private func checkDescriptors() throws -> String {
    guard let count = Descriptors.count() else {
      return "the system has no limit of open files"
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
          remedy: "Make room: Cairn needs \(needed >> 20) MiB.")
      }
    }
    return "the disks of the index and of the container have room"
  }

  /// Tests the file systems of the folders. A missing ability is a note, not a failure.
  private var fileSystems: Control.Check {
    var notes: [String] = []
    let found = check("file systems") {
      for mount in mounts.all where mount.snapshot.withLock({ $0.phase }) != .detached {
        let traits = try mount.ask(within: 10) { try $0.probeFileSystem() }
        notes += traits.notes.map { "\(Control.Path(mount.path)): \($0)" }
      }
      return notes.isEmpty
        ? "the file systems of the folders keep everything" : notes.joined(separator: "; ")
    }
    guard found.code == nil, !notes.isEmpty else { return found }
    return Control.Check(
      name: found.name, message: found.message,
      remedy: "If you need that, move the folder to another file system with `cairn move`.")
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
    return mounts.all.isEmpty ? "no folder is mirrored" : "all folders are in place"
  }
}

extension Upkeep.BlockedFolder {
  /// The problem as a sentence.
  var sentence: String {
    "Nothing can be stored in \(path), a folder of yours in the container: its place is taken by "
      + "\(obstacle)."
  }
}
