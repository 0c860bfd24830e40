package dev.outboard.naa.protocol;

import dev.outboard.naa.Dialect;
import java.time.Duration;

/// What a [ClientMachine] needs to know.
///
/// @param timeout the limit of region setup and of one RPC each; zero for none
/// @param probeInterval after how long without an answer the server is probed, again and again;
///   zero for never
public record ClientSettings(
        Dialect dialect, int functionCode, Duration timeout, Duration probeInterval) {}
