package dev.outboard.dpa.flexio;

/// What a device can do.
///
/// @param supported whether it has a DPA at all; if not, the rest is 0
/// @param cores of the DPA
/// @param unitsPerCore execution units of each
/// @param totalUnits all execution units
/// @param usableUnits without those of the DPA's own runtime
/// @param heapLimitBytes the heap of a process
public record DpaCapabilities(
        boolean supported,
        int cores,
        int unitsPerCore,
        int totalUnits,
        int usableUnits,
        long heapLimitBytes) {}
