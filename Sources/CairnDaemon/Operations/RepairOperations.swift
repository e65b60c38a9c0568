import CairnContainer
import CairnControl
import CairnFolders
import CairnIdentity
import CairnReplica
import CairnThreads
import CairnZone

/// Restores objects that the container has lost. Only a person starts it: a container with short
/// logs may be in the middle of a restoration, or may be meant to be so.
struct RepairOperations: Operations {
  let one: OpenContainer
  let mounts: Mounts
  let shares: Shares
  let persons: Persons
  let records: RecordPaths
  let watch: AccountWatch

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.Repair.self) { try repair($0, $1) }
  }

  func repair(
    _ request: Control.Repair, _ stream: ResponseStream
  ) throws -> Control.RepairReply {
    try one.container.requireAccount()
    var reply = Control.RepairReply(steps: [], done: !request.dryRun)
    let zones: [Zone]
    if let share = request.share {
      zones = [try shares.zone(of: share, for: Control.Repair.self)]
    } else {
      // People first: nobody can say who signed an entry without them. Then the account.
      reply.steps += try repairPeople(request.dryRun)
      reply.steps += try takeBackFolders(request.dryRun)
      zones = try one.container.upkeep.zonesToVerify()
    }
    for zone in zones { reply.steps += try repairAlone(zone, request, stream) }
    if request.share == nil { reply.steps += try tidyInbox(request.dryRun) }
    guard reply.done, !reply.steps.isEmpty else { return reply }
    for mount in mounts.all { mount.mailbox.post(.zone) }
    watch.hint()
    return reply
  }

  private func repairPeople(_ isDryRun: Bool) throws -> [Control.RepairStep] {
    // All people are checked now, because some are never asked for.
    _ = try one.container.acquaintances.lookAtPeople()
    let troubles = one.container.people.troubles
    if !isDryRun { _ = try one.container.upkeep.putBackPeople() }
    let left = isDryRun ? [:] : one.container.people.troubles
    return troubles.sorted { $0.key < $1.key }.map { user, trouble in
      step(trouble, of: persons.told(user).handle ?? user.description, left[user] != nil)
    }
  }

  /// Returns the step of a repair for a person's chain, or the advice; `isLeft`: putting things
  /// back doesn't end its problem.
  private func step(
    _ trouble: LogTrouble, of who: String, _ isLeft: Bool
  ) -> Control.RepairStep {
    let object = trouble.object ?? "an object"
    let what: String
    let remedy: String
    switch trouble.kind {
    case .lostEnd, .damaged:
      what = "put what is missing of \(who)'s identity back as this device has read it"
      remedy =
        isLeft
        ? "\(object) isn't what this device has read there: take it away, and repair again." : ""
    case .twoHistories:
      what = "\(object) isn't the entry of \(who)'s identity that this device has read there"
      remedy =
        "What was read before holds here. Ask \(who), and compare `cairn user verify`; if somebody "
        + "has altered the object, take it away, and repair again."
    case .disputed:
      what = "\(who) has spoken of another chain of theirs than the container shows"
      remedy = Failures.sentence(trouble.remedy)
    case .held:
      what = "\(object) holds the identity of \(who)"
      remedy = Failures.sentence(trouble.remedy)
    case .elsewhere:
      what = "the identity of \(who) is kept elsewhere"
      remedy = Failures.sentence(trouble.remedy)
    }
    return Control.RepairStep(
      title: "the identity of \(who)", state: Control.LogState(trouble.kind), what: what,
      possible: remedy.isEmpty, remedy: remedy)
  }

  /// Takes back the folders of this person's that somebody else has made first.
  private func takeBackFolders(_ isDryRun: Bool) throws -> [Control.RepairStep] {
    try one.container.upkeep.blockedFolders().map { folder in
      let isTaken = try isDryRun || one.container.upkeep.takeBack(folder)
      return Control.RepairStep(
        title: "your folders in the container", state: .rubbish,
        what: "take away what stands in the place of \(folder.path): \(folder.obstacle)",
        possible: isTaken,
        remedy: isTaken
          ? ""
          : "You may not: ask its owner, or the owner of the container's folder, to remove it.")
    }
  }

  /// Deletes the objects of the inbox that are no messages. A failed deletion does no harm.
  private func tidyInbox(_ isDryRun: Bool) throws -> [Control.RepairStep] {
    let survey = try one.container.inbox.survey()
    guard survey.rubbish > 0 else { return [] }
    let left = try isDryRun ? 0 : one.container.inbox.tidy().left
    return [
      Control.RepairStep(
        title: "your inbox", state: .rubbish,
        what: "take away what is no message to you: \(survey.rubbish) objects"
          + (survey.isCut ? ", and those behind them" : ""), possible: left == 0,
        remedy: left == 0
          ? ""
          : "\(left) of them can be deleted only by their author, or by the owner of the "
            + "container's folder. They do no harm.")
    ]
  }

  /// Repairs one zone. An unreadable zone doesn't hide the others, and never counts as in order.
  private func repairAlone(
    _ zone: Zone, _ request: Control.Repair, _ stream: ResponseStream
  ) throws -> [Control.RepairStep] {
    do {
      let steps = try repair(zone, request, stream)
      guard steps.isEmpty, let trouble = zone.trouble else { return steps }
      return [
        step(
          zone, Control.LogState(trouble.kind), trouble.message, possible: false,
          remedy: Failures.sentence(trouble.remedy))
      ]
    } catch let error as CloudError {
      guard !error.isWorthRetrying || zone.trouble != nil else { throw error }
      let failure = Failures.control(error)
      return [
        step(
          zone, zone.trouble.map { Control.LogState($0.kind) } ?? .damaged, failure.message,
          possible: false, remedy: failure.remedy)
      ]
    }
  }

  private func repair(
    _ zone: Zone, _ request: Control.Repair, _ stream: ResponseStream
  ) throws -> [Control.RepairStep] {
    let isDryRun = request.dryRun
    let name = one.title(of: zone)
    let total = Int64(zone.header.sequence)
    let plan = try zone.planRepair(takesUnread: request.unread) { place in
      stream.progress(
        Control.Progress(done: Int64(place), total: total, unit: "entries", what: "reading \(name)")
      )
    }
    var steps: [Control.RepairStep] = []
    if let trouble = plan.trouble, plan.follows {
      steps.append(try follow(zone, plan, trouble, isDryRun))
      // What content is needed then shows only in the other history.
      if isDryRun { return steps }
    } else {
      steps += try putBack(zone, plan, isDryRun)
      steps += try compareAnew(zone, isDryRun)
    }
    return try steps + mend(zone, isDryRun, stream)
  }

  private func step(
    _ zone: Zone, _ state: Control.LogState, _ what: String, possible: Bool = true,
    remedy: String = "", paths: [Control.Path] = []
  ) -> Control.RepairStep {
    Control.RepairStep(
      zone: zone.id.description, title: one.title(of: zone),
      path: mounts.first(of: zone.id).map { Control.Path($0.path) }, state: state, what: what,
      possible: possible, remedy: remedy, paths: paths)
  }

  private static func claim(of held: LogTrouble) -> String {
    held.isRubbish
      ? "is nobody's entry"
      : "can't be read here; if it is a good entry, of a newer Cairn or of somebody whom the "
        + "container doesn't show, what it says is lost until its author's device repairs"
  }

  private func putBack(
    _ zone: Zone, _ plan: LogRepair, _ isDryRun: Bool
  ) throws -> [Control.RepairStep] {
    let state = plan.trouble.map { Control.LogState($0.kind) } ?? .damaged
    var steps: [Control.RepairStep] = []
    if let held = plan.held {
      if !isDryRun { try zone.takeAway(held) }
      steps.append(
        step(
          zone, state,
          "take \(held.object ?? "the object") away, which holds the place of entry "
            + "\(held.seen) of the log and \(Self.claim(of: held))"))
    }
    if !plan.kept.isEmpty {
      if !isDryRun { try zone.putBack(plan.kept) }
      steps.append(
        step(zone, state, "put \(Self.entries(plan.kept)) of the log back as they were"))
    }
    if !plan.lost.isEmpty {
      steps.append(
        step(
          zone, .damaged, "\(Self.entries(plan.lost)) of the log can't be had from this device",
          possible: false,
          remedy: "Run `cairn repair` on a device that has the folder for longer."))
    }
    return steps
  }

  /// Continues with the container's history. In this order of writes an interruption loses nothing:
  /// first the folders get the common past, then the log gets the changes that only this device
  /// has, and the index is rebuilt last.
  private func follow(
    _ zone: Zone, _ plan: LogRepair, _ trouble: LogTrouble, _ isDryRun: Bool
  ) throws -> Control.RepairStep {
    let state = Control.LogState(trouble.kind)
    var what =
      "continue with the history in the container, which is the same up to entry "
      + "\(trouble.agreed); what only this device has comes as new changes, and where both changed "
      + "something both versions stay"
    var remedy: [String] = []
    if !plan.lost.isEmpty {
      remedy.append(
        "\(Failures.sentence(Self.entries(plan.lost))) isn't kept here: if another device has it, "
          + "run `cairn repair` there instead, which puts everything back as it was.")
    }
    guard !isDryRun else {
      return step(zone, state, what, remedy: remedy.joined(separator: " "))
    }
    if !plan.kept.isEmpty { try zone.putBack(plan.kept) }
    let common = try zone.common(upTo: trouble.agreed)
    for mount in mounts.of(zone.id) {
      try mount.ask { try $0.compareAnew(since: common) }
    }
    let result = try zone.follow(common)
    if result.raisedEpoch { what += "; from here on under epoch \(zone.header.epoch)" }
    if !result.raisedEpoch, let owner = zone.header.owner, owner != one.container.account.user {
      remedy.append(
        "Only \(persons.told(owner).handle ?? "the owner") can begin a new epoch: they run "
          + "`cairn repair`, too.")
    }
    remedy += try shareChanges(result.lostShareChanges, in: zone)
    return step(zone, state, what, remedy: remedy.joined(separator: " "))
  }

  /// The lost changes of the share. A person must repeat them.
  private func shareChanges(_ changes: [ShareChange], in zone: Zone) throws -> [String] {
    guard !changes.isEmpty else { return [] }
    let history = try zone.read { view in
      let history = ZoneHistory(view: view) { [self] user in persons.told(user).handle ?? "somebody"
      }
      return changes.map { history.text(of: $0) }
    }
    return [
      "These changes of the share are lost; the owner or an administrator has to repeat them: "
        + history.joined(separator: ", ") + "."
    ]
  }

  /// The folders that were synced with an earlier log of the zone.
  private func compareAnew(_ zone: Zone, _ isDryRun: Bool) throws -> [Control.RepairStep] {
    try mounts.of(zone.id).compactMap { mount in
      guard let lost = try mount.ask({ try $0.lostToken() }), zone.trouble == nil else {
        return nil
      }
      if !isDryRun { try mount.ask { try $0.compareAnew(since: nil) } }
      var step = step(
        zone, Control.LogState(lost.kind),
        "compare the folder as a whole with the zone: what only the folder has is put into the "
          + "zone again, unless its deletion stands in the log, and what differs stays in both "
          + "versions"
      )
      step.path = Control.Path(mount.path)
      return step
    }
  }

  /// Returns the way to get back the contents of these records.
  private static func remedy(_ holders: [Record], hasPaths: Bool) -> String {
    guard !holders.isEmpty else {
      return "It isn't needed now; a copy of the container may have it."
    }
    return hasPaths
      ? "Run `cairn repair` on a device whose folder has these files."
      : "Records of a program need it, and no folder has their bytes: put the pack back from a "
        + "copy of the container, or store the asset again with that program."
  }

  private func mend(
    _ zone: Zone, _ isDryRun: Bool, _ stream: ResponseStream
  ) throws -> [Control.RepairStep] {
    let name = one.title(of: zone)
    let broken = try zone.brokenChunks { done, total in
      stream.progress(
        Control.Progress(
          done: Int64(done), total: Int64(total), unit: "pieces", what: "reading \(name)"))
    }
    guard !broken.isEmpty else { return [] }
    var left = broken
    for mount in mounts.of(zone.id) where !left.isEmpty {
      let rest = left
      left = try mount.ask { engine in
        try engine.zone.mend(rest, isDryRun: isDryRun) { try engine.lend($0, $1) }
      }
    }
    var steps: [Control.RepairStep] = []
    if left.count < broken.count {
      let count = broken.count - left.count
      steps.append(
        step(
          zone, .damaged,
          "put \(count) \(count == 1 ? "piece" : "pieces") of content back from the files here"))
    }
    guard !left.isEmpty else { return steps }
    let holders = try zone.records(holding: left)
    let files = records.paths(of: holders.map(\.id), in: zone)
    steps.append(
      step(
        zone, .damaged,
        "\(left.count) \(left.count == 1 ? "piece" : "pieces") of content can't be had from this "
          + "device" + (holders.isEmpty ? ", of files that are gone or older versions" : ""),
        possible: false, remedy: Self.remedy(holders, hasPaths: !files.isEmpty), paths: files))
    return steps
  }

  /// Returns positions of a log in words: "entries 3, 5 to 8".
  static func entries(_ places: [UInt64]) -> String {
    var runs: [ClosedRange<UInt64>] = []
    for place in places.sorted() {
      if let last = runs.last, last.upperBound + 1 == place {
        runs[runs.count - 1] = last.lowerBound...place
      } else {
        runs.append(place...place)
      }
    }
    let words = runs.map {
      $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound) to \($0.upperBound)"
    }
    return (places.count == 1 ? "entry " : "entries ") + words.joined(separator: ", ")
  }
}
