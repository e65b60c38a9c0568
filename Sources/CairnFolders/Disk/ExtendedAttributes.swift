import CairnZone

/// The extended attributes of files that a zone can carry: those of the namespace `user`, without
/// those that file systems keep for themselves.
extension Attributes {
  /// The maximum total bytes of names and values that a device sends of one entry.
  static let mostSentBytes = 16_384
  /// The maximum number of attributes that a device sends of one entry.
  static let mostSentNames = 64

  private static let namespace = Array("user.".utf8)
  /// Attributes with which file systems describe entries of their lower directories.
  private static let ofFileSystems = ["user.overlay.", "user.fuseoverlayfs."].map {
    Array($0.utf8)
  }

  /// Returns whether an attribute of that name can be carried.
  static func isCarried(_ name: [UInt8]) -> Bool {
    name.starts(with: namespace) && (6...255).contains(name.count)
      && !ofFileSystems.contains { name.starts(with: $0) }
  }

  /// Returns attributes after a change: the new ones, and those that weren't part of it.
  static func extended(
    _ now: Extended, changed wanted: Extended, from before: Extended
  ) -> Extended {
    var after = now
    for name in before.keys where wanted[name] == nil { after[name] = nil }
    for (name, value) in wanted where isCarried(name) { after[name] = value }
    return after
  }

  /// Returns the form in the index: for each attribute, in the order of the names, the sizes of its
  /// name and its value in two and four bytes, and both.
  static func stored(_ extended: Extended) -> [UInt8] {
    var bytes: [UInt8] = []
    let sorted = extended.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    for (name, value) in sorted {
      for shift in [0, 8] { bytes.append(UInt8(truncatingIfNeeded: name.count >> shift)) }
      for shift in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: value.count >> shift)) }
      bytes += name + value
    }
    return bytes
  }

  /// Reads that form. A damaged rest is left out: the index is a cache.
  static func extended(stored bytes: [UInt8]) -> Extended {
    var (found, rest) = (Extended(), bytes[...])
    func number(_ digits: ArraySlice<UInt8>) -> Int {
      digits.reversed().reduce(0) { $0 << 8 | Int($1) }
    }
    while rest.count >= 6 {
      let (name, value) = (number(rest.prefix(2)), number(rest.dropFirst(2).prefix(4)))
      rest = rest.dropFirst(6)
      guard rest.count >= name + value else { return found }
      found[Array(rest.prefix(name))] = Array(rest.dropFirst(name).prefix(value))
      rest = rest.dropFirst(name + value)
    }
    return found
  }
}

extension Descriptor {
  /// The attributes that a zone can carry; nil if they are too many or too large.
  func carriedAttributes() throws(FolderError) -> Attributes.Extended? {
    var (found, size) = (Attributes.Extended(), 0)
    for name in try attributeNames() where Attributes.isCarried(name) {
      guard let value = try attribute(name) else { continue }
      size += name.count + value.count
      found[name] = value
    }
    return size <= Attributes.mostSentBytes && found.count <= Attributes.mostSentNames ? found : nil
  }

  /// Opens an entry of this directory and reads these attributes; nil also if it can't be read.
  func carriedAttributes(
    of name: FileNameBytes, _ kind: FileStat.Kind
  ) throws(FolderError) -> Attributes.Extended? {
    guard kind == .file || kind == .directory else { return nil }
    do throws(FolderError) {
      let entry = kind == .file ? try openFile([name]) : try openDirectory([name])
      return try entry.carriedAttributes()
    } catch {
      guard error.code == .denied || error.code == .unsupported || error.code == .notFound else {
        throw error
      }
      return nil
    }
  }
}
