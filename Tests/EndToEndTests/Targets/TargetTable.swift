import CairnControl

/// Every operation that takes a path or a share, with its result for every target.
enum TargetTable {
  private static let denied = TargetOutcome.fails(.permissionFailure)
  private static let unknown = TargetOutcome.fails(.unknownItem)
  /// The person isn't known.
  private static let unnamed = TargetOutcome.fails(.unknownItem)
  /// A handle that nobody in the container has.
  private static let nobody = "nobody-of-that-name"

  static let rows: [TargetRow] = granting + limiting + ending + reading + past + making

  /// Operations whose paths aren't targets in mirrored folders, and the kind of these paths.
  static let withoutTarget: [(operation: any ControlOperation.Type, paths: String)] = [
    (Control.ContainerCopy.self, "a container"), (Control.ContainerMove.self, "a container"),
    (Control.Join.self, "a container, and a new folder"), (Control.Setup.self, "a container"),
    (Control.Recover.self, "a container, and a new folder"),
    (Control.PublicMount.self, "a new folder"), (Control.ShareAccept.self, "a new folder"),
    (Control.ShareOffer.self, "a new folder"), (Control.PublicList.self, "a public path"),
    (Control.PublicGet.self, "a public path"), (Control.PublicPut.self, "a public path"),
    (Control.PublicRemove.self, "a public path"), (Control.PublicExport.self, "a new folder"),
    (Control.ViewFind.self, "a name"), (Control.ViewList.self, "a name"),
    (Control.ViewChange.self, "a name, and a symlink's target"), (Control.ViewPut.self, "a name"),
    (Control.Put.self, "files to send"),
    (Control.RescueRestore.self, "a rescued file"), (Control.RescueClear.self, "rescued files"),
  ]

  // MARK: Giving and taking

  private static let granting: [TargetRow] = [
    .whole(Control.ShareInvite.self, unnamed, bob: denied) {
      Control.ShareInvite(share: $0, people: [nobody])
    },
    .whole(Control.ShareLink.self, .fails(.invalidArguments), bob: denied) {
      Control.ShareLink(share: $0)
    },
    .whole(Control.ShareInviteLink.self, .fails(.invalidArguments), bob: denied) {
      // It would have expired in 1970.
      Control.ShareInviteLink(share: $0, expires: Control.Time(nanoseconds: 1))
    },
    .whole(Control.ShareUninvite.self, unnamed, bob: denied) {
      Control.ShareUninvite(share: $0, invited: nobody)
    },
    .whole(Control.ShareSetPermission.self, unnamed, bob: denied) {
      Control.ShareSetPermission(share: $0, person: nobody, permission: .readOnly)
    },
    .whole(Control.ShareSetRole.self, unnamed, bob: denied) {
      Control.ShareSetRole(share: $0, person: nobody, role: .administrator)
    },
    .whole(Control.ShareSetPublic.self, .done, bob: denied) {
      Control.ShareSetPublic(share: $0, permission: .none)
    },
    .whole(Control.ShareRemove.self, unnamed, bob: denied) {
      Control.ShareRemove(share: $0, person: nobody)
    },
    .whole(Control.ShareTransfer.self, unnamed, bob: denied) {
      Control.ShareTransfer(share: $0, person: nobody)
    },
    .whole(Control.ShareSuccessor.self, unnamed, bob: denied) {
      Control.ShareSuccessor(share: $0, step: .name, people: [nobody])
    },
    .whole(Control.ShareSetRequests.self, .done, bob: denied) {
      Control.ShareSetRequests(share: $0, allowed: false)
    },
    .whole(Control.ShareApprove.self, unnamed, bob: denied) {
      Control.ShareApprove(share: $0, person: nobody)
    },
    .whole(Control.ShareDeny.self, unnamed, bob: denied) {
      Control.ShareDeny(share: $0, person: nobody)
    },
    .whole(Control.ShareBlock.self, unnamed, bob: denied) {
      Control.ShareBlock(share: $0, person: nobody)
    },
    .whole(Control.ShareUnblock.self, unnamed, bob: denied) {
      Control.ShareUnblock(share: $0, person: nobody)
    },
  ]

  private static let limiting: [TargetRow] = [
    .whole(Control.SharePolicy.self, .done, bob: denied) {
      Control.SharePolicy(share: $0, access: "any")
    },
    .whole(Control.HistoryPolicy.self, .done, bob: denied) {
      Control.HistoryPolicy(share: $0, policy: Control.KeptHistory(forever: true))
    },
    .whole(Control.Quota.self, .done, bob: denied) { Control.Quota(share: $0, limit: 0) },
    .whole(Control.Pause.self, .done, bob: .done) { Control.Pause(share: $0) },
    .whole(Control.Resume.self, .done, bob: .done) { Control.Resume(share: $0) },
    .whole(Control.Repair.self, .done, bob: .done) { Control.Repair(share: $0, dryRun: true) },
    .mirrored(Control.HeldConfirm.self, unknown) { Control.HeldConfirm(path: $0) },
    .mirrored(Control.HeldUndo.self, unknown) { Control.HeldUndo(path: $0) },
    .mirrored(Control.Select.self, .done) { Control.Select(path: $0) },
    .mirrored(Control.Metadata.self, .done) { Control.Metadata(path: $0) },
    .paths(Control.Get.self, .done, missing: unknown) { Control.Get(path: $0) },
    .paths(Control.DropAccept.self, unknown, missing: .fails(.invalidArguments)) {
      Control.DropAccept(drops: ["000000"], path: $0)
    },
    // The box would take files without any bytes.
    .paths(Control.DropCreate.self, .fails(.invalidArguments)) {
      Control.DropCreate(path: $0, maxSize: 0, maxFiles: 1)
    },
    .mirrored(Control.PublicUnmount.self, .fails(.badDatabase)) {
      Control.PublicUnmount(path: $0)
    },
  ]

  private static let ending: [TargetRow] = [
    .whole(Control.Purge.self, .asked, bob: .asked) { Control.Purge(share: $0) },
    .whole(Control.ShareStop.self, .done, bob: denied, isDestructive: true) {
      Control.ShareStop(share: $0)
    },
    // Bob's part ends in a share of his own test.
    .whole(Control.ShareLeave.self, denied, bob: .none) { Control.ShareLeave(share: $0) },
    .mirrored(Control.Remove.self, .done, isDestructive: true) { Control.Remove(path: $0) },
    // The part stands inside of a mirrored folder.
    .paths(
      Control.Move.self, .done, inside: .refused, part: .fails(.invalidArguments)
    ) {
      Control.Move(path: $0, place: $0)
    },
    .paths(
      Control.ShareTakeOut.self, .refused, part: .done, bob: .refused, isDestructive: true
    ) { Control.ShareTakeOut(path: $0) },
  ]

  // MARK: Reading

  private static let reading: [TargetRow] = [
    .wholeToRead(Control.ShareShow.self, inside: .done) { Control.ShareShow(share: $0) },
    .wholeToRead(Control.ShareParticipants.self, inside: .refused) {
      Control.ShareParticipants(share: $0)
    },
    .wholeToRead(Control.ShareRequests.self, inside: .refused) {
      Control.ShareRequests(share: $0)
    },
    .wholeToRead(Control.Schema.self, inside: .refused) { Control.Schema(zone: $0) },
    .wholeToRead(Control.Verify.self, inside: .refused) { Control.Verify(share: $0) },
    TargetRow(
      operation: Control.ViewOpen.self,
      outcomes: [
        .root: .done, .id: .done, .received: .done, .inside: .done, .missing: unknown,
        .part: .done, .receivedInside: .done,
      ]
    ) { Control.ViewOpen(share: $0) },
    .paths(Control.Changes.self, .done, inside: .refused) { Control.Changes(path: $0) },
    .paths(Control.Status.self, .done) { Control.Status(path: $0) },
    .paths(Control.StatusWatch.self, .fails(.operationCancelled)) {
      Control.StatusWatch(path: $0)
    },
    .paths(Control.Wait.self, .done) { Control.Wait(path: $0, timeoutSeconds: 60) },
    .paths(Control.Events.self, .done) { Control.Events(path: $0) },
    .paths(Control.Transfers.self, .done) { Control.Transfers(path: $0) },
    .paths(Control.TransferFirst.self, unknown) { Control.TransferFirst(path: $0) },
    .paths(Control.List.self, .done, missing: unknown) { Control.List(path: $0) },
    .paths(Control.Stat.self, .done) { Control.Stat(paths: [$0]) },
    .paths(Control.Can.self, .done, missing: unknown) { Control.Can(path: $0) },
    .paths(Control.Why.self, .done, missing: unknown) { Control.Why(path: $0) },
    .paths(Control.HeldList.self, .done) { Control.HeldList(path: $0) },
    .paths(Control.RescueList.self, .done) { Control.RescueList(path: $0) },
    .paths(Control.ConflictList.self, .done) { Control.ConflictList(path: $0) },
    .paths(Control.ConflictKeep.self, unknown) { Control.ConflictKeep(path: $0, choice: .both) },
    .paths(Control.ConflictMerge.self, unknown) { Control.ConflictMerge(path: $0) },
    .paths(Control.ConflictSave.self, unknown) {
      Control.ConflictSave(path: $0, versions: "", text: "")
    },
    .paths(
      Control.ReadContent.self, .fails(.invalidArguments),
      missing: .fails(.assetFileNotFound)
    ) { Control.ReadContent(path: $0) },
    // No upload has this name.
    .paths(Control.Upload.self, .fails(.invalidArguments)) {
      Control.Upload(path: $0, id: "", offset: 0, piece: "", isLast: true)
    },
    // None of the paths is in the home folder of the tests.
    .paths(Control.Directories.self, .fails(.permissionFailure)) { Control.Directories(path: $0) },
  ]

  private static let past: [TargetRow] = [
    .paths(Control.Log.self, .done, missing: unknown) { Control.Log(path: $0) },
    .paths(Control.History.self, .done, missing: unknown) { Control.History(path: $0) },
    .paths(Control.Tree.self, .done, missing: unknown) {
      Control.Tree(path: $0, at: Control.Moment(time: .now()))
    },
    .paths(Control.Fetch.self, .fails(.invalidArguments), missing: unknown) {
      Control.Fetch(path: $0, destination: "/nowhere/at/all", isFile: true)
    },
    .paths(Control.Restore.self, .done, missing: unknown) {
      Control.Restore(path: $0, at: Control.Moment(time: .now()), dryRun: true)
    },
    .paths(Control.Rewind.self, .done, missing: unknown) {
      Control.Rewind(path: $0, to: Control.Moment(time: .now()), dryRun: true)
    },
    .paths(
      Control.HistoryForget.self, .fails(.invalidArguments), missing: unknown, bob: denied,
      bobInside: denied
    ) { Control.HistoryForget(path: $0, dryRun: true) },
  ]

  // MARK: Operations whose purpose is a path inside a folder

  private static let making: [TargetRow] = [
    .paths(
      Control.Add.self, .done, inside: .fails(.alreadyShared), part: .done,
      bobInside: .fails(.alreadyShared)
    ) { Control.Add(path: $0) },
    .paths(
      Control.ShareCreate.self, .done, inside: .fails(.alreadyShared),
      missing: .fails(.invalidArguments),
      part: .fails(.alreadyShared), bob: denied, bobInside: .fails(.alreadyShared)
    ) { Control.ShareCreate(paths: [$0]) },
    .wholeToRead(Control.ShareAdd.self, .fails(.invalidArguments), inside: .refused) {
      Control.ShareAdd(share: $0, path: "/nowhere/at/all")
    },
  ]
}
