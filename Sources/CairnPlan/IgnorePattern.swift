/// One line of a `.cairnignore` in gitignore(5)'s syntax, compiled. It works on bytes without
/// files, and knows the largest cost of a comparison.
struct IgnorePattern: Sendable {
  /// One element of a pattern.
  enum Token: Hashable, Sendable {
    /// This byte.
    case byte(UInt8)
    /// Any byte (`?`).
    case anyByte
    /// Any number of any bytes (`*`).
    case anyBytes
    /// One byte out of a set (`[…]`).
    case oneOf(ByteSet)
    /// The slash between two segments.
    case slash
  }

  /// One part of a pattern between slashes.
  enum Segment: Hashable, Sendable {
    /// One name.
    case name([Token])
    /// Any number of names, zero included (`**`).
    case anyNames
  }

  /// The line as written.
  let line: [UInt8]
  /// A Boolean value that indicates whether matching entries are included again (`!`).
  let isNegated: Bool
  /// A Boolean value that indicates whether only directories match (a slash at the end).
  let isForDirectories: Bool
  /// A Boolean value that indicates whether the pattern is for the path below its directory; if
  /// not, it is for any last name.
  let isAnchored: Bool
  private let segments: [Segment]

  /// A bound on the number of steps to compare the pattern with one path: the part between two `*`
  /// may be tried at each byte of a name, and the part after a `**` at each of some names.
  var cost: Int {
    var steps = 1
    for case .name(let tokens) in segments {
      steps += tokens.count * (tokens.count(where: { $0 == .anyBytes }) > 1 ? 255 : 1)
    }
    return segments.contains(.anyNames) ? steps * 32 : steps
  }

  /// Compiles a line; nil for an empty line, a comment, and a line that can never match.
  init?(line: some Collection<UInt8>) {
    self.line = Array(line)
    var rest = Self.withoutTrailingSpaces(Array(line))[...]
    guard let first = rest.first, first != UInt8(ascii: "#") else { return nil }
    isNegated = first == UInt8(ascii: "!")
    if isNegated { rest = rest.dropFirst() }
    guard var tokens = Self.tokens(of: rest) else { return nil }
    isForDirectories = tokens.last == .slash
    if isForDirectories { tokens.removeLast() }
    isAnchored = tokens.contains(.slash)
    if tokens.first == .slash { tokens.removeFirst() }
    let parts = tokens.split(separator: .slash, omittingEmptySubsequences: false)
    // No name is empty, so `a//b` cannot match.
    guard parts.allSatisfy({ !$0.isEmpty }) else { return nil }
    var segments: [Segment] = []
    for part in parts {
      let isDeep = isAnchored && part.count >= 2 && part.allSatisfy { $0 == .anyBytes }
      segments.append(isDeep ? .anyNames : .name(Array(part)))
    }
    // `a/**` is for everything in `a`, and not for `a` itself.
    if segments.last == .anyNames { segments.append(.name([.anyBytes])) }
    self.segments = segments
  }

  /// Returns whether the pattern is about the entry at this path, whose names are those below the
  /// pattern's directory.
  func matches(_ path: ArraySlice<[UInt8]>, isDirectory: Bool) -> Bool {
    guard isDirectory || !isForDirectories, let last = path.last else { return false }
    guard isAnchored else {
      guard case .name(let tokens)? = segments.first else { return false }
      return Self.matches(tokens, last)
    }
    return matchesSegments(path)
  }

  /// Matches segments. Each `**` takes as few names as possible; on a mismatch only the last one
  /// gets more. An earlier one need not get more, because the last one can take those names, too.
  private func matchesSegments(_ path: ArraySlice<[UInt8]>) -> Bool {
    var segment = 0
    var name = path.startIndex
    var retry: (segment: Int, name: Int)?
    while name < path.endIndex {
      if segment < segments.count, case .anyNames = segments[segment] {
        retry = (segment + 1, name)
        segment += 1
      } else if segment < segments.count, case .name(let tokens) = segments[segment],
        Self.matches(tokens, path[name])
      {
        segment += 1
        name += 1
      } else if let last = retry {
        retry = (last.segment, last.name + 1)
        segment = last.segment
        name = last.name + 1
      } else {
        return false
      }
    }
    return segments[segment...].allSatisfy { $0 == .anyNames }
  }

  /// Matches the bytes of one name and `*`. The part after the last `*` is compared with the end of
  /// the name only.
  private static func matches(_ tokens: [Token], _ bytes: [UInt8]) -> Bool {
    guard let last = tokens.lastIndex(of: .anyBytes) else {
      return tokens.count == bytes.count && zip(tokens, bytes).allSatisfy { accepts($0, $1) }
    }
    let end = tokens[(last + 1)...]
    guard end.count <= bytes.count else { return false }
    guard zip(end, bytes.suffix(end.count)).allSatisfy({ accepts($0, $1) }) else { return false }
    return matchesBegin(tokens[...last], bytes.dropLast(end.count))
  }

  /// Matches tokens that end with a `*`.
  private static func matchesBegin(
    _ tokens: ArraySlice<Token>, _ bytes: ArraySlice<UInt8>
  ) -> Bool {
    var token = 0
    var index = 0
    var retry: (token: Int, index: Int)?
    while index < bytes.count {
      // The last `*` accepts the rest.
      if token == tokens.count { return true }
      if tokens[token] == .anyBytes {
        retry = (token + 1, index)
        token += 1
      } else if accepts(tokens[token], bytes[index]) {
        token += 1
        index += 1
      } else if let last = retry {
        retry = (last.token, last.index + 1)
        token = last.token
        index = last.index + 1
      } else {
        return false
      }
    }
    return tokens[token...].allSatisfy { $0 == .anyBytes }
  }

  private static func accepts(_ token: Token, _ byte: UInt8) -> Bool {
    switch token {
    case .byte(let own): own == byte
    case .anyByte: true
    case .oneOf(let set): set.contains(byte)
    case .anyBytes, .slash: false
    }
  }
}

extension IgnorePattern {
  /// Returns the line without the spaces at its end, except after a backslash.
  private static func withoutTrailingSpaces(_ line: [UInt8]) -> [UInt8] {
    var end = 0
    var index = 0
    while index < line.count {
      let isEscape = line[index] == UInt8(ascii: "\\") && index + 1 < line.count
      index += isEscape ? 2 : 1
      if isEscape || line[index - 1] != UInt8(ascii: " ") { end = index }
    }
    return Array(line[..<end])
  }

  /// Returns the tokens of a line; nil if it ends within an escape or a bracket: such a pattern
  /// matches nothing.
  private static func tokens(of line: ArraySlice<UInt8>) -> [Token]? {
    var rest = line
    var tokens: [Token] = []
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\\"):
        guard let escaped = rest.popFirst() else { return nil }
        tokens.append(escaped == UInt8(ascii: "/") ? .slash : .byte(escaped))
      case UInt8(ascii: "*"): tokens.append(.anyBytes)
      case UInt8(ascii: "?"): tokens.append(.anyByte)
      case UInt8(ascii: "/"): tokens.append(.slash)
      case UInt8(ascii: "["):
        guard let set = ByteSet(bracket: &rest) else { return nil }
        tokens.append(.oneOf(set))
      default: tokens.append(.byte(byte))
      }
    }
    return tokens
  }
}
