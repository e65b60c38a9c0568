import CairnFolders

/// Trouble while people give commands, and moves of mirrored folders. Both have dice of their own,
/// so that the commands of a seed stay the same.
extension MovingStory {
  /// Draws the trouble while everybody comes to rest after a command.
  func drawTrouble() {
    guard hasTrouble, trouble.once(in: 2) else { return }
    let number = trouble.number(below: people.count)
    // A folder that is missing when a daemon starts wasn't deleted, as far as it knows.
    guard number != leaver else { return }
    let person = people[number]
    let call = 1 + trouble.number(below: trouble.pick([20, 150, 600]))
    let what: String
    switch trouble.number(below: 7) {
    case 0:
      person.disk.interrupt(after: call, .fail(28))
      what = "disk is full"
    case 1:
      person.disk.interrupt(after: call, .fail(122))
      what = "quota is used up"
    case 2:
      person.disk.interrupt(after: call, .crash)
      what = "daemon ends at call \(call)"
    case 3:
      person.store.isOffline = true
      what = "container is away"
    case 4:
      person.clock.offset = Int64(trouble.number(below: 41) - 20) * SimulatedClock.year
      what = "calendar jumps"
    case 5:
      time.now += Int64(1 + trouble.number(below: 72)) * 3_600 * SimulatedClock.second
      what = "machine slept, as all others"
    default:
      person.disk.isDead = true
      what = "daemon is killed"
    }
    count(what)
    trace.note("    \(Scene.handle(number))'s \(what)")
  }

  /// Ends the outages after a while.
  func heal() {
    for person in people where person.store.isOffline {
      person.store.isOffline = false
      person.hint()
    }
  }

  /// Moves a mirrored folder to another place, also into another mirrored one, by `cairn move`
  /// alone or by hand before.
  /// - Returns: Whether there was one.
  func moveFolder() throws -> Bool {
    guard hasTrouble, trouble.once(in: 6) else { return false }
    let person = trouble.number(below: people.count)
    let roots = model.mounts[person].filter {
      $0.key != "/folder" && !$0.value.isFile && $0.value.outer == nil
    }.keys.sorted()
    guard !roots.isEmpty else { return false }
    let path = trouble.pick(roots)
    let around = [""] + directories(person).filter { $0 != path && !$0.hasPrefix(path + "/") }
    let place = trouble.pick(around) + "/" + name("M")
    let isByHand = trouble.once(in: 2)
    trace.note(
      "\(acts): \(Scene.handle(person)) moves \(path) to \(place)\(isByHand ? " by hand" : "")")
    if isByHand {
      guard rename(path, to: place, person) else { return false }
      // Its daemon may find that the folder is gone, before the command.
      if trouble.once(in: 2) { people[person].work() }
    }
    try people[person].ask {
      try people[person].move(path, to: place) { isByHand || rename(path, to: place, person) }
    }
    model.moveMount(path, to: place, person)
    count("folder moved")
    return true
  }

  /// Returns the directory for an accepted share: sometimes one of another mirrored folder.
  func placeForShare(of person: Int) -> String {
    guard hasTrouble, trouble.once(in: 3) else { return "" }
    return trouble.pick([""] + directories(person))
  }

  private func rename(_ path: String, to place: String, _ person: Int) -> Bool {
    guard let from = inode(Household.parent(of: path), person),
      let to = inode(Household.parent(of: place), person)
    else { return false }
    let result = people[person].disk.rename(
      Array(Household.name(of: path).utf8), in: from, to: Array(Household.name(of: place).utf8),
      in: to, .toFreeName)
    return result == 0
  }
}
