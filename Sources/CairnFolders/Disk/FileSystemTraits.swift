import Glibc

/// The abilities of a folder's file system. The engine relies on nothing else.
public struct FileSystemTraits: Sendable, Hashable {
  /// The name of the file system, or its number.
  public var name: String
  /// A Boolean value that indicates whether an entry has one inode number, under every name.
  public var keepsInodes = true
  /// A Boolean value that indicates whether the time of a file can be set.
  public var keepsTimes = true
  /// A Boolean value that indicates whether the time of a directory can be set.
  public var keepsDirectoryTimes = true
  /// A Boolean value that indicates whether the time of a symbolic link can be set, and the
  /// target's time stays.
  public var keepsLinkTimes = true
  /// A Boolean value that indicates whether times are kept to the nanosecond.
  public var keepsNanoseconds = true
  /// A Boolean value that indicates whether the time of a file keeps its fraction of a second when
  /// the file is renamed.
  public var keepsFractions = true
  /// A Boolean value that indicates whether the engine must use `NamedDisk`, because the file
  /// system doesn't keep inode numbers, link times or fractions of seconds, or has no hard links or
  /// no extended attributes.
  var isLimited: Bool {
    !keepsInodes || !keepsLinkTimes || !keepsFractions || !hasLinks || !hasAttributes
  }
  /// A Boolean value that indicates whether a file can have two names.
  public var hasLinks = true
  /// A Boolean value that indicates whether a file can have extended attributes.
  public var hasAttributes = true
  /// A Boolean value that indicates whether two names can be swapped in one step.
  public var swapsNames = true
  /// A Boolean value that indicates whether a file that is open for writing is recognized.
  public var tellsWriters = true
  /// A Boolean value that indicates whether changes by other machines, or below the mount, cause
  /// notifications.
  public var notifies = true

  init(magic: UInt64) {
    // linux/magic.h; statfs(2).
    let names: [UInt64: String] = [
      0xEF53: "ext4", 0x5846_5342: "xfs", 0x9123_683E: "btrfs", 0xF2F5_2010: "f2fs",
      0x2FC1_2FC1: "zfs", 0xCA45_1A4E: "bcachefs", 0x0102_1994: "tmpfs",
      0x794C_7630: "overlayfs", 0x2011_BAB0: "exfat", 0x4D44: "vfat", 0x7366_746E: "ntfs3",
      0x6969: "nfs", 0x517B: "smb", 0xFF53_4D42: "smb", 0xFE53_4D42: "smb",
      0x6573_5546: "fuse", 0x00C3_6400: "ceph", 0x0102_1997: "9p",
    ]
    name = names[magic] ?? "0x" + String(magic, radix: 16)
  }

  /// The local file systems of Linux, which need no trial.
  private static let trusted: Set<String> = [
    "ext4", "xfs", "btrfs", "f2fs", "zfs", "bcachefs", "tmpfs", "overlayfs",
  ]
  /// File systems that make inode numbers up, and forget them with the name.
  private static let forgetful: Set<String> = ["fuse", "vfat", "exfat"]
  private static let remote: Set<String> = ["fuse", "nfs", "smb", "ceph", "9p"]

  /// Returns what the file system of a directory of Cairn's own keeps. A local file system of Linux
  /// is trusted, unless `isThorough`.
  /// - Parameters:
  ///   - directory: A directory in which nobody else works.
  ///   - isThorough: A Boolean value that indicates whether everything is tried.
  /// - Returns: The traits.
  /// - Throws: `FolderError` if the directory takes no files.
  static func probe(
    in directory: Descriptor, isThorough: Bool = false
  ) throws(FolderError) -> FileSystemTraits {
    var traits = FileSystemTraits(magic: directory.disk.magic(of: directory.number))
    traits.notifies = !remote.contains(traits.name)
    if isThorough || !trusted.contains(traits.name) {
      try FileSystemTrial(directory).run(&traits)
    }
    if forgetful.contains(traits.name) { traits.keepsInodes = false }
    return traits
  }

  /// The missing abilities of the file system with their effects, as sentences for people.
  public var notes: [String] {
    var notes: [String] = []
    if !keepsInodes {
      notes.append(
        "\(name) doesn't keep inode numbers: entries are recognized by name, size, time and content"
      )
    }
    if !keepsTimes {
      notes.append("\(name) doesn't keep the times of files: they are correct elsewhere")
    } else if !keepsDirectoryTimes {
      notes.append("\(name) doesn't keep the times of directories: they are correct elsewhere")
    } else if !keepsNanoseconds || !keepsFractions {
      notes.append("\(name) keeps times coarsely: they are exact elsewhere")
    }
    if keepsTimes, !keepsLinkTimes {
      notes.append("\(name) doesn't keep the times of symbolic links: they are correct elsewhere")
    }
    if !swapsNames {
      notes.append(
        "\(name) can't swap two names: a file is missing for a moment while it is replaced")
    }
    if !hasLinks { notes.append("\(name) has no hard links") }
    if !hasAttributes { notes.append("\(name) has no extended attributes") }
    if !tellsWriters {
      notes.append("\(name) doesn't tell who writes to a file: it may be read in the middle")
    }
    if !notifies {
      notes.append(
        "\(name) reports no changes that are made elsewhere: a regular scan finds them")
    }
    return notes
  }
}
