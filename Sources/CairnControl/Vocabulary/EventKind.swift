extension Control {
  /// The kinds of events of the daemon (`cairn-status(1)` has the list). A client treats any other
  /// word as an unknown event.
  public enum EventKind: String, Hashable, Sendable, CaseIterable {
    /// The upload of local changes to the zone starts.
    case exportBegin = "export.begin"
    /// The changes are durable in the zone.
    case exportEnd = "export.end"
    /// The application of the zone's changes to the folder starts.
    case importBegin = "import.begin"
    /// The changes are in the folder.
    case importEnd = "import.end"
    /// A share was created or changed.
    case shareSaved = "share.saved"
    /// The owner stopped an accepted share; its folder here is removed.
    case shareStopped = "share.stopped"
    /// This person left a share; its folder here is removed.
    case shareLeft = "share.left"
    /// This person was removed from a share; its folder here is removed.
    case shareRevoked = "share.revoked"
    /// Somebody else changed this person's role or permission in a share.
    case shareRights = "share.rights"
    /// A person accepted an invitation.
    case shareAccepted = "share.accepted"
    /// The history policy of a folder was changed.
    case historyChanged = "history.changed"
    /// An invitation for this person arrived.
    case invitationReceived = "invitation.received"
    /// A person requests access to one of this person's shares.
    case requestReceived = "request.received"
    /// Two sides changed one file; both versions exist.
    case conflict = "conflict"
    /// Files were moved to the rescue folder.
    case rescued = "rescued"
    /// A deletion of many files waits for confirmation.
    case deletionsHeld = "deletions.held"
    /// It was confirmed or undone, or the files came back.
    case deletionsReleased = "deletions.released"
    /// A device has changed or deleted unusually many files.
    case changesMany = "changes.many"
    /// A file or record was set aside.
    case problem = "problem"
    /// The problem was solved.
    case problemSolved = "problem.solved"
    /// A folder is now mirrored.
    case mountAdded = "mount.added"
    /// A folder is no longer mirrored.
    case mountRemoved = "mount.removed"
    /// A mount changed its phase.
    case mountPhase = "mount.phase"
    /// The traffic with the container, or of a folder, was paused.
    case trafficPaused = "traffic.paused"
    /// The traffic was resumed.
    case trafficResumed = "traffic.resumed"
    /// The container became unreachable.
    case containerLost = "container.lost"
    /// The container is reachable again.
    case containerFound = "container.found"
    /// The container lost data, or shows another history: the text begins with the name.
    case containerDamaged = "container.damaged"
    /// The lost data of the container is back.
    case containerRepaired = "container.repaired"
    /// A device of this person was added.
    case deviceAdded = "device.added"
    /// A person in a common share has changed, or others claim their handle.
    case userChanged = "user.changed"
    /// A device of this person was revoked.
    case deviceRevoked = "device.revoked"
  }
}
