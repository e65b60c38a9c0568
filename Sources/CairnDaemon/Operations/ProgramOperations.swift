@_spi(Served) import CairnCloud
import CairnContainer
import CairnControl
import CairnIdentity
import CairnStore
import CairnThreads
import CairnZone

/// The operations of programs: they ask for zones, and use them. The person's answers are in
/// `ProgramAnswers`.
struct ProgramOperations: Operations {
  let container: Container
  let home: Home
  let table: ProgramTable
  let attempts: ProgramAttempts

  private var uploads: ProgramUploads { ProgramUploads(home) }

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.ProgramAsk.self) { try ask($0, $1) }
    routes.answer(Control.ProgramZones.self) { request, _ in
      try perform(request.token) { try $0.answer(request) }
    }
    routes.answer(Control.ProgramDatabase.self) { request, _ in
      try perform(request.token) { try $0.answer(request) }
    }
    routes.answer(Control.ProgramDelete.self) { request, _ in
      try perform(request.token) { try $0.answer(request) }
    }
    routes.answer(Control.ProgramPerson.self) { request, _ in
      try perform(request.token) { try $0.answer(request) }
    }
    routes.answer(Control.ProgramInvitations.self) { request, _ in
      try perform(request.token) { try $0.answer(request) }
    }
    routes.answer(Control.ProgramAccept.self) { request, _ in
      try perform(request.token) { try $0.answer(request) }
    }
    addRecords(to: &routes)
  }

  private func addRecords(to routes: inout ControlRoutes) {
    routes.answer(Control.ProgramShare.self) { request, _ in
      try perform(request.token) { try $0.answer(request) }
    }
    routes.answer(Control.ProgramLink.self) { request, _ in
      try perform(request.token) { try $0.answer(request) }
    }
    routes.answer(Control.ProgramMove.self) { request, _ in
      try perform(request.token) { try $0.answer(request) }
    }
    routes.answer(Control.ProgramRecords.self) { request, _ in
      try perform(request.token) { try $0.answer(request) }
    }
    routes.answer(Control.ProgramHistory.self) { request, _ in
      try perform(request.token) { try $0.answer(request) }
    }
    routes.answer(Control.ProgramChanges.self) { request, _ in
      try perform(request.token) { try $0.answer(request) }
    }
    routes.answer(Control.ProgramModify.self) { request, _ in
      try perform(request.token) { try $0.answer(request) }
    }
    routes.answer(Control.ProgramFollow.self) { try follow($0, $1) }
    routes.answer(Control.ProgramUpload.self) { request, _ in try upload(request) }
    routes.answer(Control.ProgramDownload.self) { try download($0, $1) }
  }

  /// Performs a request of an allowed program. Errors are those of the library.
  private func perform<Reply>(
    _ token: String, _ body: (ProgramRequests) throws -> Reply
  ) throws(ControlError) -> Reply {
    let entry = try table.allowed(token)
    let requests = ProgramRequests(
      container, grant: ProgramAccess(table: table, entry: entry), attempts: attempts)
    do { return try body(requests) } catch let error as ControlError { throw error } catch {
      throw ProgramRequests.error(error)
    }
  }

  private func ask(
    _ request: Control.ProgramAsk, _ stream: ResponseStream
  ) throws -> Control.ProgramAskReply {
    var state = try table.ask(request)
    if request.wait, state == .asking {
      let hasGone = Monitor(false)
      stream.onDisconnect { [table] in
        hasGone.change { $0 = true }
        table.wake()
      }
      guard let answer = table.answer(to: request, unless: { hasGone.change { $0 } }) else {
        throw ControlError(.operationCancelled, "Nobody waits for the answer any more.")
      }
      state = answer
    }
    return Control.ProgramAskReply(
      state: state, me: state == .allowed ? container.account.user.description : nil)
  }

  /// Reports zones that may have changed, until the client has gone or the access is withdrawn.
  private func follow(
    _ request: Control.ProgramFollow, _ stream: ResponseStream
  ) throws -> Control.ProgramFollowReply {
    let news = Monitor(ProgramNews())
    stream.onDisconnect { news.change { $0.hasGone = true } }
    let listening = table.listen { news.change { $0.isDoubted = true } }
    let subscriptions = try perform(request.token) { requests in
      try request.zones.compactMap { zone in
        try requests.follow(zone) { news.change { _ = $0.zones.insert(zone) } }
      }
    }
    defer { for subscription in subscriptions { subscription.cancel() } }
    // Whatever happened before the subscriptions is found now.
    try stream.items(request.zones)
    while let zones = news.wait(until: nil, for: { $0.next() }), !zones.hasGone {
      _ = try table.allowed(request.token)
      try stream.items(zones.zones.sorted())
    }
    withExtendedLifetime(listening) {}
    return Control.ProgramFollowReply(zones: [])
  }

  private func upload(_ request: Control.ProgramUpload) throws -> Control.ProgramUploadReply {
    try perform(request.token) { requests in
      if let known = uploads.answer(request) { return known }
      try requests.requireWritable(request.zone)
      var reply = Control.ProgramUploadReply(size: try uploads.add(request))
      guard request.isLast else { return reply }
      reply.asset = try uploads.read(request) { try requests.store(in: request.zone, $0) }
      try uploads.finish(request, reply)
      return reply
    }
  }

  private func download(
    _ request: Control.ProgramDownload, _ stream: ResponseStream
  ) throws -> Control.ContentReply {
    try perform(request.token) { requests in
      var size: Int64 = 0
      try requests.read(request) { bytes in
        size += Int64(bytes.count)
        try stream.items([Control.base64(bytes)])
      }
      return Control.ContentReply(pieces: [], size: size)
    }
  }
}
