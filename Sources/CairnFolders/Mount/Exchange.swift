import CairnCloud
import CairnZone

/// How a mount stands with its zone's log: whether there may be news, and whether its own commits
/// get through.
struct Exchange {
  /// Whether the log may have grown.
  var needsPull = true
  /// Whether the zone may have taken a commit of this mount that the index knows nothing of.
  var mayHaveSent = false
  /// The contents read in this run, by their ids: their chunk lists aren't in the index.
  var contents: [ContentID: Content] = [:]
  /// How often in a row somebody else's commit came before this mount's.
  private(set) var lostRaces = 0
  /// Until when this mount leaves the log to others, by the engine's clock.
  private(set) var yieldsUntil: Int64?

  /// Who lost a race tries again before it turns to what others sent, or the slowest of many
  /// writers would lose for as long as the others write; but not for ever.
  var sendsFirst: Bool { lostRaces % 8 != 0 }

  /// Until when nothing is done; nil if something is at that time.
  func pause(_ now: Int64) -> Int64? { yieldsUntil.flatMap { now < $0 ? $0 : nil } }

  /// Somebody else's commit came first. Who loses again and again lets the others go ahead for a
  /// moment that nobody can foresee, of which `chance` is one in 256: where everybody tries at
  /// once, one gets on and all others have read, planned and sealed for nothing.
  mutating func loseRace(_ now: Int64, chance: () -> UInt8) {
    needsPull = true
    lostRaces += 1
    guard lostRaces > 1 else { return }
    let share = Int64(chance()) + 1
    yieldsUntil = now + (1 << Int64(min(lostRaces, 6))) * 1_000_000 * share / 256
  }

  mutating func winRace() { lostRaces = 0 }

  /// Somebody wants to know.
  mutating func retryNow() { yieldsUntil = nil }
}
