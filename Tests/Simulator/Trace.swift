import CairnFolders

/// The events of a story as a hash (FNV-1a) that two runs of one seed must share, and on request as
/// readable lines.
final class Trace {
  private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
  private(set) var lines: [String] = []
  let isKept: Bool

  init(isKept: Bool) { self.isKept = isKept }

  func note(_ text: @autoclosure () -> String) {
    guard isKept else { return }
    lines.append(text())
  }

  func mix(_ number: Int64) {
    var rest = UInt64(bitPattern: number)
    for _ in 0..<8 {
      hash = (hash ^ (rest & 0xFF)) &* 0x100_0000_01B3
      rest >>= 8
    }
  }

  func mix(_ bytes: [UInt8]) {
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    mix(Int64(bytes.count))
  }

  func mix(_ turn: MountEngine.Turn) {
    switch turn {
    case .more: mix(1)
    case .idle(let deadline): mix(deadline ?? 2)
    case .ended(let departure): mix(departure.rawValue)
    }
  }

  func mix(_ text: String) {
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
  }
}

/// Bytes as text for people.
func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
