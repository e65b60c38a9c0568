import CairnCloud
import CairnControl
import CairnFolders
import CairnThreads
import CairnZone
import Glibc
import Synchronization

extension Daemon {
  /// An answer takes memory, and a mount that has nothing left to do gives it back.
  private func noteAnswer() {
    mounts.withLock { $0.byPart.values.first }?.mailbox.post(.answered)
  }

  /// Every operation that may be asked of the daemon, and who answers it.
  func routes() -> ControlRoutes {
    var routes = ControlRoutes()
    routes.afterwards = { [weak self] in self?.noteAnswer() }
    func on<Operation: ControlOperation>(
      _ operation: Operation.Type,
      _ body: @escaping @Sendable (Operation, ResponseStream) throws -> Operation.Reply
    ) {
      routes.answer(operation, body)
    }
    on(Control.Ping.self) { _, _ in Control.PingReply(pid: getpid(), version: Control.version) }
    on(Control.Stop.self) { [stopRequested] _, _ in
      stopRequested.complete(())
      return Control.StopReply(pid: getpid())
    }
    on(Control.Status.self) { [self] request, _ in try status(request) }
    on(Control.Wait.self) { [self] request, stream in try wait(request, stream) }
    on(Control.Events.self) { [self] request, stream in events(request, stream) }
    on(Control.List.self) { [self] request, _ in try list(request) }
    on(Control.Add.self) { [self] request, stream in
      try mirroring.withLock { _ in try add(request, stream) }
    }
    on(Control.Remove.self) { [self] request, _ in try remove(request) }
    on(Control.Verify.self) { [self] request, stream in try verify(request, stream) }
    on(Control.Repair.self) { [self] request, stream in try repair(request, stream) }
    on(Control.Log.self) { [self] request, stream in try log(request, stream) }
    on(Control.Why.self) { [self] request, _ in try why(request) }
    on(Control.Zones.self) { [self] request, _ in try zones(request) }
    on(Control.Stat.self) { [self] request, _ in try describe(request) }
    on(Control.Inspect.self) { [self] _, _ in try inspect() }
    on(Control.Doctor.self) { [self] _, _ in doctor() }
    on(Control.WhoAmI.self) { [self] _, _ in Control.WhoAmIReply(account: account) }
    on(Control.UserList.self) { [self] _, _ in try users() }
    on(Control.UserVerify.self) { [self] request, _ in try verify(request) }
    on(Control.ShareCreate.self) { [self] request, stream in
      try mirroring.withLock { _ in
        try warned(createShare(request, stream), of: request.paths)
      }
    }
    on(Control.ShareAdd.self) { [self] request, _ in try addToShare(request) }
    on(Control.ShareInvite.self) { [self] request, _ in try invite(request) }
    on(Control.ShareInvitations.self) { [self] _, _ in try invitations() }
    on(Control.ShareAccept.self) { [self] request, stream in try accept(request, stream) }
    on(Control.ShareList.self) { [self] _, _ in try shares() }
    on(Control.ShareShow.self) { [self] request, _ in
      Control.ShareReply(share: try describe(zone(of: request.share)), created: false)
    }
    on(Control.ShareParticipants.self) { [self] request, _ in
      let share = try describe(zone(of: request.share))
      return Control.ParticipantsReply(id: share.id, participants: share.participants)
    }
    addAccess(to: &routes)
    addEnding(to: &routes)
    addLinks(to: &routes)
    addRequests(to: &routes)
    addPublic(to: &routes)
    addDevices(to: &routes)
    addGuards(to: &routes)
    if container.isAnonymous { routes.refuseAllButReading() }
    return routes
  }

  /// The folder's mount; a clear error if the path isn't in any.
  func requiredMount(at path: Control.Path) throws -> (mount: Mount, relative: [UInt8]) {
    guard let found = mount(at: path.bytes) else {
      throw ControlError(
        .unknownItem, "\(path) isn't in a folder that Cairn mirrors.",
        remedy: "Run `cairn add` or `cairn share create` first; `cairn status` lists the folders.",
        path: path)
    }
    return found
  }

  /// This person, as the container knows them.
  var account: Control.AccountStatus {
    Control.AccountStatus(
      user: container.account.user.description, handle: me.handle, name: me.name,
      device: container.account.device.id.description, deviceName: configuration.deviceName)
  }

  /// A person as others are told about them.
  func person(_ user: UserID) -> Control.Person {
    do {
      let person = try container.people.person(user)
      return Control.Person(user: user.description, handle: person?.handle, name: person?.name)
    } catch {
      // The container can't be asked now; the id must do.
      return Control.Person(user: user.description, handle: nil, name: nil)
    }
  }

  private func events(
    _ request: Control.Events, _ stream: ResponseStream
  ) -> Control.EventsReply {
    let wanted = request.path.flatMap { mount(at: $0.bytes)?.mount.id }
    let isWanted: @Sendable (Control.Event) -> Bool = { event in
      request.path == nil || event.mount == wanted
    }
    guard request.follow else {
      for event in events.events(after: request.since ?? 0) where isWanted(event) {
        stream.event(event)
      }
      return Control.EventsReply(last: events.last)
    }
    let gone = Waiter<Void>()
    stream.onDisconnect { gone.complete(()) }
    let listener = events.listen(after: request.since ?? events.last) { event in
      if isWanted(event) { stream.event(event) }
    }
    _ = gone.wait(until: nil)
    events.unlisten(listener)
    return Control.EventsReply(last: events.last)
  }
}

extension ControlRoutes {
  /// Answers `Operation` with `body`, whose errors are told as people are told them.
  mutating func answer<Operation: ControlOperation>(
    _ operation: Operation.Type,
    _ body: @escaping @Sendable (Operation, ResponseStream) throws -> Operation.Reply
  ) {
    on(operation) { request, stream in
      do { return try body(request, stream) } catch { throw Failures.control(error) }
    }
  }
}
