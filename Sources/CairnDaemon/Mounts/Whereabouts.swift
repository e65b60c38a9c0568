import Glibc

/// The place of an entry on the disk, by any path: its device and inode, and all its parent
/// directories. Links and mounts give one directory many paths, and "/" is a part of all of them. A
/// value of one moment, without access to mounts.
struct Whereabouts {
  /// The system's identity of a directory or file.
  struct Identity: Hashable {
    var device: UInt64
    var inode: UInt64

    /// Creates the place to which the path leads, through links; nil if it is unknown.
    init?(_ path: [UInt8]) {
      var status = stat()
      guard path.withPath({ stat($0, &status) }) == 0 else { return nil }
      (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
    }
  }

  /// The given path.
  private let path: [UInt8]
  /// The identity of the entry; nil if there is none yet, or now.
  private let own: Identity?
  /// The identities of the entry and of its existing parents.
  private let chain: Set<Identity>

  init(_ path: [UInt8], _ views: MountViews = .now()) {
    self.path = path
    own = Identity(path)
    var chain: Set<Identity> = []
    // A missing entry may be created, or mounted later: its parents exist already.
    for prefix in WatchRoots.prefixes(of: path) {
      guard let real = Self.real(prefix) else { continue }
      chain = Set(WatchRoots.prefixes(of: real).compactMap { Identity($0) })
      let found = Identity(real)
      for other in views.others(of: real) where found != nil && Identity(other) == found {
        chain.formUnion(WatchRoots.prefixes(of: other).compactMap { Identity($0) })
      }
      break
    }
    self.chain = chain
  }

  /// Returns the path without links; nil if there is no entry.
  static func real(_ path: [UInt8]) -> [UInt8]? {
    guard let found = path.withPath({ realpath($0, nil) }) else { return nil }
    defer { free(found) }
    return Array(UnsafeRawBufferPointer(start: found, count: strlen(found)))
  }

  /// Returns whether the two are the same entry.
  func isSame(as other: Whereabouts) -> Bool {
    path == other.path || (own != nil && own == other.own)
  }

  /// Returns whether this is the other one, or inside of it, by path or by identity.
  func isInside(_ other: Whereabouts) -> Bool {
    WatchRoots.isInside(path, other.path) || other.own.map(chain.contains) ?? false
  }
}
