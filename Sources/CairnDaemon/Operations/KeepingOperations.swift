import CairnContainer
import CairnControl
import CairnIdentity
import CairnReplica
import CairnZone

/// The operations on the history policy.
struct KeepingOperations: Operations {
  let one: OpenContainer
  let shares: Shares

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.HistoryPolicy.self) { request, _ in try policy(request) }
  }

  func policy(_ request: Control.HistoryPolicy) throws -> Control.HistoryPolicyReply {
    guard let wanted = request.policy else {
      return try reply(shares.zone(of: request.share, for: Control.HistoryPolicy.self))
    }
    let policy = try Self.policy(wanted)
    if request.dryRun == true { return try preview(policy, request.share) }
    let zone = try shares.upToDate(request.share, for: Control.HistoryPolicy.self)
    try zone.require(.own, to: "change the history policy")
    try one.container.ownership.setHistory(policy, of: zone)
    return try reply(zone)
  }

  /// Counts what a policy would free after its grace period.
  private func preview(
    _ policy: HistoryPolicy?, _ share: Control.ShareReference
  ) throws -> Control.HistoryPolicyReply {
    let zone = try shares.zone(of: share, for: Control.HistoryPolicy.self)
    var reply = Control.HistoryPolicyReply(policy: Self.told(policy))
    guard zone.header.owner == one.container.account.user else { return reply }
    let now = WallClock.seconds
    try count(&reply, policy, of: zone, zone.retention(at: now), at: now, in: Retention.notice)
    return reply
  }

  /// Counts what a policy frees at the end of its grace period, and what of the present versions it
  /// frees when the last of them is too old.
  private func count(
    _ reply: inout Control.HistoryPolicyReply, _ policy: HistoryPolicy?, of zone: Zone,
    _ retention: Retention, at now: Int64, in rest: UInt64
  ) throws {
    func expired(in seconds: UInt64) throws -> UInt64 {
      let rule = retention.after(policy, in: seconds)
      return try zone.read { try $0.pastBytes(rule).expired }
    }
    func time(in seconds: UInt64) -> Control.Time {
      Control.Time(nanoseconds: (now + Int64(clamping: seconds)) * 1_000_000_000)
    }
    let frees = try expired(in: rest)
    (reply.frees, reply.freesFrom) = (frees, time(in: rest))
    let longest = max(policy?.all ?? 0, policy?.daily ?? 0)
    guard longest > rest, longest < 100 * 365 * 86_400 else { return }
    let more = try expired(in: longest + 1)
    guard more > frees else { return }
    (reply.freesLater, reply.freesLaterFrom) = (more - frees, time(in: longest + 1))
  }

  private func reply(_ zone: Zone) throws -> Control.HistoryPolicyReply {
    var reply = Control.HistoryPolicyReply(policy: Self.told(zone.header.history))
    // Only an owner's device knows how old anything is.
    guard zone.header.owner == one.container.account.user else { return reply }
    let now = WallClock.seconds
    let retention = try zone.retention(at: now)
    reply.formerUntil = AccessOperations.end(of: retention, at: now)
    if retention.rest > 0 {
      try count(&reply, zone.header.history, of: zone, retention, at: now, in: retention.rest)
    }
    return reply
  }

  private static func policy(_ kept: Control.KeptHistory) throws(ControlError) -> HistoryPolicy? {
    let policy = HistoryPolicy(all: kept.all, daily: kept.daily, versions: kept.versions)
    let isEmpty = policy == HistoryPolicy()
    guard kept.forever == isEmpty else {
      throw ControlError(
        .invalidArguments, "A policy keeps either all versions, or some.",
        remedy: "Give --forever, or some of --all, --daily and --versions.")
    }
    return kept.forever ? nil : policy
  }

  private static func told(_ policy: HistoryPolicy?) -> Control.KeptHistory {
    guard let policy else { return Control.KeptHistory(forever: true) }
    return Control.KeptHistory(
      all: policy.all, daily: policy.daily, versions: policy.versions)
  }
}
