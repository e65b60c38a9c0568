import Glibc

extension StoreError {
  /// The error of a failed call: `doing` ends the sentence "Could not …".
  static func system(
    _ number: Int32, _ doing: String, root: String, key: ObjectKey? = nil
  ) -> StoreError {
    let (code, advice) = judgement(of: number)
    let reason = String(cString: strerror(number))
    return StoreError(
      code: code, key: key,
      cause: "Could not \(doing) in the container folder \(root): \(reason). \(advice)")
  }

  /// The root itself did not open: whatever the reason, it says nothing about any object.
  static func rootFailure(_ number: Int32, root: String, key: ObjectKey?) -> StoreError {
    guard number == ENOENT || number == ENOTDIR || number == ELOOP else {
      return system(number, "open the root", root: root, key: key)
    }
    return StoreError(
      code: .unreachable, key: key,
      cause: "The container folder \(root) is not there. Mount it, or check its path.")
  }

  private static func judgement(of number: Int32) -> (Code, String) {
    switch number {
    case ENOSPC, EDQUOT:
      (.full, "Make room there, or ask its owner for more.")
    case EACCES, EPERM, EROFS:
      (.denied, "Ask the owner of that folder for access, for example through its group.")
    case ELOOP:
      (.corrupt, "A symlink stands where a folder or an object belongs; remove it.")
    case ENOTDIR, EISDIR, ENAMETOOLONG, EXDEV, EINVAL, ENOSYS, EOPNOTSUPP, EFBIG:
      (.unsupported, "Look at what stands at that place; `cairn doctor` tests the file system.")
    default:
      // ENOTCONN, ESTALE, EIO, ENODEV, ETIMEDOUT, EMFILE and whatever else a file system thinks
      // of: nothing is known about the object, and asking again may help.
      (.unreachable, "Check that it is mounted and answers; it will be tried again.")
    }
  }
}
