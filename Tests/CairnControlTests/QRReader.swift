import Testing

/// Reads the squares of a QR code (ISO/IEC 18004) of error correction level L, versions 1 to 13, in
/// byte mode. It corrects nothing: every square must be right.
struct QRReader {
  private let squares: [[Bool]]
  private let version: Int
  private var width: Int { squares.count }

  /// The numbers of data bytes in each block, and of correction bytes for each block, by version.
  private static let blocks: [(data: [Int], correction: Int)] = [
    ([19], 7), ([34], 10), ([55], 15), ([80], 20), ([108], 26), ([68, 68], 18), ([78, 78], 20),
    ([97, 97], 24), ([116, 116], 30), ([68, 68, 69, 69], 18), ([81, 81, 81, 81], 20),
    ([92, 92, 93, 93], 24), ([107, 107, 107, 107], 26),
  ]

  init(_ squares: [[Bool]]) throws {
    self.squares = squares
    version = (squares.count - 17) / 4
    try #require((1...Self.blocks.count).contains(version) && squares.count == 17 + 4 * version)
  }

  func text() throws -> String {
    let data = try dataBytes()
    var bits = data.flatMap { byte in (0..<8).map { byte >> (7 - UInt8($0)) & 1 } }[...]
    func number(_ count: Int) -> Int {
      defer { bits = bits.dropFirst(count) }
      return bits.prefix(count).reduce(0) { $0 * 2 + Int($1) }
    }
    try #require(number(4) == 4, "byte mode")
    let count = number(version < 10 ? 8 : 16)
    return String(decoding: (0..<count).map { _ in UInt8(number(8)) }, as: UTF8.self)
  }

  /// Returns the bytes of all blocks in their original order.
  private func dataBytes() throws -> [UInt8] {
    let shape = Self.blocks[version - 1]
    let all = try bytesInPlace()
    var blocks = shape.data.map { _ in [UInt8]() }
    var next = 0
    for position in 0..<(shape.data.max() ?? 0) {
      for block in blocks.indices where position < shape.data[block] {
        blocks[block].append(all[next])
        next += 1
      }
    }
    try #require(all.count == next + shape.correction * blocks.count)
    return blocks.flatMap { $0 }
  }

  /// Returns the bytes in the order of the squares: in columns of two from the right, up and down
  /// in turn.
  private func bytesInPlace() throws -> [UInt8] {
    let mask = try mask()
    var bits: [Bool] = []
    var isUpward = true
    var right = width - 1
    while right > 0 {
      if right == 6 { right -= 1 }
      for step in 0..<width {
        let row = isUpward ? width - 1 - step : step
        for column in [right, right - 1] where !isFunction(row, column) {
          bits.append(squares[row][column] != mask(row, column))
        }
      }
      isUpward.toggle()
      right -= 2
    }
    return (0..<bits.count / 8).map { byte in
      bits[byte * 8..<byte * 8 + 8].reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
    }
  }

  private func mask() throws -> (Int, Int) -> Bool {
    // The first five of the format's 15 bits, beside the finder pattern at the top left.
    let bits = (0..<5).map { squares[8][$0] }.reduce(0) { $0 << 1 | ($1 ? 1 : 0) } ^ 0b10101
    try #require(bits >> 3 == 0b01, "error correction level L")
    switch bits & 7 {
    case 0: return { ($0 + $1) % 2 == 0 }
    case 1: return { row, _ in row % 2 == 0 }
    case 2: return { _, column in column % 3 == 0 }
    case 3: return { ($0 + $1) % 3 == 0 }
    case 4: return { ($0 / 2 + $1 / 3) % 2 == 0 }
    case 5: return { $0 * $1 % 2 + $0 * $1 % 3 == 0 }
    case 6: return { ($0 * $1 % 2 + $0 * $1 % 3) % 2 == 0 }
    default: return { (($0 + $1) % 2 + $0 * $1 % 3) % 2 == 0 }
    }
  }

  /// Returns whether the square belongs to a pattern or describes the code itself.
  private func isFunction(_ row: Int, _ column: Int) -> Bool {
    if row == 6 || column == 6 { return true }
    if row < 9, column < 9 || column >= width - 8 { return true }
    if column < 9, row >= width - 8 { return true }
    if version >= 7 {
      if row < 6, column >= width - 11 { return true }
      if column < 6, row >= width - 11 { return true }
    }
    guard version > 1 else { return false }
    let last = width - 7
    let places = version < 7 ? [6, last] : [6, (last + 6) / 2 + (last + 6) / 2 % 2, last]
    return places.contains { top in
      places.contains { left in
        let isCorner =
          (top == 6 && left != width - 7 || top == width - 7) && left == 6
          || top == 6 && left == width - 7
        return !isCorner && abs(row - top) <= 2 && abs(column - left) <= 2
      }
    }
  }
}
