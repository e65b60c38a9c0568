import CairnControl

/// The progress of work, for people.
enum WorkText {
  /// The work of a mount, one line per direction.
  static func lines(_ work: Control.Work) -> [String] {
    var lines: [String] = []
    if let looked = work.looked, looked > 0 {
      lines.append("scanned: " + Wording.count(looked, "name", "names") + " so far")
    }
    if work.pendingLocal + work.pendingRemote > 0 {
      lines.append(
        "pending: \(Wording.grouped(Int64(work.pendingLocal))) to send, "
          + "\(Wording.grouped(Int64(work.pendingRemote))) to receive")
    }
    let end = [rate(work.bytesPerSecond), left(work.secondsLeft)].compactMap { $0 }
    for (what, amount) in [("sent", work.sending), ("received", work.receiving)] {
      guard let amount else { continue }
      var parts = ["\(Wording.grouped(amount.names)) of \(Wording.grouped(amount.allNames)) names"]
      if amount.allBytes > 0 {
        parts.append("\(Wording.bytes(amount.bytes)) of \(Wording.bytes(amount.allBytes))")
      }
      // Both directions are one stream of work, so the speed is printed once.
      let isLast = what == "received" || work.receiving == nil
      lines.append("\(what): " + (parts + (isLast ? end : [])).joined(separator: ", "))
    }
    return lines
  }

  /// The progress of awaited work, the most important part first: a line that is too short loses
  /// parts from the end.
  static func parts(_ progress: Control.Progress) -> [String] {
    let isBytes = progress.unit == "bytes"
    func amount(_ number: Int64) -> String {
      isBytes ? Wording.bytes(number) : Wording.grouped(number)
    }
    var first = amount(progress.done)
    if let total = progress.total { first += " of " + amount(total) }
    if !isBytes { first += " " + Output.printable(progress.unit) }
    var parts = [first]
    if let bytes = progress.bytes, let all = progress.allBytes {
      parts.append("\(Wording.bytes(bytes)) of \(Wording.bytes(all))")
    }
    return parts + [left(progress.secondsLeft), rate(progress.bytesPerSecond)].compactMap { $0 }
  }

  /// The speed in bytes.
  private static func rate(_ bytes: Int64?) -> String? { bytes.map { Wording.bytes($0) + "/s" } }

  /// The remaining time as in `12 s left`, `3 min left`, `2 h 5 min left`.
  static func left(_ seconds: Int64?) -> String? {
    guard let seconds else { return nil }
    if seconds < 100 { return "\(seconds) s left" }
    let minutes = (seconds + 30) / 60
    if minutes < 100 { return "\(minutes) min left" }
    let hours = minutes / 60
    return hours < 48 ? "\(hours) h \(minutes % 60) min left" : "\(hours / 24) days left"
  }
}
