public import CairnZone

/// How the log of a zone in the container differs from what this device has read of it. Nothing is
/// taken for deleted because of it, and nothing is written there until it is over.
public struct LogTrouble: Hashable, Sendable {
  /// What it is called, everywhere.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The log is shorter than what was read here.
    case lostEnd = "lost end"
    /// Another entry stands where this device has read one.
    case twoHistories = "two histories"
    /// An entry is missing or altered, though later ones are there.
    case damaged = "damaged"
    /// Something stands at the next place that isn't a valid entry: nothing is read behind it, and
    /// nothing can be written, until it is taken away.
    case held = "held"
    /// The container shows another chain of a person than that person has spoken of in a zone.
    case disputed = "disputed"
    /// It is kept at another site, and written only there: its owner has moved it from here, or
    /// hasn't moved it here yet.
    case elsewhere = "elsewhere"
  }

  /// Which of them.
  public var kind: Kind
  /// The last place up to which the container has what was read here.
  public var agreed: UInt64
  /// The last place that was read here.
  public var seen: UInt64
  /// The key of the object that holds a place, where it can be told.
  public var object: String?
  /// Whose object that is, where the store can tell.
  public var owner: String?
  /// Why that object isn't an entry, as a sentence.
  public var reason: String?
  /// What that object is, as far as it can be told here.
  public var holder = Holder.entry
  /// By whom it says it is, if the container doesn't show that person, or that device of theirs.
  public var unseen: UserID?
  /// Whether it is of a public zone: only a device of its author's can hold a place there.
  public var isPublic = false
  /// Whether this person's part in somebody else's zone may be over: nothing at all is left of the
  /// log, as when they ended it long ago, or they went on without this person.
  public var mayBeEnded = false
  /// Where it goes on, as its owner says; nil also where it isn't here yet.
  public var location: String?

  /// What holds a place.
  public enum Holder: Hashable, Sendable, CaseIterable {
    /// Nobody's entry, and it never will be one: it may be taken away.
    case rubbish
    /// Something in which a newer Cairn, or a reader who is shown more people, may find a good
    /// entry: it is taken away only at somebody's word.
    case unread
    /// An entry, or what others have built on: it isn't for anybody to take away.
    case entry
  }

  /// Whether it may be taken away as it is.
  public var isRubbish: Bool { holder == .rubbish }

  /// Joins the parts.
  public init(
    _ kind: Kind, agreed: UInt64, seen: UInt64, object: String? = nil, reason: String? = nil
  ) {
    self.kind = kind
    self.agreed = agreed
    self.seen = seen
    self.object = object
    self.reason = reason
  }

  /// The entries that the container doesn't have, in words.
  public var entries: String {
    let first = agreed + 1
    return first < seen ? "entries \(first) to \(seen)" : "entry \(first)"
  }

  /// What happened, for people; it begins with the name.
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

  /// Their identity may be hidden, and what they wrote be good: it is the identity that is missing.
  private func remedy(ofUnseen user: UserID) -> String {
    "nothing is lost by it, and what was read before holds; the entry may well be good: have the "
      + "identity of who wrote it put back, users/\(user)/log, by `cairn repair` on a device of "
      + "theirs or of somebody who has read it"
      + (holder == .entry
        ? "" : "; if there is no such person, `cairn repair --unread` takes it away")
  }

  private func areOr(_ one: String) -> String { agreed + 1 < seen ? "are" : one }

  /// What to do, for people.
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

  var error: CloudError {
    switch kind {
    case .damaged: CloudError(.assetNotAvailable, message, remedy: remedy)
    case .lostEnd where mayBeEnded: CloudError(.zoneNotFound, message, remedy: remedy)
    case .lostEnd, .twoHistories: CloudError(.changeTokenExpired, message, remedy: remedy)
    case .held, .elsewhere: CloudError(.zoneBusy, message, remedy: remedy)
    case .disputed: CloudError(.participantMayNeedVerification, message, remedy: remedy)
    }
  }
}
