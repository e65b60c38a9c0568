import CairnIdentity
import CairnZone

/// The reason why an entry of a zone's log cannot be opened. Such an entry is reported, and holds
/// its position (cairn-container(5)). It knows the entry, not the zone's state.
public enum EntryProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// The bytes are no log entry: damaged, truncated, too large or never one.
  case unreadable(FormatError)
  /// A later version of Cairn wrote it.
  case newerFormat(UInt32)
  /// It has a field or a value that only a later version of Cairn knows.
  case newer(FormatError)
  /// The key of its epoch is not known here.
  case noKey(epoch: UInt64)
  /// The key of its epoch does not open it: it was altered, or moved from another position.
  case sealBroken
  /// The container does not know the author, or the device is not theirs.
  case unknownDevice(Author)
  /// The author's device did not sign this for this position.
  case badSignature(Author)
  /// It begins another zone.
  case foreignZone
  /// The author claims a link without its secret.
  case badClaim(Author)

  init(_ error: FormatError) { self = error.isNewer ? .newer(error) : .unreadable(error) }

  /// A Boolean value that indicates whether the problem is permanent, whatever else this reader
  /// learns: only then may the entry be removed. A seemingly newer entry holds its position like
  /// garbage, even without a right to be there, which is judged only when it can be read. But it
  /// must not be removed as garbage, because a newer version may find a good entry in it.
  var isFinal: Bool {
    switch self {
    case .newerFormat, .newer, .unknownDevice: false
    case .unreadable, .noKey, .sealBroken, .badSignature, .foreignZone, .badClaim: true
    }
  }

  /// A sentence for people.
  public var description: String {
    switch self {
    case .unreadable(let error), .newer(let error): error.description
    case .newerFormat(let format):
      "The log entry has format \(format), which a newer version of Cairn wrote: install that one."
    case .noKey(let epoch):
      "The log entry is sealed with the key of epoch \(epoch), which was not given to this person."
    case .sealBroken: "The log entry was altered, or it was moved here from another place."
    case .unknownDevice(let author):
      "The log entry says it is by device \(author.device.digits) of \(author.user.digits), which "
        + "is unknown."
    case .badSignature(let author):
      "The log entry isn't signed by \(author.user.digits), whom it names as its author."
    case .foreignZone: "The log entry begins another zone than the one it stands in."
    case .badClaim(let author):
      "The log entry claims a link that \(author.user) doesn't have the secret of."
    }
  }
}
