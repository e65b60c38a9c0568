/// A place below a person's folder: names from the top on.
struct Place: Hashable, Sendable {
  var names: [Inode.Name]

  init(_ names: [Inode.Name]) { self.names = names }

  /// The last name.
  var name: Inode.Name { names.last ?? [] }
  var parent: Place { Place(names.dropLast()) }
}

/// A person's action in their folder, with the names of its objects.
enum Deed: Hashable, Sendable {
  case create(Place, size: Int)
  /// Opens, truncates, writes, closes.
  case edit(Place, size: Int)
  /// Writes a new file and renames it over the old one, like an editor.
  case replace(Place, size: Int)
  case append(Place)
  /// Puts a new line into a text, before the line with that number, or creates the text.
  case writeLine(Place, line: Int)
  case makeDirectory(Place)
  case makeSymlink(Place, target: String)
  /// Gives a file a second name.
  case link(Place, as: Place)
  case rename(Place, to: Place)
  /// Renames a file over another one.
  case renameOver(Place, Place)
  /// Swaps the names of two entries, by three renames.
  case swap(Place, Place)
  case delete(Place)
  case deleteTree(Place)
  /// Deletes a file and creates one with the same name.
  case recreate(Place, size: Int)
  case changeMode(Place)
  case touch(Place)
  /// Opens a file for writing and writes the first half of a new version into it.
  case beginWriting(Place)
  /// Writes the rest into the file that was opened last, and closes it, wherever it is.
  case finishWriting
}

extension Deed {
  /// The action of an operation in the current folder; nil if it has no object.
  init?(_ operation: Operation, of hands: PersonAtWork) {
    switch operation {
    case .create(let place, let name, let size):
      self = .create(hands.free(place, name), size: Int(size))
    case .makeDirectory(let place, let name): self = .makeDirectory(hands.free(place, name))
    case .makeSymlink(let place, let name):
      self = .makeSymlink(hands.free(place, name), target: "a/\(hands.step)")
    case .link(let entry, let place, let name):
      guard let entry = hands.any(entry) else { return nil }
      self = .link(hands.place(entry), as: hands.free(place, name))
    case .rename(let entry, let place, let name):
      guard let entry = hands.any(entry) else { return nil }
      let (from, to) = (hands.place(entry), hands.free(place, name))
      self = hands.entry(to) == nil ? .rename(from, to: to) : .renameOver(from, to)
    case .swap(let one, let two):
      guard let one = hands.any(one), let two = hands.any(two) else { return nil }
      self = .swap(hands.place(one), hands.place(two))
    case .deleteTree(let directory):
      guard let entry = hands.directoryEntry(directory) else { return nil }
      self = .deleteTree(hands.place(entry))
    case .changeMode(let file):
      guard let entry = hands.any(file) else { return nil }
      self = .changeMode(hands.place(entry))
    case .touch(let entry):
      guard let entry = hands.any(entry) else { return nil }
      self = .touch(hands.place(entry))
    case .finishWriting: self = .finishWriting
    case .writeLine(let file, let line):
      let name = PersonAtWork.texts[Int(file) % PersonAtWork.texts.count]
      self = .writeLine(Place([name]), line: Int(line))
    case .edit(let file, _), .replace(let file, _), .append(let file), .delete(let file),
      .recreate(let file, _), .beginWriting(let file):
      guard let entry = hands.file(file) else { return nil }
      self.init(operation, file: hands.place(entry))
    }
  }

  private init?(_ operation: Operation, file: Place) {
    switch operation {
    case .edit(_, let size): self = .edit(file, size: Int(size))
    case .replace(_, let size): self = .replace(file, size: Int(size))
    case .append: self = .append(file)
    case .delete: self = .delete(file)
    case .recreate(_, let size): self = .recreate(file, size: Int(size))
    case .beginWriting: self = .beginWriting(file)
    default: return nil
    }
  }
}

extension Deed {
  /// The same action with other names.
  func at(_ name: (Place) -> Place) -> Deed {
    switch self {
    case .create(let place, let size): .create(name(place), size: size)
    case .edit(let file, let size): .edit(name(file), size: size)
    case .replace(let file, let size): .replace(name(file), size: size)
    case .append(let file): .append(name(file))
    case .writeLine(let file, let line): .writeLine(name(file), line: line)
    case .makeDirectory(let place): .makeDirectory(name(place))
    case .makeSymlink(let place, let target): .makeSymlink(name(place), target: target)
    case .link(let file, let place): .link(name(file), as: name(place))
    case .rename(let entry, let place): .rename(name(entry), to: name(place))
    case .renameOver(let entry, let other): .renameOver(name(entry), name(other))
    case .swap(let first, let second): .swap(name(first), name(second))
    case .delete(let file): .delete(name(file))
    case .deleteTree(let directory): .deleteTree(name(directory))
    case .recreate(let file, let size): .recreate(name(file), size: size)
    case .changeMode(let file): .changeMode(name(file))
    case .touch(let entry): .touch(name(entry))
    case .beginWriting(let file): .beginWriting(name(file))
    case .finishWriting: .finishWriting
    }
  }
}
