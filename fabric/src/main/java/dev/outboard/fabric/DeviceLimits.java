package dev.outboard.fabric;

/// What a device can do at most.
///
/// @param maxMessageBytes the longest message of one work request
/// @param pathMtuBytes the payload of one packet at most
/// @param maxQueuePairs queue pairs open at a time
/// @param maxMemoryRegions memory regions registered at a time
/// @param maxCompletions capacity of one completion queue
/// @param maxWorkRequests capacity of one send or receive queue
/// @param maxScatterGather pieces of one work request
/// @param maxInlineBytes payload that is copied when posted
public record DeviceLimits(
        long maxMessageBytes,
        int pathMtuBytes,
        int maxQueuePairs,
        int maxMemoryRegions,
        int maxCompletions,
        int maxWorkRequests,
        int maxScatterGather,
        int maxInlineBytes) {}
