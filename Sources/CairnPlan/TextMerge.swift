/// The merge of two versions of a text with their common base, line by line. It is a function of
/// the three texts and symmetric in the two versions, so all devices that merge them get the same
/// bytes.
public enum TextMerge {
  /// The largest size in bytes of a text that is merged.
  public static let mostBytes = 1 << 20
  /// The largest number of lines of a text that is merged.
  public static let mostLines = 100_000
  /// The largest number of lines in which two versions may differ.
  public static let mostDifferences = LineDiff.mostChanges

  /// Returns whether bytes are a text that can be merged: valid UTF-8 without NUL, not too long.
  public static func isText(_ bytes: [UInt8]) -> Bool {
    bytes.count <= mostBytes && !bytes.contains(0)
      && bytes.count(where: { $0 == newline }) <= mostLines
      && String(validating: bytes, as: UTF8.self) != nil
  }

  /// Merges two versions. All lines that one of them added are in the result, and all lines of the
  /// base that neither of them removed.
  /// - Parameters:
  ///   - base: The version that both were made from.
  ///   - first: One version.
  ///   - second: The other version.
  /// - Returns: The merged text; nil if both changed the same lines or adjacent ones in different
  ///   ways, if there are too many changes, or one of the three isn't a text.
  public static func merge(base: [UInt8], _ first: [UInt8], _ second: [UInt8]) -> [UInt8]? {
    guard [base, first, second].allSatisfy(isText) else { return nil }
    var lines = Lines()
    let (base, first, second) = (lines.add(base), lines.add(first), lines.add(second))
    guard let regions = regions(base, first, second) else { return nil }
    var merged: [Int] = []
    for region in regions {
      guard let choice = region.choice(base, first, second) else { return nil }
      merged += choice
    }
    return lines.bytes(of: merged)
  }

  /// Returns both versions in one text. Lines that they have in common are there once. Each other
  /// part has both versions between markers, as Git writes them.
  /// - Parameters:
  ///   - first: One version.
  ///   - second: The other version.
  ///   - names: The names of the versions in the markers.
  /// - Returns: The text and the number of marked parts; nil if there are too many differences, or
  ///   one of the two isn't a text.
  public static func marked(
    _ first: [UInt8], _ second: [UInt8], names: (first: [UInt8], second: [UInt8])
  ) -> (text: [UInt8], parts: Int)? {
    guard isText(first), isText(second) else { return nil }
    var lines = Lines()
    let (first, second) = (lines.add(first), lines.add(second))
    guard let hunks = LineDiff.hunks(from: first, to: second) else { return nil }
    var text: [UInt8] = []
    var end = 0
    func mark(_ sign: Character, _ name: [UInt8]) {
      if let last = text.last, last != newline { text.append(newline) }
      text += Array(String(repeating: sign, count: 7).utf8)
      if !name.isEmpty { text += [UInt8(ascii: " ")] + name }
      text.append(newline)
    }
    for hunk in hunks {
      text += lines.bytes(of: first[end..<hunk.old.lowerBound])
      mark("<", names.first)
      text += lines.bytes(of: first[hunk.old])
      mark("=", [])
      text += lines.bytes(of: second[hunk.new])
      mark(">", names.second)
      end = hunk.old.upperBound
    }
    text += lines.bytes(of: first[end...])
    return (text, hunks.count)
  }

  /// Returns whether a line of a text is a marker of `marked`.
  public static func hasMarkers(_ text: [UInt8]) -> Bool {
    let named = ["<<<<<<< ", ">>>>>>> "].map { Array($0.utf8) }
    return text.split(separator: newline).contains { line in
      line.elementsEqual("=======".utf8) || named.contains { line.starts(with: $0) }
    }
  }

  private static let newline = UInt8(ascii: "\n")

  // MARK: Lines

  /// The distinct lines of several texts, each with its end. Texts are lists of their numbers.
  private struct Lines {
    private var numbers: [ArraySlice<UInt8>: Int] = [:]
    private var lines: [ArraySlice<UInt8>] = []

    mutating func add(_ text: [UInt8]) -> [Int] {
      var found: [Int] = []
      var start = 0
      while start < text.count {
        let end = text[start...].firstIndex(of: newline).map { $0 + 1 } ?? text.count
        let line = text[start..<end]
        let number = numbers[line] ?? lines.count
        if number == lines.count {
          numbers[line] = number
          lines.append(line)
        }
        found.append(number)
        start = end
      }
      return found
    }

    func bytes(of numbers: some Sequence<Int>) -> [UInt8] {
      numbers.reduce(into: []) { $0 += lines[$1] }
    }
  }

  // MARK: Regions

  /// Lines of the base, and the lines of each version in their place.
  private struct Region {
    var base: Range<Int>
    var first: Range<Int>
    var second: Range<Int>

    /// Returns the lines of the merged text; nil if both versions changed the region differently.
    func choice(_ base: [Int], _ first: [Int], _ second: [Int]) -> ArraySlice<Int>? {
      let (old, one, other) = (base[self.base], first[self.first], second[self.second])
      if one == other || other == old { return one }
      return one == old ? other : nil
    }
  }

  /// Divides the three texts into regions: unchanged ones, and changed ones, to which the changes
  /// of both versions belong that touch each other. Returns nil if there are too many changes.
  private static func regions(_ base: [Int], _ first: [Int], _ second: [Int]) -> [Region]? {
    guard let one = LineDiff.hunks(from: base, to: first),
      let other = LineDiff.hunks(from: base, to: second)
    else { return nil }
    var regions: [Region] = []
    var (i, j, shiftOne, shiftOther, end) = (0, 0, 0, 0, 0)
    func add(_ range: Range<Int>, _ afterOne: Int, _ afterOther: Int) {
      regions.append(
        Region(
          base: range,
          first: (range.lowerBound + shiftOne)..<(range.upperBound + afterOne),
          second: (range.lowerBound + shiftOther)..<(range.upperBound + afterOther)))
      (shiftOne, shiftOther, end) = (afterOne, afterOther, range.upperBound)
    }
    while i < one.count || j < other.count {
      let start = min(
        i < one.count ? one[i].old.lowerBound : .max,
        j < other.count ? other[j].old.lowerBound : .max)
      if start > end { add(end..<start, shiftOne, shiftOther) }
      var upper = start
      var (afterOne, afterOther) = (shiftOne, shiftOther)
      while true {
        if i < one.count, one[i].old.lowerBound <= upper {
          upper = max(upper, one[i].old.upperBound)
          afterOne = one[i].new.upperBound - one[i].old.upperBound
          i += 1
        } else if j < other.count, other[j].old.lowerBound <= upper {
          upper = max(upper, other[j].old.upperBound)
          afterOther = other[j].new.upperBound - other[j].old.upperBound
          j += 1
        } else {
          break
        }
      }
      add(start..<upper, afterOne, afterOther)
    }
    if end < base.count { add(end..<base.count, shiftOne, shiftOther) }
    return regions
  }
}
