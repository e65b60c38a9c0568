/// Directories that no mount mirrors, at any path and by any link: a shared home would disclose its
/// keys, and a container in a mirrored folder would be mirrored into itself. Their use is unknown
/// here.
public struct OffLimits: Sendable {
  /// One such directory.
  public struct Place: Sendable {
    /// The absolute path.
    public var path: [UInt8]
    /// The reason: a sentence for people.
    public var reason: String

    /// Creates a directory with its reason.
    public init(_ path: [UInt8], because reason: String) {
      self.path = path
      self.reason = reason
    }
  }

  /// A file that identifies a directory which may come and go.
  public struct Mark: Sendable {
    /// The name of the file.
    public var name: [UInt8]
    /// Returns whether the file has these bytes.
    public var isIt: @Sendable ([UInt8]) -> Bool
    /// The reason: a sentence for people.
    public var reason: String

    /// Creates a mark with its reason.
    public init(
      name: [UInt8], because reason: String, isIt: @escaping @Sendable ([UInt8]) -> Bool
    ) {
      self.name = name
      self.isIt = isIt
      self.reason = reason
    }
  }

  private struct Identity: Hashable {
    var device: UInt64
    var inode: UInt64
  }

  private let mark: Mark?
  private var reasons: [Identity: String] = [:]
  private let places: [Place]
  private static let markLimit = 1 << 16

  /// Creates a value for these directories, and the directories with that mark.
  public init(_ places: [Place] = [], mark: Mark? = nil) {
    self.places = places
    self.mark = mark
  }

  /// Notes the inodes of the directories. A missing directory is recognized by its mark only.
  mutating func look(on disk: any Disk) {
    for place in places {
      do throws(FolderError) {
        let stat = try FileStat.of(Descriptor.openRoot(place.path, on: disk))
        reasons[Identity(device: stat.device, inode: stat.inode)] = place.reason
      } catch {
        // It may still be in its place: the earlier inode remains valid.
        continue
      }
    }
  }

  /// Returns the reason that a directory isn't mirrored; nil if it may be.
  func reason(of stat: FileStat) -> String? {
    stat.inode == 0 ? nil : reasons[Identity(device: stat.device, inode: stat.inode)]
  }

  /// Returns the status with the inode number, also where it isn't kept: for one moment it is.
  private func numbered(
    _ stat: FileStat, _ name: FileNameBytes, in directory: Descriptor
  ) throws(FolderError) -> FileStat {
    guard stat.inode == 0, let disk = directory.disk as? NamedDisk else { return stat }
    var found = stat
    return disk.real.status(of: name, in: directory.number, &found) >= 0 ? found : stat
  }

  /// Returns the reason that the directory with a name isn't mirrored, by its inode or its mark;
  /// nil if it may be.
  func reason(
    of name: FileNameBytes, _ stat: FileStat, in directory: Descriptor
  ) throws(FolderError) -> String? {
    if let reason = try reason(of: numbered(stat, name, in: directory)) { return reason }
    guard let mark else { return nil }
    do throws(FolderError) {
      // Most directories have no entry with that name, and this check is fast.
      guard
        try FileStat.at(directory, name + [UInt8(ascii: "/")] + mark.name)?.kind == .file
      else { return nil }
      let bytes = try directory.openFile([name, mark.name])
        .readAll(upTo: Self.markLimit, as: "read what the folder is")
      return mark.isIt(bytes) ? mark.reason : nil
    } catch {
      // An unreadable directory is reported by its listing. A missing one has nothing to keep out.
      guard error.code == .denied || error.code == .notFound else { throw error }
      return nil
    }
  }
}
