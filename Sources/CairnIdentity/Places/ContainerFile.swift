public import CairnStore
import CairnWire
public import CairnZone
import FoundationEssentials

/// The id of a container: sixteen random bytes. Zones and people of two containers never mix.
public struct ContainerID: Identifier {
  /// The bytes.
  public let value: Bytes16

  /// Creates an id from sixteen bytes.
  @inlinable
  public init(_ value: Bytes16) { self.value = value }

  /// Creates a random id.
  public static func random() -> ContainerID { ContainerID(.random()) }
}

/// The object `container`: the format and the id of the container. The caller puts it, if absent.
public struct ContainerFile: Hashable, Sendable {
  /// The key in the store.
  public static let key = "container"
  /// The only format of this version.
  public static let format: UInt32 = 1
  /// The maximum size in bytes.
  public static let limit = 65_536

  /// The id of the container.
  public var id: ContainerID
  /// The creator's clock in nanoseconds since 1970, only for display.
  public var created: Int64
  /// The creator's note for people.
  public var note: String
  /// The locations through which the container came here.
  public var trail: SiteTrail

  /// The reason why a container file cannot be used.
  public enum Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// CloudKit's incompatibleVersion: a later Cairn made the container.
    case incompatibleVersion(UInt32)
    /// The file is damaged, or not Cairn's.
    case unreadable(FormatError)

    /// A sentence for people.
    public var description: String {
      switch self {
      case .incompatibleVersion(let format):
        "The container has format \(format), and this version of Cairn knows only format "
          + "\(ContainerFile.format): install a newer version of Cairn to use it."
      case .unreadable(let error):
        "\(error) Is this really a Cairn container? If it is, restore its object 'container' "
          + "from a backup."
      }
    }
  }

  /// Creates a container file.
  public init(id: ContainerID, created: Int64, note: String, trail: SiteTrail = SiteTrail()) {
    self.id = id
    self.created = created
    self.note = note
    self.trail = trail
  }

  /// The stored bytes.
  public func encoded() -> [UInt8] {
    var file = WireContainerFile()
    file.format = Self.format
    file.id = .init(id.bytes)
    file.created = created
    file.note = note
    file.sites = trail.sites.map { .init($0.bytes) }
    return StoredMessage.encode(file)
  }

  /// Reads the stored bytes. A later format is distinguished from damage.
  public init(_ bytes: [UInt8]) throws(Failure) {
    let what = "container file"
    let file: WireContainerFile
    do {
      file = try StoredMessage.decode(
        bytes, as: WireContainerFile.self, what, limit: Self.limit, .anyValid)
    } catch {
      throw .unreadable(error)
    }
    guard file.format <= Self.format else { throw .incompatibleVersion(file.format) }
    guard file.format == Self.format, let id = Bytes16(file.id) else {
      throw .unreadable(FormatError(what, "format or id is missing"))
    }
    let sites = file.sites.compactMap { SiteID(bytes: $0) }
    guard sites.count == file.sites.count else {
      throw .unreadable(FormatError(what, "a place that it was moved to has no id"))
    }
    self.init(
      id: ContainerID(id), created: file.created, note: file.note, trail: SiteTrail(sites))
  }
}

extension ContainerFile {
  /// Reads the root object of a store; nil if no container was made there.
  /// - Throws: `CloudError` if it can't be read or is of a newer format.
  public static func root(of store: any ObjectStore) throws -> ContainerFile? {
    guard let key = ObjectKey(key) else { preconditionFailure("the root's key") }
    do {
      return try store.get(key, upTo: limit).map { try ContainerFile($0) }
    } catch let error as StoreError {
      throw CloudError(error)
    } catch let error as Failure {
      throw CloudError(
        .incompatibleVersion, error.description, remedy: "install a newer Cairn")
    }
  }
}
