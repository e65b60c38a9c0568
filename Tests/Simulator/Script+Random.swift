/// The drawing of scripts from a seed.
extension Script {
  /// The kind of trouble in a story.
  enum Kind: String, CaseIterable, Sendable {
    case calm, oneSided, disk, crash, power, store, writers, rights, people, root, container,
      hostile, everything, garbage, links, lies, bucket, selection, text, index, metadata

    /// The kinds that a seed draws. The others are played where they are named, so that the seeds
    /// stay the same stories.
    static let drawn = allCases.filter { ![.selection, .text, .index, .metadata].contains($0) }
  }

  /// Creates the script of a seed.
  /// - Parameters:
  ///   - seed: The source of everything drawn.
  ///   - kind: The kind of trouble; nil draws one.
  ///   - operations: The approximate number of people's operations.
  init(seed: UInt64, kind: Kind? = nil, operations: Int = 100) {
    var dice = Dice(seed: seed)
    let drawn = dice.pick(Kind.drawn)
    var besideKind = Dice(beside: seed ^ 0x5E1)
    let kind = kind ?? (besideKind.once(in: Kind.drawn.count + 1) ? .selection : drawn)
    let people = dice.pick([2, 2, 2, 2, 3, 3, 3, 4, 4, 5])
    var traits: [SimulatedDisk.Traits] = []
    for _ in 0..<people {
      var one = SimulatedDisk.Traits()
      if dice.once(in: 12) { one.hasRenameFlags = false }
      if dice.once(in: 12) { one.hasBirths = false }
      if dice.once(in: 12) { one.hasLeases = false }
      traits.append(one)
    }
    var draw = Draw(dice: dice, people: people, kind: kind)
    self.init(
      seed: seed, people: people, traits: traits, steps: draw.steps(operations), sabotage: nil)
    var beside = Dice(beside: seed ^ 0xFA5)
    distant = Set((0..<people).filter { _ in beside.once(in: 2) })
  }

  /// The state while one script is drawn.
  private struct Draw {
    var dice: Dice
    let people: Int
    let kind: Kind
    var made = 0
    /// The person with a stolen device, and whether it is revoked.
    private var stolen: Int?
    private var isRevoked = false
    /// A Boolean value that indicates whether the owner keeps every version.
    private let keepsAll: Bool

    init(dice: Dice, people: Int, kind: Kind) {
      (self.dice, self.people, self.kind) = (dice, people, kind)
      var beside = dice
      keepsAll = beside.once(in: 3)
    }

    mutating func steps(_ operations: Int) -> [Step] {
      var steps: [Step] = []
      // Some files exist before the first fault.
      for _ in 0..<6 { steps.append(.operation(person: writer(), creation())) }
      made = 6
      if kind == .metadata {
        for person in 0..<people where person == 0 || dice.number(below: 4) > 0 {
          steps.append(.metadata(person: person, isFull: true))
        }
      }
      for person in 0..<people {
        steps.append(.work(person: person, turns: 20, hints: .delivered))
      }
      while made < operations { steps += next() }
      return steps
    }

    private mutating func person() -> Int { dice.number(below: people) }

    private mutating func writer() -> Int { kind == .oneSided ? people - 1 : person() }

    private mutating func next() -> [Step] {
      switch dice.number(below: 100) {
      case 0..<64: return [operation()]
      case 64..<86: return [work()]
      case 86..<96: return trouble()
      default: return [aside()]
      }
    }

    private mutating func work() -> Step {
      var fate = Step.HintFate.delivered
      // Only a hint tells by which name a file was changed.
      let fates: [Step.HintFate] =
        kind == .links ? [.delivered, .shuffled, .doubled] : Step.HintFate.allCases
      if kind != .calm, dice.once(in: 4) { fate = dice.pick(fates) }
      return .work(person: person(), turns: dice.pick([1, 2, 3, 5, 10, 20]), hints: fate)
    }

    private mutating func operation() -> Step {
      made += 1
      return .operation(person: writer(), action())
    }

    private mutating func number() -> UInt32 { UInt32(truncatingIfNeeded: dice.next()) }

    private mutating func size() -> UInt32 {
      if kind == .garbage, dice.once(in: 4) { return UInt32(Versions.large) + number() % 20_000 }
      return switch dice.number(below: 40) {
      case 0: 70_000 + number() % 20_000
      case 1..<4: 4_000 + number() % 4_000
      default: 20 + number() % 200
      }
    }

    private mutating func creation() -> Operation {
      if kind == .text { return .writeLine(file: number(), line: number()) }
      return dice.once(in: 3)
        ? .makeDirectory(place: number(), name: number())
        : .create(place: number(), name: number(), size: size())
    }

    private mutating func action() -> Operation {
      if kind == .text { return creation() }
      if kind == .links, dice.once(in: 5) {
        return .link(file: number(), place: number(), name: number())
      }
      return switch dice.number(below: 100) {
      case 0..<22: creation()
      case 22..<36: .edit(file: number(), size: size())
      case 36..<46: .replace(file: number(), size: size())
      case 46..<51: .append(file: number())
      case 51..<54: .makeSymlink(place: number(), name: number())
      case 60..<72 where kind == .metadata: .changeMode(file: number())
      case 54..<72: .rename(entry: number(), place: number(), name: number())
      case 72..<75: .swap(entry: number(), other: number())
      case 75..<82: .delete(file: number())
      case 82..<86: .deleteTree(directory: number())
      case 86..<89: .recreate(file: number(), size: size())
      case 89..<92: .changeMode(file: number())
      case 92..<94: .touch(entry: number())
      // A program with an open file changes it without events.
      case 94..<97 where kind != .links: .beginWriting(file: number())
      default: .finishWriting
      }
    }

    /// A fault, and the work that it hits.
    private mutating func trouble() -> [Step] {
      let someone = person()
      let fault: Step?
      switch kind {
      case .calm, .oneSided, .links: fault = nil
      case .lies: fault = .interruptStore(person: someone, call: storeCall(), .altered)
      case .disk: fault = .interruptDisk(person: someone, call: call(), diskFault())
      case .crash:
        fault =
          dice.once(in: 3)
          ? .interruptStore(person: someone, call: 1 + dice.number(below: 12), .crash)
          : .interruptDisk(person: someone, call: call(), .crash)
      case .power: fault = .interruptDisk(person: someone, call: call(), .powerCut)
      case .store: fault = .interruptStore(person: someone, call: storeCall(), storeFault(someone))
      case .bucket: fault = bucket(someone)
      case .writers:
        made += 1
        fault = .interruptDisk(person: someone, call: call(), .writer(action()))
      case .rights:
        fault =
          people > 1
          ? .setPermission(person: 1 + dice.number(below: people - 1), mayWrite: dice.once(in: 2))
          : nil
      case .people: fault = people(someone)
      case .root: fault = root(someone)
      case .container: fault = container(someone)
      case .hostile: fault = hostile(someone)
      case .garbage: fault = garbage(someone)
      case .selection: fault = selection(someone)
      case .index: fault = index(someone)
      case .metadata: fault = metadata(someone)
      case .text:
        fault =
          dice.once(in: 2)
          ? .interruptDisk(person: someone, call: call(), .crash) : bucket(someone)
      case .everything: fault = anything(someone)
      }
      let turns = dice.pick([2, 5, 20])
      return (fault.map { [$0] } ?? [])
        + [.work(person: someone, turns: turns, hints: .delivered)]
    }

    /// The answers of a bucket, and the fate of writers' change markers.
    private mutating func bucket(_ someone: Int) -> Step {
      switch dice.number(below: 12) {
      case 0..<2: .interruptStore(person: someone, call: storeCall(), .lostAnswer)
      case 2..<4: .interruptStore(person: someone, call: storeCall(), .repeated)
      case 4..<6: .interruptStore(person: someone, call: storeCall(), .unreachable)
      case 6..<8: .interruptStore(person: someone, call: storeCall(), .oldList)
      case 8: .interruptStore(person: someone, call: storeCall(), .crash)
      case 9:
        .interruptStore(
          person: someone, call: storeCall(),
          .race(with: (someone + 1 + dice.number(below: people - 1)) % people))
      default: .wake(person: someone, dice.pick(Step.WakeFate.allCases))
      }
    }

    /// The file system of an index stops alone, also among other faults.
    private mutating func index(_ someone: Int) -> Step {
      switch dice.number(below: 8) {
      case 0: return .interruptDisk(person: someone, call: call(), .crash)
      case 1: return .interruptStore(person: someone, call: storeCall(), storeFault(someone))
      case 2:
        made += 1
        return .interruptDisk(person: someone, call: call(), .writer(action()))
      default: return .cutIndex(person: someone)
      }
    }

    private mutating func root(_ someone: Int) -> Step {
      switch dice.number(below: 8) {
      case 0..<4: .showRoot(person: someone)
      case 4:
        dice.pick([
          .replaceDisk(person: someone), .copyFolder(person: someone),
          .restoreFolder(person: someone),
        ])
      default: .hideRoot(person: someone, dice.pick(Step.RootFate.allCases))
      }
    }

    private mutating func people(_ someone: Int) -> Step {
      let other = 1 + dice.number(below: people - 1)
      switch dice.number(below: 13) {
      case 0..<3: return .remove(person: other)
      case 3..<6: return invitation(of: other)
      case 6: return .interruptDisk(person: someone, call: call(), .crash)
      case 7..<12: return .succeed(person: other, number: dice.number(below: 1_000))
      default: return .setPermission(person: other, mayWrite: dice.once(in: 2))
      }
    }

    private mutating func container(_ someone: Int) -> Step {
      switch dice.number(below: 11) {
      case 0..<4: .rollBack(entries: 1 + dice.number(below: dice.pick([2, 4, 12])))
      case 4: .interruptStore(person: someone, call: storeCall(), .crash)
      case 5: .interruptDisk(person: someone, call: call(), .crash)
      case 6: .offline(person: someone)
      case 7:
        .setPermission(
          person: 1 + dice.number(below: people - 1), mayWrite: dice.once(in: 2))
      default: .repair(person: someone)
      }
    }

    private mutating func hostile(_ someone: Int) -> Step {
      let other = 1 + dice.number(below: people - 1)
      switch dice.number(below: 26) {
      case 0..<3:
        return .intrude(
          .rubbish(number: dice.number(below: 100_000), size: dice.pick([0, 1, 60, 600, 70_000])))
      case 3..<5: return .intrude(.copy(number: dice.number(below: 100_000)))
      case 5: return .intrude(.withdraw)
      case 6..<8: return .takePlace(person: someone, size: dice.pick([0, 1, 300]))
      case 8: return .remove(person: other)
      case 9..<12:
        return .takeBack(
          person: other, entry: dice.number(below: 1_000), dice.pick(Step.Revenge.allCases))
      case 12: return invitation(of: other)
      case 13: return .interruptStore(person: someone, call: storeCall(), storeFault(someone))
      case 14..<22: return theft(someone)
      case 22..<24: return .goMad(person: other, number: dice.number(below: 1_000))
      default: return .repair(person: someone)
      }
    }

    /// One device in a story is stolen, used, revoked, and used again.
    private mutating func theft(_ someone: Int) -> Step {
      guard let victim = stolen else {
        stolen = someone
        return .steal(person: someone)
      }
      // The first attempt may have no effect.
      if dice.once(in: isRevoked ? 5 : 2) {
        isRevoked = true
        return .revokeStolen(person: victim)
      }
      return .forge(person: victim, number: dice.number(below: 1_000))
    }

    private mutating func invitation(of other: Int) -> Step {
      .invite(person: other, mayWrite: !dice.once(in: 4), isFromNow: dice.once(in: 3))
    }

    private mutating func garbage(_ someone: Int) -> Step {
      switch dice.number(below: 10) {
      case 0..<6:
        .collectGarbage(
          days: dice.pick([0, 1, 8, 8, 8, 30]),
          versions: keepsAll ? nil : dice.pick([nil, 0, 0, 1, 3]))
      case 6: .interruptDisk(person: someone, call: call(), .crash)
      case 7: .interruptStore(person: someone, call: storeCall(), .crash)
      default: .interruptStore(person: someone, call: storeCall(), storeFault(someone))
      }
    }

    /// A person selects something else, in the middle of everything.
    private mutating func selection(_ someone: Int) -> Step {
      switch dice.number(below: 10) {
      case 0: return .interruptDisk(person: someone, call: call(), .crash)
      case 1: return .interruptStore(person: someone, call: storeCall(), .crash)
      case 2:
        return .setPermission(
          person: 1 + dice.number(below: people - 1), mayWrite: dice.once(in: 2))
      default:
        return .select(person: someone, dice.pick(Step.Selecting.allCases), entry: number())
      }
    }

    /// Somebody wants other attributes, in the middle of everything.
    private mutating func metadata(_ someone: Int) -> Step {
      switch dice.number(below: 10) {
      case 0: return .interruptDisk(person: someone, call: call(), .crash)
      case 1: return .interruptStore(person: someone, call: storeCall(), .crash)
      case 2: return .interruptDisk(person: someone, call: call(), diskFault())
      case 3: return .interruptDisk(person: someone, call: call(), .powerCut)
      case 4..<8:
        made += 1
        return .interruptDisk(person: someone, call: call(), .writer(action()))
      default: return .metadata(person: someone, isFull: dice.number(below: 3) > 0)
      }
    }

    private mutating func anything(_ someone: Int) -> Step {
      switch dice.number(below: 8) {
      case 7 where people > 1:
        let other = 1 + dice.number(below: people - 1)
        return .succeed(person: other, number: dice.number(below: 1_000))
      case 0: return .interruptDisk(person: someone, call: call(), diskFault())
      case 1: return .interruptDisk(person: someone, call: call(), .crash)
      case 2: return .interruptDisk(person: someone, call: call(), .powerCut)
      case 3, 4:
        made += 1
        return .interruptDisk(person: someone, call: call(), .writer(action()))
      case 5: return root(someone)
      default:
        return .interruptStore(person: someone, call: storeCall(), storeFault(someone))
      }
    }

    /// The number of a call: in the middle, early or late.
    private mutating func call() -> Int {
      1 + dice.number(below: dice.pick([5, 30, 100, 300]))
    }

    private mutating func storeCall() -> Int { 1 + dice.number(below: 10) }

    private mutating func diskFault() -> Step.DiskFault {
      dice.pick([.full, .overQuota, .broken, .tooManyFiles])
    }

    private mutating func storeFault(_ someone: Int) -> Step.StoreFault {
      switch dice.number(below: 6) {
      case 0: .full
      case 1: .unreachable
      case 2: .lostAnswer
      case 3: .truncated
      default: .race(with: (someone + 1 + dice.number(below: people - 1)) % people)
      }
    }

    private mutating func aside() -> Step {
      switch (kind, dice.number(below: 6)) {
      case (.calm, _), (.oneSided, _), (.links, _): .wait(dice.number(below: 2_000))
      case (_, 0): .restart(person: person())
      case (.bucket, 1), (.bucket, 2): people(person())
      // A bucket never hides objects from a get: only its lists may be old.
      case (.bucket, 4): .deleteIndex(person: person(), dice.pick(Step.IndexLoss.allCases))
      case (.store, 1), (.everything, 1): .offline(person: person())
      case (.store, 2), (.everything, 2): .online(person: person())
      case (.store, 3): .delay(person: person(), looks: 1 + dice.number(below: 3))
      case (.container, 5): .online(person: person())
      case (.people, 1), (.people, 2):
        .invite(
          person: 1 + dice.number(below: people - 1), mayWrite: true, isFromNow: false)
      case (.root, 1), (.root, 2): .showRoot(person: person())
      case (.container, 1), (.container, 2): .repair(person: person())
      case (.selection, 1), (.selection, 2):
        .select(person: person(), dice.pick(Step.Selecting.allCases), entry: number())
      case (.crash, 1), (.text, 1), (.everything, 3), (.selection, 3), (.container, 3), (.root, 3),
        (.people, 3), (.lies, 1), (.lies, 2), (.metadata, 1):
        .deleteIndex(person: person(), dice.pick(Step.IndexLoss.allCases))
      case (_, 4): .setCalendar(person: person(), years: dice.number(below: 41) - 20)
      default: .wait(dice.number(below: 12_000))
      }
    }
  }
}
