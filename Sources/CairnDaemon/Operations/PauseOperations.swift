import CairnControl
import CairnReplica
import CairnStore
import CairnZone

/// The operations that stop the traffic with the container for a while.
struct PauseOperations: Operations {
  let targets: TargetResolver
  let traffic: Traffic
  let pausing: Pausing

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.Pause.self) { request, _ in try pause(request) }
    routes.answer(Control.Resume.self) { request, _ in try resume(request) }
  }

  /// The folders of a pause: all folders of a zone are paused together.
  private func paths(of zone: ZoneID?) -> [Control.Path] {
    (zone.map { targets.mounts.of($0) } ?? targets.mounts.all).map { Control.Path($0.path) }
  }

  private func pause(_ request: Control.Pause) throws -> Control.PauseReply {
    // A hundred years are as good as forever, and any number is a valid request.
    let seconds = request.seconds.map { min(max(1, $0), 100 * 365 * 86_400) }
    let zone = try request.share.map { try targets.target($0, for: Control.Pause.self).zone.id }
    let now = Control.Time.now().nanoseconds
    let pause = try pausing.pause(zone, until: seconds.map { now + $0 * 1_000_000_000 })
    return Control.PauseReply(paused: Control.Paused(pause), paths: paths(of: zone))
  }

  private func resume(_ request: Control.Resume) throws -> Control.ResumeReply {
    let zone = try request.share.map { try targets.target($0, for: Control.Resume.self).zone.id }
    let wasPaused = try pausing.resume(zone)
    if let zone, let all = traffic.pause(of: nil) {
      throw ControlError(
        .serviceUnavailable,
        "All traffic is paused since \(Control.Time(nanoseconds: all.since)), so that of "
          + "this folder is, too.",
        remedy: "Run `cairn resume` without a folder.", path: paths(of: zone).first)
    }
    return Control.ResumeReply(resumed: wasPaused, paths: paths(of: zone))
  }
}

extension Control.Paused {
  init(_ pause: Traffic.Pause) {
    self.init(
      since: Control.Time(nanoseconds: pause.since),
      until: pause.until.map { Control.Time(nanoseconds: $0) })
  }
}
