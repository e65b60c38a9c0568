/// Directories that no mount mirrors, wherever they turn up and whatever leads there: who shared a
/// home would give its keys away, and a container in a mirrored folder would be mirrored into
/// itself. It must not know what they are for.
public struct OffLimits: Sendable {
  /// One such directory.
  public struct Place: Sendable {
    /// Where it is, absolute.
    public var path: [UInt8]
    /// Why it isn't mirrored: a sentence for people.
    public var reason: String

    /// Joins the two.
    public init(_ path: [UInt8], because reason: String) {
      self.path = path
      self.reason = reason
    }
  }

  /// What a directory is known by that may come and go: a file in it.
  public struct Mark: Sendable {
    /// The file's name.
    public var name: [UInt8]
    /// Whether these are its bytes.
    public var isIt: @Sendable ([UInt8]) -> Bool
    /// Why such a directory isn't mirrored.
    public var reason: String

    /// Joins the three.
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

  /// These places, and what carries that mark.
  public init(_ places: [Place] = [], mark: Mark? = nil) {
    self.places = places
    self.mark = mark
  }

  /// Notes what the places are now. One that isn't there is known by its mark, or not at all.
  mutating func look(on disk: any Disk) {
    for place in places {
      do throws(FolderError) {
        let stat = try FileStat.of(Descriptor.openRoot(place.path, on: disk))
        reasons[Identity(device: stat.device, inode: stat.inode)] = place.reason
      } catch {
        // Nobody says that it is elsewhere now: what was noted before still holds.
        continue
      }
    }
  }

  /// Why a directory isn't mirrored; nil if it may be.
  func reason(of stat: FileStat) -> String? {
    reasons[Identity(device: stat.device, inode: stat.inode)]
  }

  /// Why the directory of that name isn't mirrored, by its mark if not by what it is; nil if it may
  /// be.
  func reason(
    of name: FileNameBytes, _ stat: FileStat, in directory: Descriptor
  ) throws(FolderError) -> String? {
    if let reason = reason(of: stat) { return reason }
    guard let mark else { return nil }
    do throws(FolderError) {
      // Most directories hold nothing of that name, and this says so at once.
      guard
        try FileStat.at(directory, name + [UInt8(ascii: "/")] + mark.name)?.kind == .file
      else { return nil }
      let bytes = try directory.openFile([name, mark.name])
        .readAll(upTo: Self.markLimit, as: "read what the folder is")
      return mark.isIt(bytes) ? mark.reason : nil
    } catch {
      // Unreadable: whoever lists it says so. Gone: there is nothing to keep out.
      guard error.code == .denied || error.code == .notFound else { throw error }
      return nil
    }
  }
}
