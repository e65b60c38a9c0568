extension Control {
  /// The kinds of events that the daemon writes (`cairn-status(1)` has the list). A client takes
  /// any other word as an event that it doesn't know.
  public enum EventKind: String, Hashable, Sendable, CaseIterable {
    /// Local changes begin to go to the zone.
    case exportBegin = "export.begin"
    /// They are durable in the zone.
    case exportEnd = "export.end"
    /// The zone's changes begin to come to the folder.
    case importBegin = "import.begin"
    /// They are in the folder.
    case importEnd = "import.end"
    /// A share was made, or changed.
    case shareSaved = "share.saved"
    /// The owner stopped a share that I took part in; its folder here is gone.
    case shareStopped = "share.stopped"
    /// I left a share; its folder here is gone.
    case shareLeft = "share.left"
    /// I was removed from a share; its folder here is gone.
    case shareRevoked = "share.revoked"
    /// Somebody took up an invitation.
    case shareAccepted = "share.accepted"
    /// What is kept of the past of a folder was changed.
    case historyChanged = "history.changed"
    /// An invitation arrived for me.
    case invitationReceived = "invitation.received"
    /// Somebody asks for access to a share of mine.
    case requestReceived = "request.received"
    /// Two sides changed one file; both versions are there.
    case conflict = "conflict"
    /// Bytes went to the rescue folder.
    case rescued = "rescued"
    /// So much was deleted in a folder at once that the person has to say that they meant it.
    case deletionsHeld = "deletions.held"
    /// They said so, or took it back, or it came back.
    case deletionsReleased = "deletions.released"
    /// A device has changed or deleted unusually many files.
    case changesMany = "changes.many"
    /// Something was set aside.
    case problem = "problem"
    /// What was set aside is in order again.
    case problemSolved = "problem.solved"
    /// A folder is mirrored from here on.
    case mountAdded = "mount.added"
    /// A folder is no longer mirrored.
    case mountRemoved = "mount.removed"
    /// A mount is doing something else now.
    case mountPhase = "mount.phase"
    /// The traffic with the container, or that of a folder, was paused.
    case trafficPaused = "traffic.paused"
    /// It goes on.
    case trafficResumed = "traffic.resumed"
    /// The container went away.
    case containerLost = "container.lost"
    /// The container is back.
    case containerFound = "container.found"
    /// The container lost something, or shows another history: the text begins with the name.
    case containerDamaged = "container.damaged"
    /// What the container had lost is there again.
    case containerRepaired = "container.repaired"
    /// A device of mine was added.
    case deviceAdded = "device.added"
    /// Somebody whom I share with has changed, or others claim their handle.
    case userChanged = "user.changed"
    /// A device of mine was revoked.
    case deviceRevoked = "device.revoked"
  }
}
