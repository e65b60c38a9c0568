/// A person's action in their folder. The numbers select among the existing files, so an operation
/// has a meaning in any state: a shortened script remains a script.
enum Operation: Hashable, Sendable {
  case create(place: UInt32, name: UInt32, size: UInt32)
  /// Opens, truncates, writes, closes.
  case edit(file: UInt32, size: UInt32)
  /// Writes a new file and renames it over the old one, like an editor.
  case replace(file: UInt32, size: UInt32)
  case append(file: UInt32)
  /// Puts a new line somewhere into a text; creates the text if there is none.
  case writeLine(file: UInt32, line: UInt32)
  case makeDirectory(place: UInt32, name: UInt32)
  case makeSymlink(place: UInt32, name: UInt32)
  /// Gives a file a second name, in the same folder or outside.
  case link(file: UInt32, place: UInt32, name: UInt32)
  case rename(entry: UInt32, place: UInt32, name: UInt32)
  /// Swaps the names of two entries, by three renames.
  case swap(entry: UInt32, other: UInt32)
  case delete(file: UInt32)
  case deleteTree(directory: UInt32)
  /// Deletes a file and creates one with the same name.
  case recreate(file: UInt32, size: UInt32)
  case changeMode(file: UInt32)
  case touch(entry: UInt32)
  /// Opens a file for writing and writes the first half of a new version into it.
  case beginWriting(file: UInt32)
  /// Writes the rest and closes the file, wherever it is by now.
  case finishWriting
}

/// One event of a story.
enum Step: Hashable, Sendable {
  case operation(person: Int, Operation)
  /// The same, with names.
  case deed(person: Int, Deed)
  /// A person's daemon gets its hints and works, for at most that many sync cycles.
  case work(person: Int, turns: Int, hints: HintFate)
  /// The next work of this person's daemon is interrupted at that disk call.
  case interruptDisk(person: Int, call: Int, DiskFault)
  /// The next work is interrupted at that container call.
  case interruptStore(person: Int, call: Int, StoreFault)
  /// Objects of others stay invisible for that many reads.
  case delay(person: Int, looks: Int)
  /// The fate of a person's push messages from now on.
  case wake(person: Int, WakeFate)
  case offline(person: Int)
  case online(person: Int)
  case restart(person: Int)
  /// The waiting hints of a person's daemon change their order.
  case shuffleHints(person: Int, as: Int)
  /// This person's index is copied, as a state that a power cut may leave.
  case noteIndex(person: Int)
  /// The file system of this person's index stops alone, and is mounted again: the index returns to
  /// its copy, and the folder loses nothing.
  case cutIndex(person: Int)
  /// The daemon's indexes are deleted while it is stopped.
  case deleteIndex(person: Int, IndexLoss)
  /// The owner makes a person a viewer, or an editor again.
  case setPermission(person: Int, mayWrite: Bool)
  case setCalendar(person: Int, years: Int)
  /// The mirrored folder leaves its path until it is shown again.
  case hideRoot(person: Int, RootFate)
  case showRoot(person: Int)
  /// A copy of the folder on another disk replaces it, as with a new machine.
  case replaceDisk(person: Int)
  /// A person copies the folder to another place.
  case copyFolder(person: Int)
  /// The copy replaces the folder, while nothing waits there.
  case restoreFolder(person: Int)
  /// The container returns to its state so many entries of the zone's log ago.
  case rollBack(entries: Int)
  /// The owner removes a person from the share.
  case remove(person: Int)
  /// The owner invites them again. They accept after they have given up their folder. With
  /// `isFromNow` they see no history.
  case invite(person: Int, mayWrite: Bool, isFromNow: Bool)
  /// A person repairs the losses of the container.
  case repair(person: Int)
  /// A stranger without a key, who can write to the container, puts or removes an object.
  case intrude(Intrusion)
  /// A reader of the zone who can write to the container puts garbage into the next log position of
  /// this person's daemon, right before its put.
  case takePlace(person: Int, size: Int)
  /// A removed person removes or alters one of their own entries, by its number.
  case takeBack(person: Int, entry: Int, Revenge)
  /// A person lets in a second device, which is stolen at once.
  case steal(person: Int)
  /// The person revokes that device.
  case revokeStolen(person: Int)
  /// The thief works with the stolen keys, and brings the result into the container after the
  /// revocation. The number selects the attack.
  case forge(person: Int, number: Int)
  /// The owner makes a person an administrator, who attacks the others. The number selects the
  /// attack.
  case goMad(person: Int, number: Int)
  /// A step on the way to another owner without the owner's help, by the owner or this person. The
  /// number selects it.
  case succeed(person: Int, number: Int)
  /// The owner runs garbage collection, that many days after the last time by their clock, and
  /// keeps so many past versions of each file; nil: all.
  case collectGarbage(days: Int, versions: Int?)
  /// A person selects what their folder has. The number selects an entry of it.
  case select(person: Int, Selecting, entry: UInt32)
  /// The owner has the zone carry modes and attributes, or not; another person applies them, or
  /// doesn't.
  case metadata(person: Int, isFull: Bool)
  /// Time passes, in milliseconds.
  case wait(Int)

  /// A stranger's action in the container.
  enum Intrusion: Hashable, Sendable {
    /// Puts garbage beside an object, under a similar name; both follow from the number.
    case rubbish(number: Int, size: Int)
    /// Puts the bytes of an object under such a name.
    case copy(number: Int)
    /// Removes the objects of strangers.
    case withdraw
  }

  enum Revenge: Hashable, Sendable, CaseIterable {
    case removes, alters
  }

  /// A change of a selection.
  enum Selecting: String, Hashable, Sendable, CaseIterable {
    case everything, only, without
    /// Without an entry, and what others add beside it.
    case closed
    /// Hides the entry by a rule of this device's own, which replaces an earlier one.
    case hidden
  }

  /// The fate of waiting hints.
  enum HintFate: Int, Hashable, Sendable, CaseIterable {
    case delivered, shuffled, doubled, overflow, lost
  }

  /// The fate of push messages: change markers, notifications and datagrams.
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
    /// The same object is put again some calls later, like a delayed request.
    case repeated
    /// A list equals the last one, without later changes by others.
    case oldList
    /// Another person's daemon works right before the call.
    case race(with: Int)
  }

  /// The file at the path of a hidden folder.
  enum RootFate: Int, Hashable, Sendable, CaseIterable {
    case nothing, empty, stranger, otherDisk
  }

  enum IndexLoss: Int, Hashable, Sendable, CaseIterable {
    case folders, zones, all
  }

  /// The person of the step; nil if there is none.
  var person: Int? {
    switch self {
    case .operation(let person, _), .deed(let person, _), .noteIndex(let person),
      .cutIndex(let person),
      .shuffleHints(let person, _), .work(let person, _, _), .interruptDisk(let person, _, _),
      .interruptStore(let person, _, _), .delay(let person, _),
      .wake(let person, _), .offline(let person),
      .online(let person), .restart(let person), .deleteIndex(let person, _),
      .setPermission(let person, _), .setCalendar(let person, _), .hideRoot(let person, _),
      .showRoot(let person), .repair(let person), .remove(let person), .invite(let person, _, _),
      .replaceDisk(let person), .copyFolder(let person), .restoreFolder(let person),
      .takePlace(let person, _), .takeBack(let person, _, _), .steal(let person),
      .revokeStolen(let person), .forge(let person, _), .goMad(let person, _),
      .succeed(let person, _),
      .select(let person, _, _), .metadata(let person, _):
      person
    case .wait, .rollBack, .intrude, .collectGarbage: nil
    }
  }
}
