import Glibc

/// Where something is on the disk, whatever path leads there: what it is by device and inode, and
/// all directories that it lies in. Links and mounts give one directory many paths, and "/" is a
/// part of all of them. A value of one moment; it must not know mounts.
struct Whereabouts {
  /// What the system says that a directory or file is.
  struct Identity: Hashable {
    var device: UInt64
    var inode: UInt64

    /// Of what the path leads to, through links; nil if that can't be told.
    init?(_ path: [UInt8]) {
      var status = stat()
      guard path.withPath({ stat($0, &status) }) == 0 else { return nil }
      (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
    }
  }

  /// The path as it was given.
  private let path: [UInt8]
  /// What it is itself; nil if nothing is there yet, or now.
  private let own: Identity?
  /// Itself and the directories above it, as far as they are there.
  private let chain: Set<Identity>

  init(_ path: [UInt8], _ views: MountViews = .now()) {
    self.path = path
    own = Identity(path)
    var chain: Set<Identity> = []
    // What is missing may be made, or mounted: what is above it is there already.
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

  /// The path without links; nil if there is nothing.
  static func real(_ path: [UInt8]) -> [UInt8]? {
    guard let found = path.withPath({ realpath($0, nil) }) else { return nil }
    defer { free(found) }
    return Array(UnsafeRawBufferPointer(start: found, count: strlen(found)))
  }

  /// Whether the two are the same thing.
  func isSame(as other: Whereabouts) -> Bool {
    path == other.path || (own != nil && own == other.own)
  }

  /// Whether this is the other one, or lies in it, by its path or by what is on the disk.
  func isInside(_ other: Whereabouts) -> Bool {
    WatchRoots.isInside(path, other.path) || other.own.map(chain.contains) ?? false
  }
}
