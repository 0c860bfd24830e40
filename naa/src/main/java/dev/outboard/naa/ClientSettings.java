package dev.outboard.naa;

/// What a [ClientMachine] needs to know.
///
/// @param operationNanos the limit of region setup and of one RPC each; 0 for none
/// @param probeNanos after how long without an answer the server is probed, again and again; 0 for
///   never
record ClientSettings(Dialect dialect, int functionCode, long operationNanos, long probeNanos) {}
