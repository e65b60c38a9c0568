import CairnControl

/// The operations that a page of the console may call: those that its own modules need, and no
/// others. None of them discloses the account's keys or ends the daemon. Its person's operations on
/// folders of this machine are included, such as mirroring one, or moving a rescued file. A code
/// that lets a device in is made only at the page's request, and shown there.
enum ConsoleOperations {
  static let all: Set<String> = [
    // The state and the events.
    Control.ContainerList.name, Control.Status.name, Control.StatusWatch.name, Control.Events.name,
    Control.List.name,
    Control.Stat.name, Control.Can.name, Control.Why.name, Control.ReadContent.name,
    // Folders, and people's decisions about them.
    Control.Directories.name, Control.Upload.name,
    Control.Add.name, Control.Remove.name, Control.Pause.name, Control.Resume.name,
    Control.HeldList.name, Control.HeldConfirm.name,
    Control.HeldUndo.name, Control.Select.name,
    Control.ConflictList.name, Control.ConflictKeep.name,
    Control.ConflictMerge.name, Control.ConflictSave.name,
    Control.RescueList.name, Control.RescueRestore.name, Control.RescueClear.name,
    // History.
    Control.History.name, Control.Restore.name, Control.Rewind.name, Control.HistoryPolicy.name,
    // People.
    Control.UserList.name, Control.UserVerify.name, Control.UserShow.name,
    Control.UserRemove.name, Control.Group.name, Control.ShareCreate.name,
    Control.ShareList.name, Control.ShareInvite.name, Control.ShareInviteLink.name,
    Control.ShareUninvite.name, Control.ShareLink.name, Control.ShareInvitations.name,
    Control.ShareOffer.name, Control.ShareAccept.name, Control.ShareDecline.name,
    Control.ShareRequest.name,
    Control.ShareRequests.name, Control.ShareSetRequests.name, Control.ShareApprove.name,
    Control.ShareDeny.name, Control.ShareBlock.name, Control.ShareUnblock.name,
    Control.ShareSetPermission.name, Control.ShareSetRole.name, Control.ShareSetPublic.name,
    Control.SharePolicy.name, Control.ShareRemove.name, Control.ShareTransfer.name,
    Control.ShareSuccessor.name, Control.ShareLeave.name, Control.ShareStop.name,
    Control.DrawCode.name,
    Control.Drops.name, Control.DropCreate.name, Control.DropAccept.name,
    // Devices, storage and settings.
    Control.DeviceList.name, Control.DeviceLink.name, Control.DeviceRename.name,
    Control.DeviceRevoke.name, Control.Settings.name,
    // For developers.
    Control.Zones.name, Control.Schema.name, Control.Changes.name, Control.Log.name,
    Control.Inspect.name,
    Control.Quota.name, Control.CollectGarbage.name, Control.Doctor.name, Control.Verify.name,
    Control.Repair.name,
  ]
}

extension ControlRoutes {
  /// Returns the routes of these operations only.
  func only(_ names: Set<String>) -> ControlRoutes {
    var kept = self
    kept.drop { !names.contains($0) }
    return kept
  }
}
