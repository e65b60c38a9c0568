import CairnControl

/// What a page of the console may ask: what its own modules ask, and nothing besides. None of it
/// hands out the account's keys, lets a device in or ends the daemon. What its person may do with
/// folders of this machine, as to mirror one, or to put what was rescued somewhere, it may, too.
enum ConsoleOperations {
  static let all: Set<String> = [
    // How all stands, and what happens.
    Control.Status.name, Control.StatusWatch.name, Control.Events.name, Control.List.name,
    Control.Stat.name, Control.Can.name, Control.Why.name, Control.ReadContent.name,
    // Folders, and what people decide about them.
    Control.Add.name, Control.Remove.name, Control.Pause.name, Control.Resume.name,
    Control.HeldList.name, Control.HeldConfirm.name,
    Control.HeldUndo.name, Control.ConflictList.name, Control.ConflictKeep.name,
    Control.RescueList.name, Control.RescueRestore.name, Control.RescueClear.name,
    // The past.
    Control.History.name, Control.Restore.name, Control.Rewind.name, Control.HistoryPolicy.name,
    // People.
    Control.UserList.name, Control.UserVerify.name, Control.ShareCreate.name,
    Control.ShareList.name, Control.ShareInvite.name, Control.ShareInviteLink.name,
    Control.ShareUninvite.name, Control.ShareLink.name, Control.ShareInvitations.name,
    Control.ShareOffer.name, Control.ShareAccept.name, Control.ShareRequest.name,
    Control.ShareRequests.name, Control.ShareSetRequests.name, Control.ShareApprove.name,
    Control.ShareDeny.name, Control.ShareBlock.name, Control.ShareUnblock.name,
    Control.ShareSetPermission.name, Control.ShareSetRole.name, Control.ShareSetPublic.name,
    Control.SharePolicy.name, Control.ShareRemove.name, Control.ShareTransfer.name,
    Control.ShareLeave.name, Control.ShareStop.name, Control.DrawCode.name,
    // What developers ask.
    Control.Zones.name, Control.Schema.name, Control.Changes.name, Control.Log.name,
    Control.Inspect.name,
    Control.Quota.name, Control.CollectGarbage.name, Control.Doctor.name, Control.Verify.name,
    Control.Repair.name,
  ]
}

extension ControlRoutes {
  /// The routes of these operations alone.
  func only(_ names: Set<String>) -> ControlRoutes {
    var kept = self
    kept.drop { !names.contains($0) }
    return kept
  }
}
