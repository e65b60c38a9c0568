/// The difference between a zone's log in the container and this device's earlier reads. Until it
/// is solved, nothing counts as deleted because of it, and nothing is written there.
public struct LogTrouble: Hashable, Sendable {
  /// The kinds of trouble, with their names for people.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The log is shorter than before.
    case lostEnd = "lost end"
    /// Another entry is at a known position.
    case twoHistories = "two histories"
    /// An entry is missing or altered, though later ones exist.
    case damaged = "damaged"
    /// An object at the next position is no valid entry: until it is removed, nothing is read
    /// behind it, and nothing can be written.
    case held = "held"
    /// The container shows another chain of a person than that person stated in a zone.
    case disputed = "disputed"
    /// The zone is kept at another location, and written only there: its owner moved it away, or
    /// has not moved it here yet.
    case elsewhere = "elsewhere"
  }

  /// The kind.
  public var kind: Kind
  /// The last position on which the container agrees.
  public var agreed: UInt64
  /// The last position that was read here.
  public var seen: UInt64
  /// The key of the object that holds a position, if it is known.
  public var object: String?
  /// The owner of that object, if the store knows it.
  public var owner: String?
  /// The reason why that object is no entry, as a sentence.
  public var reason: String?
  /// The kind of that object, as far as known here.
  public var holder = Holder.entry
  /// The claimed author, if the container does not show that person or their device.
  public var unseen: UserID?
  /// A Boolean value that indicates whether the zone is public: only its author's devices can hold
  /// a position there.
  public var isPublic = false
  /// A Boolean value that indicates whether this person's access to another's zone may have ended:
  /// nothing is left of the log, as when it was ended long ago, or the others went on without this
  /// person.
  public var mayBeEnded = false
  /// The new location, as its owner says; nil also if it is not here yet.
  public var location: String?

  /// The kind of object that holds a position.
  public enum Holder: Hashable, Sendable, CaseIterable {
    /// Not an entry, permanently: it may be removed.
    case rubbish
    /// An object in which a newer Cairn, or a reader of more people, may find a valid entry: it is
    /// removed only on request.
    case unread
    /// An entry, or the base of others' entries: nobody may remove it.
    case entry
  }

  /// A Boolean value that indicates whether it may be removed without a request.
  public var isRubbish: Bool { holder == .rubbish }

  /// Creates a trouble.
  public init(
    _ kind: Kind, agreed: UInt64, seen: UInt64, object: String? = nil, reason: String? = nil
  ) {
    self.kind = kind
    self.agreed = agreed
    self.seen = seen
    self.object = object
    self.reason = reason
  }

  /// The missing entries, in words.
  public var entries: String {
    let first = agreed + 1
    return first < seen ? "entries \(first) to \(seen)" : "entry \(first)"
  }

  /// The event, for people; it begins with the name.
  public var message: String {
    switch kind {
    case .lostEnd where mayBeEnded:
      "lost end: the log that this device has read, \(entries), is gone from the container: its "
        + "owner has removed you, or stopped sharing it more than thirty days ago, or it was lost"
    case .lostEnd:
      "lost end: \(entries) of the log, which this device has read, \(areOr("is")) gone from the "
        + "container"
    case .twoHistories:
      "two histories: in the container other entries stand behind entry \(agreed) of the log than "
        + "those that this device has read, up to entry \(seen)"
    case .damaged:
      "damaged: entry \(agreed + 1) of the log is missing or was altered, though later ones are "
        + "there"
    case .held:
      "held: what stands at the place of entry \(agreed + 1) of the log is no valid entry "
        + "(\(object ?? "unknown object")\(owner.map { ", which belongs to \($0)" } ?? "")): "
        + (reason ?? "it can't be read")
    case .disputed:
      "disputed: in a shared folder this person has signed that their chain has another entry "
        + "\(seen) than the container shows to this device"
    case .elsewhere:
      location.map { "elsewhere: it goes on at \($0), where its owner has moved it" }
        ?? "elsewhere: it isn't here yet: its owner still has it where the container was before"
    }
  }

  private var holderRemedy: String {
    if let unseen, holder != .rubbish { return remedy(ofUnseen: unseen) }
    return switch holder {
    case .rubbish where isPublic:
      "nothing is lost by it, and nobody else's public files are concerned; only a device that "
        + "is, or was, the author's can have put it there: the author looks at "
        + "`cairn device list`, and takes it away with `cairn repair`"
    case .rubbish:
      "what you change waits; only somebody who may read the folder can have put it there: see "
        + "whose file it is, and take it away with `cairn repair`, or have whoever may do so"
    case .unread:
      "nothing is lost by it, and what was read before holds; if somebody here uses a newer Cairn, "
        + "install that one; if nobody does, take it away with `cairn repair --unread`"
    case .entry:
      "nothing is lost by it, and what was read before holds; take the object away: whoever "
        + "put it there may delete it, and whoever owns the container's folder; if it was "
        + "written by a newer Cairn, install that one"
    }
  }

  /// The author's identity may be hidden, and the entry valid: then the identity is missing.
  private func remedy(ofUnseen user: UserID) -> String {
    "nothing is lost by it, and what was read before holds; the entry may well be good: have the "
      + "identity of who wrote it put back, users/\(user)/log, by `cairn repair` on a device of "
      + "theirs or of somebody who has read it"
      + (holder == .entry
        ? "" : "; if there is no such person, `cairn repair --unread` takes it away")
  }

  private func areOr(_ one: String) -> String { agreed + 1 < seen ? "are" : one }

  /// The next action, for people.
  public var remedy: String {
    let waits = "nothing is deleted here because of it, and what you change waits; "
    switch kind {
    case .lostEnd where mayBeEnded:
      return waits + "ask its owner; if your part is over, run `cairn share leave`, and what only "
        + "this folder has goes to the rescue folder; if it was lost, run `cairn repair`"
    case .lostEnd:
      return waits + "if the container isn't being restored just now, run `cairn repair`: it puts "
        + "back what this device has"
    case .twoHistories:
      return waits
        + "`cairn repair` says what it would do: go on with the container's history, and "
        + "bring what only this device has as new changes"
    case .damaged:
      return waits + "run `cairn repair` here, or on another device that has the folder"
    case .held:
      return holderRemedy
    case .disputed:
      return "somebody shows this device another past than others, or a copy of the container is "
        + "older than they are: ask the person, compare `cairn user verify` once more, and share "
        + "nothing more with them before"
    case .elsewhere:
      return "what you change waits, and nothing is lost; "
        + (location.map {
          "to go there with all that is yours, run `cairn container move \(Site.word($0))` "
            + "(--dry-run says what it would do)"
        } ?? "its owner runs `cairn container move`, and then it goes on by itself")
    }
  }
}

extension LogTrouble {
  /// The trouble of a zone that is kept at another location, and therefore not written here.
  /// - Parameters:
  ///   - site: The location; nil: the container's first location.
  ///   - sequence: The last position that was read here.
  /// - Returns: the trouble.
  public static func elsewhere(_ site: Site?, at sequence: UInt64) -> LogTrouble {
    var found = LogTrouble(.elsewhere, agreed: sequence, seen: sequence)
    found.location = site.map(\.location).flatMap { $0.isEmpty ? nil : $0 }
    return found
  }
}
