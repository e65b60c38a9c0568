import Testing

/// The whole product, as people use it: real programs, folders and containers.
/// One test at a time: each has two daemons.
@Suite(.serialized) enum EndToEnd {}
