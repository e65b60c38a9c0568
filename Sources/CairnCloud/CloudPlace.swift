import CairnStore

/// The storage of a container.
public struct CloudPlace: Sendable {
  enum Kind: Sendable {
    case location(String)
    case memory(MemoryCloud)
  }

  let kind: Kind

  /// A folder that all people of the container can write.
  public static func directory(_ path: String) -> CloudPlace { CloudPlace(kind: .location(path)) }

  /// A bucket, by an address such as `s3://…`.
  public static func bucket(_ address: String) -> CloudPlace {
    CloudPlace(kind: .location(address))
  }

  /// A container in memory, for tests. All people of a test use the same one.
  public static func memory(_ cloud: MemoryCloud) -> CloudPlace {
    CloudPlace(kind: .memory(cloud))
  }
}

/// A container in the memory of this process, for tests.
public final class MemoryCloud: Sendable {
  let store = MemoryStore()

  /// Creates an empty container.
  public init() {}
}

/// The person who opens a container, on this device.
public struct Identity: Sendable {
  let handle: String
  let name: String
  let home: String?

  /// The person whose keys are in a home. If the home has no keys, a person is created there.
  /// - Parameters:
  ///   - handle: The handle of a new person: lower-case letters, digits, `.`, `_` and `-`.
  ///   - name: The display name of a new person.
  ///   - home: A folder for the keys and the index, which one process can use at a time. Nil keeps
  ///     both in memory, for tests.
  /// - Returns: The identity.
  public static func person(_ handle: String, name: String? = nil, home: String?) -> Identity {
    Identity(handle: handle, name: name ?? handle, home: home)
  }
}
