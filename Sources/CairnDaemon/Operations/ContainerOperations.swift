import CairnCloud
import CairnControl
import CairnStore
import CairnZone
import Synchronization

/// The operations about the container as a whole: its copy, and what its store has to allow.
struct ContainerOperations: Operations {
  let one: OpenContainer
  let mounts: Mounts
  let persons: Persons

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.ContainerCopy.self) { try copy($0, $1) }
    routes.answer(Control.ContainerPolicy.self) { request, _ in try policy(request) }
  }

  // MARK: Copies

  /// Copies until it is done, or nobody reads the answer any more: it goes on where it was.
  private func copy(
    _ request: Control.ContainerCopy, _ stream: ResponseStream
  ) throws -> Control.ContainerCopyReply {
    let location = try target(request)
    let isGone = Atomic(false)
    stream.onDisconnect { isGone.store(true, ordering: .relaxed) }
    let report: CopyReport
    do {
      report = try one.container.copy(
        to: try open(location), isChecked: request.isChecked,
        isCancelled: { isGone.load(ordering: .relaxed) }
      ) { done, total in
        stream.progress(
          Control.Progress(done: done, total: total, unit: "bytes", what: "copying the container"))
      }
    } catch let error as StoreError { throw Self.failure(error) }
    guard !report.isCut else {
      throw ControlError(
        .operationCancelled, "The copy at \(location) was given up.",
        remedy: "Run it again: it goes on where it was.")
    }
    return reply(report, location)
  }

  private func target(_ request: Control.ContainerCopy) throws -> StoreLocation {
    let settings = try BucketKeys.settings(request.bucket ?? one.configuration.bucket)
    let location = try GivenLocation.read(request.target, settings)
    guard !location.isReadOnly else {
      throw ControlError(
        .invalidArguments, "\(location) is behind a web server, which stores nothing.",
        remedy: "Name the directory or the bucket that it shows.", path: request.target)
    }
    guard !location.overlaps(try one.location()) else {
      throw ControlError(
        .invalidArguments, "\(location) is the container itself, in it or around it.",
        remedy: "Name a place for the copy that has nothing to do with it.", path: request.target)
    }
    if let folder = location.folder, let mount = mounts.find(Array(folder.utf8))?.mount {
      throw ControlError(
        .invalidArguments,
        "\(location) is in \(Control.Path(mount.path)), which is mirrored to the container.",
        remedy: "Name a place for the copy that isn't shared.", path: request.target)
    }
    return location
  }

  /// The store of the copy. Where there is one, its root has to be there all the time: otherwise
  /// its disk was taken away.
  private func open(_ location: StoreLocation) throws -> any ObjectStore {
    try location.make()
    let isThere = try Container.root(of: location.open(isReadOnly: true)) != nil
    let store = location.open(mark: isThere ? ObjectKey(ContainerFile.key) : nil)
    // A line is a line, whatever goes over it.
    return location.folder == nil ? TrafficStore(store, one.traffic, .line) : store
  }

  private static func failure(_ error: StoreError) -> ControlError {
    let code: Control.ErrorCode
    switch error.code {
    case .full: code = .quotaExceeded
    case .denied: code = .permissionFailure
    case .unsupported, .unlisted: code = .serverRejectedRequest
    case .paused: return Failures.control(error)
    case .unreachable, .throttled, .notFound, .corrupt: code = .networkFailure
    }
    return ControlError(
      code, Failures.sentence(error.cause), remedy: "Then run it again: it goes on where it was.")
  }

  private func reply(
    _ report: CopyReport, _ location: StoreLocation
  ) -> Control.ContainerCopyReply {
    Control.ContainerCopyReply(
      target: Control.Path(location.text), container: one.container.id.description,
      isNew: report.isNew, copied: Control.ObjectCount(report.copied),
      there: Control.ObjectCount(report.there), compared: Control.ObjectCount(report.compared),
      kept: Control.ObjectCount(report.kept), gone: report.gone, unsettled: report.unsettled,
      problemCount: report.problemCount,
      problems: report.problems.map { problem in
        Control.CopyProblem(
          object: problem.key.description, differs: problem.kind == .differs,
          message: Failures.sentence(problem.cause))
      })
  }

  // MARK: Rights

  private func policy(
    _ request: Control.ContainerPolicy
  ) throws -> Control.ContainerPolicyReply {
    let user = try request.person.map { try persons.known($0).id } ?? one.container.account.user
    let person = persons.told(user)
    guard let bucket = one.configuration.location.bucket else {
      return Control.ContainerPolicyReply(
        person: person, notes: Self.words(one.configuration.location.text, user.description))
    }
    guard let engine = BucketPolicy.Engine(rawValue: request.engine) else {
      throw ControlError(
        .invalidArguments, "\(request.engine) is no engine whose policies are known.",
        remedy: "Write aws or ceph.")
    }
    let policy = BucketPolicy(
      for: user, in: bucket, principal: request.principal, engine: engine)
    return Control.ContainerPolicyReply(
      person: person, document: policy.document, notes: policy.notes)
  }

  /// What a directory has for a policy: owners, groups, modes.
  private static func words(_ path: String, _ user: String) -> [String] {
    [
      "\(path) is a directory: what a bucket's policy says, owners, groups and modes say there.",
      "Everybody who takes part needs to read, write and search it: best as a group's, with the "
        + "setgid bit, which all that is made below it inherits (`chgrp GROUP`, `chmod 2770`).",
      "With the sticky bit as well (`chmod 3770`) nobody takes away what others put: each may then "
        + "delete in the folders that are their own, of this person in \(path)/users/\(user), and "
        + "else what they put themselves.",
      "Who only reads needs to read and search it, and no more.",
    ]
  }
}

extension Control.ObjectCount {
  fileprivate init(_ count: CopyReport.Count) {
    self.init(objects: count.objects, bytes: count.bytes)
  }
}
