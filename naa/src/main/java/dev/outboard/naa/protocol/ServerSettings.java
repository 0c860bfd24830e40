package dev.outboard.naa.protocol;

import dev.outboard.naa.Dialect;
import dev.outboard.naa.NaaMemory;
import java.time.Duration;
import java.util.Optional;

/// What a [ServerMachine] allows its client. A duration of zero means "no limit" or "never".
///
/// @param dialect the one dialect to serve, or empty to recognise the client's
/// @param maxRegions regions of the connection, internal and metadata ones included
/// @param maxBytes memory of the connection
/// @param memory the addresses at which the client may request its regions
/// @param setupLimit how long the client may take to request its regions
/// @param transferLimit how long the transfer of one answer may take
/// @param idleLimit how long the connection may be without an RPC
/// @param probeInterval how often an idle client is probed with a WRITE of no bytes
/// @param probeLimit how long a probe may stay unanswered before the client counts as dead
public record ServerSettings(
        Optional<Dialect> dialect,
        int maxRegions,
        long maxBytes,
        NaaMemory memory,
        Duration setupLimit,
        Duration transferLimit,
        Duration idleLimit,
        Duration probeInterval,
        Duration probeLimit) {}
