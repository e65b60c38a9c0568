import CairnContainer
import CairnControl
import CairnFolders
import CairnReplica
import CairnZone

/// The operation that takes one part out of a share of several.
struct ShareTakingOut: Operations {
  let mirrors: Mirrors
  let shares: Shares
  let settling: Settling

  private var one: OpenContainer { mirrors.one }
  private var mounts: Mounts { mirrors.mounts }
  private var targets: TargetResolver { TargetResolver(one: one, mounts: mounts) }

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.ShareTakeOut.self, about: { .path($0.path) }) { request, stream in
      try mirrors.making { try takeOut(request, stream) }
    }
  }

  private func takeOut(
    _ request: Control.ShareTakeOut, _ stream: ResponseStream
  ) throws -> Control.ShareTakeOutReply {
    let mount = try targets.mounted(request.path, for: Control.ShareTakeOut.self).mount
    let zone = mount.zone
    try zone.pull()
    guard zone.header.share != nil else { throw shares.notShared(zone) }
    try zone.require(.own, to: "take something out of the share")
    try settling.settleBriefly([mount], stream)
    let isMirrored: Bool
    if let nesting = try one.container.nestings.nesting(of: mount.part) {
      try NestedZones(mirrors: mirrors).takeOut(nesting, of: zone)
      isMirrored = true
    } else {
      try LeavingParts(mirrors: mirrors).takeOut(mount)
      isMirrored = !mount.isFile
    }
    shares.changed(zone, "\(request.path) was taken out of the share")
    return Control.ShareTakeOutReply(
      share: try shares.describe(zone), path: request.path,
      mirrored: isMirrored)
  }
}
