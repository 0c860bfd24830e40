package dev.outboard.dpa.model;

/// A granule of external memory that a thread has cached.
///
/// @param newest whether it was fetched last, or together with what was
record Copy(int granule, long value, boolean newest) {}
