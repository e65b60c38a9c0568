import FoundationEssentials

/// The JSON form of values on the socket: one line each, with sorted keys and unescaped slashes.
/// Only this type of the target knows the encoder.
public enum ControlJSON {
  /// Encodes a value as one line, without the newline. Throws `EncodingError`.
  public static func encode(_ value: some Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return [UInt8](try encoder.encode(value))
  }

  /// Decodes a value. Throws `DecodingError`.
  public static func decode<Value: Decodable>(
    _ type: Value.Type, from bytes: some Sequence<UInt8>
  ) throws -> Value {
    try JSONDecoder().decode(type, from: Data(bytes))
  }

  /// Explains a decoding error in a sentence.
  public static func explain(_ error: any Error) -> String {
    guard let error = error as? DecodingError else { return "\(error)" }
    switch error {
    case .keyNotFound(let key, let context):
      return "\(place(context, key)) is missing."
    case .typeMismatch(_, let context), .valueNotFound(_, let context),
      .dataCorrupted(let context):
      return "\(place(context, nil)): \(context.debugDescription)"
    @unknown default:
      return "\(error)"
    }
  }

  private static func place(_ context: DecodingError.Context, _ key: (any CodingKey)?) -> String {
    let keys = context.codingPath.map(\.stringValue) + (key.map { [$0.stringValue] } ?? [])
    return keys.isEmpty ? "the JSON object" : "`" + keys.joined(separator: ".") + "`"
  }
}
