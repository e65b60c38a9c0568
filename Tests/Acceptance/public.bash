# public. Sourced by `run`.
