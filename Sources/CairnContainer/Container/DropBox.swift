public import CairnIdentity
import CairnStore
public import CairnZone

/// A drop box of this person: anybody with its link can put files for them into the container.
public struct DropBox: Sendable {
  /// The secret in the link.
  let secret: SecretBytes
  /// The owner.
  let owner: UserID
  /// The folder that accepted files are put into.
  public let part: ZonePart
  /// The title that senders see.
  public let title: String
  /// The limits.
  public let limits: DropLimits
  /// The end of the link in nanoseconds since 1970; nil without an end.
  public let expires: Int64?
  let seal: DropSeal

  init(
    secret: SecretBytes, owner: UserID, part: ZonePart, title: String, limits: DropLimits,
    expires: Int64?
  ) {
    self.secret = secret
    self.owner = owner
    self.part = part
    self.title = title
    self.limits = limits
    self.expires = expires
    seal = DropSeal(owner: owner, secret: secret)
  }

  /// The id, which is no secret.
  public var id: Bytes16 { seal.box }

  /// Returns whether the link has ended at a time.
  func isOver(at time: Int64) -> Bool { expires.map { $0 <= time } ?? false }
}

/// A file that waits in a drop box for its owner.
public struct WaitingDrop: Sendable {
  /// The state of a file.
  public enum State: Hashable, Sendable {
    /// The file can be accepted.
    case complete
    /// A part of its content is missing or damaged.
    case incomplete
    /// The file is larger than the box allows.
    case tooLarge
  }

  /// The id, which the sender chose at random.
  public let id: Bytes16
  /// The id of the box.
  public let box: Bytes16
  /// The key and the claims of the sender.
  let message: DropMessage
  /// The state.
  public let state: State

  /// The name that the sender gave.
  public var name: String { message.name }
  /// The number of bytes.
  public var size: UInt64 { message.size }
  /// The sender's clock in nanoseconds since 1970, only for display.
  public var time: Int64 { message.time }
  /// The sender; nil for a sender without an account here.
  public var sender: Author? { message.author }
}

/// The contents of all drop boxes of a person.
public struct DropSurvey: Sendable {
  /// The boxes.
  public var boxes: [DropBox] = []
  /// The files that wait, in the order of their arrival at this device. A box has at most as many
  /// as its limit.
  public var drops: [WaitingDrop] = []
  /// The number of further files of each box, beyond its limit.
  public var beyond: [Bytes16: Int] = [:]
  /// The objects that belong to no box and to no file, and files beyond the limit don't count.
  var garbage: [ObjectKey] = []
  /// The boxes with a description in the container.
  var described: Set<Bytes16> = []
  /// The boxes with files, also with those that can't be opened now, or with pieces of any.
  var filled: Set<Bytes16> = []
  /// A Boolean value that indicates whether there are more objects than are read.
  public var isCut = false

  /// The maximum number of objects that are read.
  public static let most = 50_000
}

/// The opened objects of drop boxes, so that a flood costs its sender more than the owner.
struct DropMemory {
  /// The kind of an object.
  enum Opened {
    case drop(DropMessage)
    /// It is for an encryption key of the owner that this device doesn't have, or another version
    /// wrote it.
    case closed
    /// It couldn't be read; the next check reads it again.
    case unknown
    /// It is not by a person with the link.
    case rubbish
  }

  /// An opened object, its version, and the check that found it.
  struct Known {
    var opened: Opened
    var version: String?
    var look: Int

    /// A Boolean value that indicates whether the same object would be the same kind again.
    var isFinal: Bool { if case .unknown = opened { false } else { true } }
  }

  var objects: [ObjectKey: Known] = [:]
  var looks = 0
  /// The number of encryption keys of the owner that were tried.
  var keys = 0

  /// Forgets what can't be opened: the owner has another number of keys now.
  mutating func forgetClosed(for keys: Int) {
    self.keys = keys
    for (key, known) in objects {
      if case .closed = known.opened { objects[key]?.opened = .unknown }
    }
  }
}
