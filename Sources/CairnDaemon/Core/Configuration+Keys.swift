import CairnControl
import FoundationEssentials

/// The mistyped parts of a configuration, which have no effect: they are reported, and left alone.
extension Configuration {
  private typealias IsOfType = (ConfigurationText.Value) -> Bool

  /// The keys that this version knows, section by section; "" is the part before the first section.
  private static var known: [String: [String: IsOfType]] {
    let text: IsOfType = { $0.string != nil }
    let number: IsOfType = { $0.int != nil }
    let truth: IsOfType = { $0.bool != nil }
    let rate: IsOfType = { $0.int != nil || $0.string != nil }
    let texts: IsOfType = { $0.string != nil || $0.array != nil }
    return [
      "": ["folder": text], "select": ["only": texts, "without": texts],
      "container": [
        "path": text, "id": text, "name": text, "file-system": text, "notifies": truth,
        "poll-seconds": number,
      ],
      "s3": [
        "region": text, "style": text, "credentials-file": text, "profile": text,
        "credential-process": text,
      ],
      "network": ["upload-limit": rate, "download-limit": rate, "limit-when": texts],
      "wake": ["listen": texts, "send": truth],
      "desktop": ["notices": truth], "log": ["level": text],
      "disk": ["keep-free-mib": number], "device": ["name": text], "account": ["anonymous": truth],
    ]
  }

  /// The keys of a file's text that have no effect: unknown ones, and values of another type.
  static func keysWithoutEffect(in text: String) throws -> [String] {
    try ConfigurationReader.read(text).sections.flatMap { section -> [String] in
      guard let keys = known[section.name] else { return ["[\(section.name)]"] }
      return section.entries.filter { keys[$0.key]?($0.value) != true }.map {
        section.name.isEmpty ? $0.key : "\($0.key) in [\(section.name)]"
      }
    }.sorted()
  }

  /// Returns the ineffective parts of a home's file as a problem; nil if there are none.
  static func problem(in home: Home) throws -> Control.Problem? {
    let data = try Data(contentsOf: URL(filePath: home.configuration))
    let keys = try keysWithoutEffect(in: String(decoding: data, as: UTF8.self))
    guard !keys.isEmpty else { return nil }
    let list = keys.map { Control.Path($0).description }.joined(separator: ", ")
    return Control.Problem(
      path: Control.Path(home.configuration), code: .invalidArguments,
      message: "cairn.conf has keys without effect, because they are unknown or their value has "
        + "another type: \(list).",
      remedy: "Correct the file, then run `cairn stop` and `cairn start`. cairn.conf(5) lists the "
        + "keys.")
  }
}
