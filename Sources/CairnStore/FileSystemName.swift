/// The meaning of a file system's magic number: its name, and whether all its writers are on this
/// machine, so that inotify sees them. An unknown file system counts as remote, which only costs
/// time.
struct FileSystemName: Sendable, CustomStringConvertible {
  let description: String
  let isLocal: Bool

  /// The number of useful concurrent calls.
  var flight: Int { isLocal ? 1 : 8 }

  init(magic: UInt64) {
    // linux/magic.h; statfs(2).
    switch magic {
    case 0xEF53: self = .init("ext4", isLocal: true)
    case 0x5846_5342: self = .init("xfs", isLocal: true)
    case 0x9123_683E: self = .init("btrfs", isLocal: true)
    case 0xF2F5_2010: self = .init("f2fs", isLocal: true)
    case 0x2FC1_2FC1: self = .init("zfs", isLocal: true)
    case 0xCA45_1A4E: self = .init("bcachefs", isLocal: true)
    case 0x0102_1994: self = .init("tmpfs", isLocal: true)
    case 0x794C_7630: self = .init("overlayfs", isLocal: true)
    case 0x2011_BAB0: self = .init("exfat", isLocal: true)
    case 0x4D44: self = .init("vfat", isLocal: true)
    case 0x7366_746E: self = .init("ntfs3", isLocal: true)
    case 0x6969: self = .init("nfs", isLocal: false)
    case 0x517B, 0xFF53_4D42, 0xFE53_4D42: self = .init("smb", isLocal: false)
    case 0x6573_5546: self = .init("fuse", isLocal: false)
    case 0x00C3_6400: self = .init("ceph", isLocal: false)
    case 0x0102_1997: self = .init("9p", isLocal: false)
    default: self = .init("0x" + String(magic, radix: 16), isLocal: false)
    }
  }

  private init(_ description: String, isLocal: Bool) {
    self.description = description
    self.isLocal = isLocal
  }
}
