import CairnIdentity
import CairnReplica
import CairnZone

/// A code of `cairn device link` that a device has made and remembers.
struct PendingCode {
  var secret: SecretBytes
  /// Seconds since 1970.
  var expires: Int64
  /// The device that made it, and answers.
  var device: DeviceID
  /// The device that used it.
  var used: DeviceID?
}

extension AccountZone {
  static let codeType = "cairn.code"

  /// The codes that this device has made, and no other one has touched: what somebody with another
  /// device plants in the account would be good for as long as they like. All others are passed
  /// over.
  static func codes(madeBy author: Author, in account: Zone) throws -> [PendingCode] {
    try records(codeType, in: account).compactMap { record in
      guard record.created.author == author, record.changed.author == author,
        case .bytes(let secret)? = record.fields["secret"], let secret = SecretBytes(secret),
        case .integer(let expires)? = record.fields["expires"],
        case .bytes(let device)? = record.fields["device"], let device = DeviceID(bytes: device)
      else { return nil }
      var used: DeviceID?
      if case .bytes(let bytes)? = record.fields["used"] { used = DeviceID(bytes: bytes) }
      guard device == author.device else { return nil }
      return PendingCode(secret: secret, expires: expires, device: device, used: used)
    }
  }

  static func save(_ code: PendingCode, in account: Zone) throws {
    var fields: [String: FieldValue?] = [
      "secret": .bytes(code.secret.copy()), "expires": .integer(code.expires),
      "device": .bytes(code.device.bytes),
    ]
    if let used = code.used { fields["used"] = .bytes(used.bytes) }
    try save(recordID(of: code), codeType, fields, in: account)
  }

  static func remove(_ code: PendingCode, from account: Zone) throws {
    try delete(recordID(of: code), in: account)
  }

  private static func recordID(of code: PendingCode) -> RecordID {
    recordID("code", Crypto.digest("cairn code record v1", secret: code.secret).bytes)
  }
}
