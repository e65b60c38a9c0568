/// What a person does in their folder. The numbers choose among what stands there, so that an
/// operation means something in any state: a shortened script stays a script.
enum Operation: Hashable, Sendable {
  case create(place: UInt32, name: UInt32, size: UInt32)
  /// Opens, truncates, writes, closes.
  case edit(file: UInt32, size: UInt32)
  /// Writes a new file and renames it over the old one, as editors do.
  case replace(file: UInt32, size: UInt32)
  case append(file: UInt32)
  case makeDirectory(place: UInt32, name: UInt32)
  case makeSymlink(place: UInt32, name: UInt32)
  /// A second name for a file, in the same folder or outside of it.
  case link(file: UInt32, place: UInt32, name: UInt32)
  case rename(entry: UInt32, place: UInt32, name: UInt32)
  /// Swaps the names of two entries, by three renames.
  case swap(entry: UInt32, other: UInt32)
  case delete(file: UInt32)
  case deleteTree(directory: UInt32)
  /// Deletes a file and makes one of the same name.
  case recreate(file: UInt32, size: UInt32)
  case changeMode(file: UInt32)
  case touch(entry: UInt32)
  /// Opens a file for writing and writes the first half of a new version into it.
  case beginWriting(file: UInt32)
  /// Writes the rest of it and closes the file, wherever it stands by now.
  case finishWriting
}

/// One thing that happens in a story.
enum Step: Hashable, Sendable {
  case operation(person: Int, Operation)
  /// The same, by names.
  case deed(person: Int, Deed)
  /// A person's daemon hears of what happened and works, for that many turns at most.
  case work(person: Int, turns: Int, hints: HintFate)
  /// The next work of this person's daemon is interrupted at that call to the disk.
  case interruptDisk(person: Int, call: Int, DiskFault)
  /// The next work is interrupted at that call to the container.
  case interruptStore(person: Int, call: Int, StoreFault)
  /// Objects of others stay invisible for that many looks.
  case delay(person: Int, looks: Int)
  /// What becomes from here on of what tells a person's daemon that others wrote.
  case wake(person: Int, WakeFate)
  case offline(person: Int)
  case online(person: Int)
  case restart(person: Int)
  /// The hints that wait for a person's daemon come in another order.
  case shuffleHints(person: Int, as: Int)
  /// A copy of this person's index is made, which a power cut may leave.
  case noteIndex(person: Int)
  /// The daemon's indexes are deleted while it is stopped.
  case deleteIndex(person: Int, IndexLoss)
  /// The owner lets a person only read, or write again.
  case setPermission(person: Int, mayWrite: Bool)
  case setCalendar(person: Int, years: Int)
  /// The mirrored folder isn't at its path any more, until it is shown again.
  case hideRoot(person: Int, RootFate)
  case showRoot(person: Int)
  /// A copy of the folder on another disk takes its place, as when a machine is replaced.
  case replaceDisk(person: Int)
  /// A person makes a copy of the folder, elsewhere.
  case copyFolder(person: Int)
  /// That copy takes the folder's place, in which nothing waits.
  case restoreFolder(person: Int)
  /// The container is as it was so many entries of the zone's log ago.
  case rollBack(entries: Int)
  /// The owner removes a person from the share.
  case remove(person: Int)
  /// The owner invites them again, and they accept as soon as they have given up their folder;
  /// `isFromNow`: to see the present only.
  case invite(person: Int, mayWrite: Bool, isFromNow: Bool)
  /// A person has what the container lost put back.
  case repair(person: Int)
  /// Somebody who has no key, and may write to the container, puts something there, or takes it
  /// away.
  case intrude(Intrusion)
  /// Somebody who may read the zone, and write to the container, puts rubbish into the place of the
  /// log that this person's daemon writes to next, right before it does.
  case takePlace(person: Int, size: Int)
  /// A person who was removed takes back an entry of theirs, or alters it: of those that they put,
  /// the one of that number.
  case takeBack(person: Int, entry: Int, Revenge)
  /// A person lets one more device in, which is stolen at once.
  case steal(person: Int)
  /// The person revokes that device.
  case revokeStolen(person: Int)
  /// Its thief goes on with the keys that they have, and brings what comes of it into the container
  /// once the device is revoked; the number says what it is.
  case forge(person: Int, number: Int)
  /// The owner makes a person an administrator, who turns against the others; the number says how.
  case goMad(person: Int, number: Int)
  /// The owner throws away what nobody needs, when that many days have passed by their clock since
  /// they did last, and keeps so many past versions of each file; nil: all.
  case collectGarbage(days: Int, versions: Int?)
  /// Time passes, in milliseconds.
  case wait(Int)

  /// What a stranger does to the container.
  enum Intrusion: Hashable, Sendable {
    /// Puts rubbish beside an object, under a name like its own; both follow from the number.
    case rubbish(number: Int, size: Int)
    /// Puts the bytes of one object under such a name.
    case copy(number: Int)
    /// Takes away what strangers put.
    case withdraw
  }

  enum Revenge: Hashable, Sendable, CaseIterable {
    case removes, alters
  }

  /// What becomes of the hints that wait.
  enum HintFate: Int, Hashable, Sendable, CaseIterable {
    case delivered, shuffled, doubled, overflow, lost
  }

  /// What becomes of wake-ups, which are bells, notices and datagrams.
  enum WakeFate: String, Hashable, Sendable, CaseIterable {
    case heard, lost, late, doubled
  }

  enum DiskFault: Hashable, Sendable {
    case full, overQuota, broken, tooManyFiles
    case crash, powerCut
    case writer(Operation)
  }

  enum StoreFault: Hashable, Sendable {
    case full, unreachable, lostAnswer, truncated, altered, crash
    /// What is put is put again some calls later, as by a request that was on its way for long.
    case repeated
    /// A list shows what the last one did, and of what others have done since nothing.
    case oldList
    /// Another person's daemon works right before the call.
    case race(with: Int)
  }

  /// What stands at the path of a hidden folder.
  enum RootFate: Int, Hashable, Sendable, CaseIterable {
    case nothing, empty, stranger, otherDisk
  }

  enum IndexLoss: Int, Hashable, Sendable, CaseIterable {
    case folders, zones, all
  }

  /// Whose step it is; nil if nobody's.
  var person: Int? {
    switch self {
    case .operation(let person, _), .deed(let person, _), .noteIndex(let person),
      .shuffleHints(let person, _), .work(let person, _, _), .interruptDisk(let person, _, _),
      .interruptStore(let person, _, _), .delay(let person, _),
      .wake(let person, _), .offline(let person),
      .online(let person), .restart(let person), .deleteIndex(let person, _),
      .setPermission(let person, _), .setCalendar(let person, _), .hideRoot(let person, _),
      .showRoot(let person), .repair(let person), .remove(let person), .invite(let person, _, _),
      .replaceDisk(let person), .copyFolder(let person), .restoreFolder(let person),
      .takePlace(let person, _), .takeBack(let person, _, _), .steal(let person),
      .revokeStolen(let person), .forge(let person, _), .goMad(let person, _):
      person
    case .wait, .rollBack, .intrude, .collectGarbage: nil
    }
  }
}
