import CairnWire
import CairnZone
import FoundationEssentials

/// The envelope of messages in an inbox or behind a link: sealed to one key, signed by a device. It
/// does not know the content, nor whether the sender had a right to send it.
public struct SealedMessage: Sendable {
  /// The kind of content.
  public enum Kind: Hashable, Sendable {
    case invitation
    case request

    /// The context of the signature, so that no kind can pass for another.
    var context: String {
      switch self {
      case .invitation: "cairn invitation v1"
      case .request: "cairn request v1"
      }
    }
  }

  static let format: UInt32 = 1
  /// The maximum size in bytes.
  public static let limit = 1 << 20
  /// The first byte of a message: the tag of its format, which is never 0.
  public static let firstByte: UInt8 = 0x08
  private static let what = "message"

  /// The kind of the message.
  public let kind: Kind
  let body: [UInt8]
  /// The first recipient of a request, who passed it on; nil if it was sealed for this recipient.
  let passedOn: UserID?
  private let signature: [UInt8]

  /// Seals a body to a key. The recipient is a person's or a link's id; nil if the key is invalid.
  static func seal(
    _ kind: Kind, _ body: [UInt8], recipient: [UInt8], key: Bytes32, by account: Account
  ) -> [UInt8]? {
    var signed = WireSignedMessage()
    signed.body = .init(body)
    signed.signature = .init(account.device.signing.sign(kind.context, recipient, body))
    signed.kind = kind == .invitation ? .invitation : .request
    return stored(signed, key: key)
  }

  /// The same message, sealed to another person by its `recipient`; nil if the key is invalid. The
  /// sender's signature stays, so nothing in it can be changed.
  public func passedOn(by recipient: UserID, key: Bytes32) -> [UInt8]? {
    precondition(kind == .request, "an invitation is for one person")
    var signed = WireSignedMessage()
    signed.body = .init(body)
    signed.signature = .init(signature)
    signed.kind = .request
    signed.passedOn = .init(recipient.bytes)
    return Self.stored(signed, key: key)
  }

  private static func stored(_ signed: WireSignedMessage, key: Bytes32) -> [UInt8]? {
    var signed = signed
    let count = StoredMessage.encode(signed).count
    signed.padding = .init(repeating: 0, count: SizeClass.paddingField(messageCount: count))
    guard let box = BoxKey.seal(StoredMessage.encode(signed), to: key) else { return nil }
    var message = WireInboxMessage()
    message.format = format
    message.sealed = .init(box)
    return StoredMessage.encode(message)
  }

  /// Opens stored bytes. `open` opens a box, or returns nil if it is for another person.
  public init(_ bytes: [UInt8], open: ([UInt8]) -> [UInt8]?) throws(Invitation.Failure) {
    do {
      let message = try StoredMessage.decode(
        bytes, as: WireInboxMessage.self, Self.what, limit: Self.limit, .closed)
      guard message.format <= Self.format else { throw Refused.newer(message.format) }
      guard message.format == Self.format else {
        throw FormatError(Self.what, "it has no format")
      }
      guard let plain = open(Array(message.sealed)) else { throw Refused.notForUs }
      let signed = try StoredMessage.decode(
        plain, as: WireSignedMessage.self, Self.what, limit: Self.limit, .closed)
      switch signed.kind {
      case .invitation: kind = .invitation
      case .request: kind = .request
      case .UNRECOGNIZED: throw FormatError.newer(Self.what)
      }
      passedOn = try Self.passedOn(signed)
      body = Array(signed.body)
      signature = Array(signed.signature)
    } catch let error as FormatError {
      throw Invitation.Failure(error)
    } catch Refused.newer(let format) {
      throw .newerFormat(format)
    } catch {
      throw .notForUs
    }
  }

  private static func passedOn(_ signed: WireSignedMessage) throws(FormatError) -> UserID? {
    guard signed.hasPassedOn else { return nil }
    guard signed.kind == .request, let first = UserID(bytes: signed.passedOn) else {
      throw FormatError(what, "it was passed on, and is none that can be")
    }
    return first
  }

  private enum Refused: Error {
    case newer(UInt32)
    case notForUs
  }

  /// Checks that the author's device signed this for that recipient, or for the person who passed
  /// it on.
  func check(
    author: Author, recipient: [UInt8], signKey: (Author) throws -> Bytes32?
  ) throws {
    guard let key = try signKey(author) else { throw Invitation.Failure.unknownInviter(author) }
    let first = passedOn?.bytes ?? recipient
    guard SigningKey.verify(signature, by: key, kind.context, first, body) else {
      throw Invitation.Failure.badSignature(author)
    }
  }
}
