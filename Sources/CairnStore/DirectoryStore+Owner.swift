import CairnSystem
import Glibc

extension ObjectStore {
  /// Always nil: the store does not know owners.
  public func owner(of key: ObjectKey) -> String? { nil }
}

extension DirectoryStore {
  /// See `ObjectStore`: the name of the file's user on this machine, or the number.
  public func owner(of key: ObjectKey) -> String? {
    let folder: Descriptor
    do throws(StoreError) {
      let root = try openRoot(for: key)
      let raw = Descriptor.openBeneath(root.raw, key.folder, O_RDONLY | O_DIRECTORY)
      guard raw >= 0 else { return nil }
      folder = Descriptor(owning: raw)
    } catch {
      return nil
    }
    var status = cairn_stat()
    guard cairn_stat_at(folder.raw, key.name, &status) == 0 else { return nil }
    return Self.userName(status.uid) ?? "user \(status.uid)"
  }

  private static func userName(_ number: UInt32) -> String? {
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 16_384)
    guard getpwuid_r(number, &entry, &buffer, buffer.count, &found) == 0, found != nil,
      let name = entry.pw_name
    else { return nil }
    return String(cString: name)
  }
}
