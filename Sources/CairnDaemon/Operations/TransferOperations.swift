import CairnControl
import CairnFolders
import CairnReplica
import CairnStore
import CairnThreads
import CairnZone
import Synchronization

/// The operations about files whose bytes are on their way.
struct TransferOperations: Operations {
  let targets: TargetResolver
  let traffic: Traffic

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.Transfers.self) { request, _ in try transfers(request) }
    routes.answer(Control.TransferFirst.self) { request, _ in try hurry(request) }
  }

  private func transfers(_ request: Control.Transfers) throws -> Control.TransfersReply {
    let limit = max(0, min(request.limit ?? 1_000, 100_000))
    var reply = Control.TransfersReply(transfers: [])
    for mount in try targets.mounts(at: request.path, for: Control.Transfers.self) {
      let isPaused = traffic.pause(of: mount.zone.id.description) != nil
      let failure = mount.snapshot.withLock { $0.failure?.message }
      let left = limit - reply.transfers.count
      let (found, more) = try mount.ask { try $0.transfers(limit: left) }
      reply.more += more
      reply.transfers += found.map { transfer in
        Control.Transfer(
          direction: transfer.way == .upload ? .upload : .download,
          path: mount.absolute(transfer.path), folder: Control.Path(mount.path),
          bytes: transfer.done, allBytes: transfer.size,
          bytesPerSecond: transfer.bytesPerSecond,
          reason: isPaused ? "the traffic is paused" : transfer.reason.map { failure ?? $0 })
      }
    }
    return reply
  }

  private func hurry(_ request: Control.TransferFirst) throws -> Control.TransferFirstReply {
    let target = try targets.mounted(request.path, for: Control.TransferFirst.self)
    let relative = target.relative
    let files = try target.mount.ask { try $0.hurry(relative) }
    target.mount.mailbox.post(.transferred)
    guard files > 0 else {
      throw ControlError(
        .unknownItem, "No file at \(request.path) waits for a transfer.",
        remedy: "`cairn transfers` lists the files that do.", path: request.path)
    }
    return Control.TransferFirstReply(files: files)
  }
}
