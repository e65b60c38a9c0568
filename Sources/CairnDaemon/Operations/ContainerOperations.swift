import CairnContainer
import CairnControl
import CairnIdentity
import CairnStore
import CairnZone
import Synchronization

/// The operations on the container as a whole: its copy, and the rights in its store.
struct ContainerOperations: Operations {
  let one: OpenContainer
  let mounts: Mounts
  let persons: Persons

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.ContainerCopy.self) { try copy($0, $1) }
    routes.answer(Control.ContainerPolicy.self) { request, _ in try policy(request) }
  }

  // MARK: Copies

  /// Copies until the end, or until nobody reads the answer any more: the next copy continues
  /// there.
  private func copy(
    _ request: Control.ContainerCopy, _ stream: ResponseStream
  ) throws -> Control.ContainerCopyReply {
    let places = ContainerPlaces(one: one, mounts: mounts)
    let location = try places.target(
      request.target, request.bucket ?? one.configuration.bucket)
    let isGone = Atomic(false)
    stream.onDisconnect { isGone.store(true, ordering: .relaxed) }
    let report: CopyReport
    do {
      report = try one.container.copying.copy(
        to: try places.open(location), isChecked: request.isChecked,
        isCancelled: { isGone.load(ordering: .relaxed) }
      ) { done, total in
        stream.progress(
          Control.Progress(done: done, total: total, unit: "bytes", what: "copying the container"))
      }
    } catch let error as StoreError { throw ContainerPlaces.failure(error) }
    guard !report.isCut else {
      throw ControlError(
        .operationCancelled, "The copy at \(location) was given up.",
        remedy: "Run it again to continue.")
    }
    return reply(report, location)
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
      problems: report.problems.map { Control.CopyProblem($0) })
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

  /// Returns the rights in a directory: owners, groups, modes.
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
