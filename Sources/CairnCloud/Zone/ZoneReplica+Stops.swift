import CairnStore
import CairnZone

/// What stops a reader of the log, as people are told of it.
extension ZoneReplica {
  func hold(_ stopped: Stopped, by object: ObjectKey? = nil) throws -> LogTrouble {
    var found = LogTrouble(.held, agreed: stopped.sequence - 1, seen: stopped.sequence)
    let key = try object ?? place(stopped.sequence)
    found.object = key?.description
    found.owner = key.flatMap { store.owner(of: $0) }
    found.reason = stopped.reason
    // What others have built on isn't for anybody to take away.
    let isBuiltOn = try object == nil && LogWay(self).isProven(behind: stopped.sequence)
    found.holder = isBuiltOn ? .entry : stopped.holder
    found.unseen = stopped.unseen
    found.isPublic = header.kind == .public
    held = stopped.found
    trouble = found
    return found
  }

  func missing(_ sequence: UInt64) throws -> LogTrouble {
    var found = LogTrouble(.damaged, agreed: sequence - 1, seen: sequence)
    found.object = try place(sequence)?.description
    trouble = found
    return found
  }
}
