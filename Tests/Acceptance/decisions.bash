# decisions. Sourced by `run`.
