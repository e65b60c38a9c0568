import CairnPlan
import CairnZone

/// Trees on one line, for tables. `d:1/` is a directory with the id 1, and `d/f:2=v` is a file in
/// it with the bytes v. `=?` is a file that wasn't read yet, `=v!` an executable one, `=v@7` one
/// with the time 7, and `l:3>t` a symlink. Parents come first.
func tree(_ text: String) -> ModelTree {
  var result = ModelTree()
  var ids: [String: RecordID] = ["": .root]
  for word in text.split(separator: " ") {
    guard let colon = word.firstIndex(of: ":"),
      let end = word[colon...].firstIndex(where: { "/=>".contains($0) }),
      let number = Int(word[word.index(after: colon)..<end])
    else { preconditionFailure("no entry: \(word)") }
    let path = word[..<colon].split(separator: "/")
    guard let name = path.last, let parent = ids[path.dropLast().joined(separator: "/")] else {
      preconditionFailure("no parent: \(word)")
    }
    let place = Place(parent: parent, name: fileName(String(name)))
    ids[path.joined(separator: "/")] = recordID(number)
    result[recordID(number)] = node(at: place, String(word[end...]))
  }
  return result
}

private func node(at place: Place, _ text: String) -> Node {
  var attributes = Attributes(isExecutable: false, modified: 0)
  var rest = text.dropFirst()
  switch text.first {
  case "/": return Node(place: place, kind: .directory, attributes: attributes)
  case ">": return Node(place: place, kind: .symlink(Array(rest.utf8)), attributes: attributes)
  default: break
  }
  if let at = rest.firstIndex(of: "@") {
    attributes.modified = Int64(rest[rest.index(after: at)...]) ?? 0
    rest = rest[..<at]
  }
  if rest.last == "!" {
    attributes.isExecutable = true
    rest = rest.dropLast()
  }
  let content = rest == "?" ? nil : contentID(text: String(rest))
  return Node(place: place, kind: .file(content), attributes: attributes)
}

/// Returns a content whose bytes are readable in a failing test.
private func contentID(text: String) -> ContentID {
  let bytes = Array(text.utf8)
  guard bytes.count <= 32,
    let id = ContentID(bytes: bytes + Array(repeating: 0, count: 32 - bytes.count))
  else { preconditionFailure("too long: \(text)") }
  return id
}

/// Returns a tree without its ids, as a sorted line in the same form.
func text(_ tree: ModelTree) -> String {
  var words: [String] = []
  var open: [(RecordID, String)] = [(.root, "")]
  while let (parent, path) = open.popLast() {
    for id in tree.children(of: parent) {
      guard let node = tree[id] else { continue }
      let own = path + node.place.name.description
      open.append((id, own + "/"))
      switch node.kind {
      case .directory: words.append(own + "/")
      case .symlink(let target): words.append(own + ">" + String(decoding: target, as: UTF8.self))
      case .file(let content):
        let bytes: [UInt8] = content?.bytes.filter { $0 != 0 } ?? [UInt8(ascii: "?")]
        let mark = node.attributes.isExecutable ? "!" : ""
        let time = node.attributes.modified == 0 ? "" : "@\(node.attributes.modified)"
        words.append(own + "=" + String(decoding: bytes, as: UTF8.self) + mark + time)
      }
    }
  }
  return words.sorted().joined(separator: " ")
}
