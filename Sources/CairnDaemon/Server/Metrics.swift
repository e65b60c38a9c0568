/// Numbers in the text form that Prometheus reads: families of samples, each with its help and its
/// kind. Their meaning is unknown here.
struct Metrics {
  /// The kind of a number: it only grows, or goes up and down.
  enum Kind: String {
    case counter, gauge
  }

  /// One number with its labels.
  struct Sample {
    var labels: [(String, String)]
    var value: Double

    init(_ value: Double, _ labels: [(String, String)] = []) {
      self.value = value
      self.labels = labels
    }

    init(_ value: some BinaryInteger, _ labels: [(String, String)] = []) {
      self.init(Double(value), labels)
    }
  }

  /// The media type of the text.
  static let type = "text/plain; version=0.0.4; charset=utf-8"
  private(set) var text = ""

  /// Adds a family, unless it has no samples.
  mutating func add(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
    guard !samples.isEmpty else { return }
    text += "# HELP \(name) \(Self.escaped(help))\n# TYPE \(name) \(kind.rawValue)\n"
    for sample in samples {
      let labels = sample.labels.map { "\($0.0)=\"\(Self.escaped($0.1, isQuoted: true))\"" }
      let list = labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}"
      text += "\(name)\(list) \(Self.number(sample.value))\n"
    }
  }

  /// Adds a family with one number.
  mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Double) {
    add(name, kind, help, [Sample(value)])
  }

  private static func number(_ value: Double) -> String {
    let isWhole = value == value.rounded() && abs(value) < 9e15
    return isWhole ? "\(Int64(value))" : "\(value)"
  }

  private static func escaped(_ text: String, isQuoted: Bool = false) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\"" where isQuoted: result += "\\\""
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
