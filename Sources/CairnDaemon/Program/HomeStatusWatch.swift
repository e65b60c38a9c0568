import CairnControl

/// The operation `statusWatch` for all containers of a home: reports the state of each, with its
/// name, and again after each change. A container that isn't open has no state; `containerList` has
/// its problem.
struct HomeStatusWatch {
  let parts: [HomeRoutes.Part]
  let events: EventLog

  /// The member that names a folder, and so a container.
  private struct Names: Decodable {
    var path: Control.Path?
  }

  /// Returns whether a request is for it: one that names no folder.
  func isMeant(_ operation: String, _ body: [UInt8]) -> Bool {
    guard operation == Control.StatusWatch.name else { return false }
    guard !body.isEmpty else { return true }
    // The operation itself reports a body that isn't valid.
    guard let names = try? ControlJSON.decode(Names.self, from: body) else { return false }
    return names.path == nil
  }

  /// Reports until the client has gone.
  func respond(_ stream: ResponseStream) {
    let watcher = StatusWatcher()
    stream.onDisconnect { watcher.leave() }
    events.hints.add(watcher)
    defer { events.hints.remove(watcher) }
    var told: [String: Control.StatusReply] = [:]
    do throws(ControlError) {
      repeat {
        for part in parts {
          let now = status(of: part)
          if let now, now != told[part.name] {
            stream.name(part.name)
            try stream.status(now)
          }
          told[part.name] = now
        }
      } while watcher.awaitNews()
      stream.fail(
        ControlError(
          .operationCancelled, "Nobody watches any more.", remedy: "Nothing to do."))
    } catch { stream.fail(error) }
  }

  /// Returns the state of a container; nil while it isn't open, or has none.
  private func status(of part: HomeRoutes.Part) -> Control.StatusReply? {
    // The operation `status` of that container reports the error. The others go on.
    try? part.open?.status()
  }
}
