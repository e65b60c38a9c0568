import CairnControl
import CairnIdentity
import CairnZone
import Glibc

/// The identity whose keys are in a home before `cairn init`: that of an interrupted `init`, or one
/// whose keys were put back from a copy.
struct KeptIdentity {
  /// The keys.
  var account: Account
  /// The person, by the container if it has their identity.
  var person: Person
  /// A Boolean value that indicates whether the container has the identity.
  var isPublished: Bool

  /// The name of this device in the identity.
  var deviceName: String? { person.devices[account.device.id]?.name }
}

extension DaemonSetup {
  /// Finds the identity whose keys are in this home.
  /// - Parameter people: The people of the container; nil if there is no container yet.
  /// - Returns: the identity; nil if there are no keys.
  /// - Throws: `ControlError` if the keys belong to another handle, or to a revoked device.
  func keptIdentity(in people: People?) throws -> KeptIdentity? {
    let file = home.keys + "/" + AccountFile.name
    guard access(file, F_OK) == 0 else { return nil }
    let account = try Account.load(file)
    let published = try people?.person(account.user)
    let person = try published ?? IdentityLog.fold([account.origin], of: account.user)
    guard person.handle == request.handle else {
      throw ControlError(
        .constraintViolation,
        "The keys in \(home.keys) belong to \(person.handle) (\(person.name)), and not to "
          + "\(request.handle).",
        remedy: "To be \(person.handle) again, give --handle \(person.handle). For another person, "
          + "set CAIRN_HOME to another folder.")
    }
    let kept = KeptIdentity(account: account, person: person, isPublished: published != nil)
    guard person.devices[account.device.id]?.isActive == true else {
      throw ControlError(
        .notAuthenticated,
        "The device of the keys in \(home.keys) (\(kept.deviceName ?? "unknown")) was revoked.",
        remedy: "Move the keys away, and let this machine join as a new device: run `cairn device "
          + "link` on another device of \(person.handle), and `cairn device join` here. With a "
          + "recovery sheet, run `cairn init --recover`.")
    }
    return kept
  }
}
