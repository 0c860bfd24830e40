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
/// @param maxDeviceMemoryBytes memory of the card itself; 0 if it has none to give
/// @param maxFunctions functions of a card, its physical one included
/// @param maxFlows steering rules at a time; 0 if it has no queue pairs of type RAW_PACKET
/// @param maxFrameBytes the longest frame of such a queue pair, without its frame check sequence
public record DeviceLimits(
        long maxMessageBytes,
        int pathMtuBytes,
        int maxQueuePairs,
        int maxMemoryRegions,
        int maxCompletions,
        int maxWorkRequests,
        int maxScatterGather,
        int maxInlineBytes,
        long maxDeviceMemoryBytes,
        int maxFunctions,
        int maxFlows,
        int maxFrameBytes) {
    /// For providers: every limit is 0 until it is set.
    public static Builder builder() {
        return new Builder();
    }

    /// The same limits, for some of them to be set anew.
    public Builder toBuilder() {
        return builder()
                .maxMessageBytes(maxMessageBytes)
                .pathMtuBytes(pathMtuBytes)
                .maxQueuePairs(maxQueuePairs)
                .maxMemoryRegions(maxMemoryRegions)
                .maxCompletions(maxCompletions)
                .maxWorkRequests(maxWorkRequests)
                .maxScatterGather(maxScatterGather)
                .maxInlineBytes(maxInlineBytes)
                .maxDeviceMemoryBytes(maxDeviceMemoryBytes)
                .maxFunctions(maxFunctions)
                .maxFlows(maxFlows)
                .maxFrameBytes(maxFrameBytes);
    }

    /// Collects the limits; every call returns this builder.
    public static final class Builder {
        private long maxMessageBytes;
        private int pathMtuBytes;
        private int maxQueuePairs;
        private int maxMemoryRegions;
        private int maxCompletions;
        private int maxWorkRequests;
        private int maxScatterGather;
        private int maxInlineBytes;
        private long maxDeviceMemoryBytes;
        private int maxFunctions;
        private int maxFlows;
        private int maxFrameBytes;

        private Builder() {}

        public Builder maxMessageBytes(long maxMessageBytes) {
            this.maxMessageBytes = maxMessageBytes;
            return this;
        }

        public Builder pathMtuBytes(int pathMtuBytes) {
            this.pathMtuBytes = pathMtuBytes;
            return this;
        }

        public Builder maxQueuePairs(int maxQueuePairs) {
            this.maxQueuePairs = maxQueuePairs;
            return this;
        }

        public Builder maxMemoryRegions(int maxMemoryRegions) {
            this.maxMemoryRegions = maxMemoryRegions;
            return this;
        }

        public Builder maxCompletions(int maxCompletions) {
            this.maxCompletions = maxCompletions;
            return this;
        }

        public Builder maxWorkRequests(int maxWorkRequests) {
            this.maxWorkRequests = maxWorkRequests;
            return this;
        }

        public Builder maxScatterGather(int maxScatterGather) {
            this.maxScatterGather = maxScatterGather;
            return this;
        }

        public Builder maxInlineBytes(int maxInlineBytes) {
            this.maxInlineBytes = maxInlineBytes;
            return this;
        }

        public Builder maxDeviceMemoryBytes(long maxDeviceMemoryBytes) {
            this.maxDeviceMemoryBytes = maxDeviceMemoryBytes;
            return this;
        }

        public Builder maxFunctions(int maxFunctions) {
            this.maxFunctions = maxFunctions;
            return this;
        }

        public Builder maxFlows(int maxFlows) {
            this.maxFlows = maxFlows;
            return this;
        }

        public Builder maxFrameBytes(int maxFrameBytes) {
            this.maxFrameBytes = maxFrameBytes;
            return this;
        }

        public DeviceLimits build() {
            return new DeviceLimits(
                    maxMessageBytes,
                    pathMtuBytes,
                    maxQueuePairs,
                    maxMemoryRegions,
                    maxCompletions,
                    maxWorkRequests,
                    maxScatterGather,
                    maxInlineBytes,
                    maxDeviceMemoryBytes,
                    maxFunctions,
                    maxFlows,
                    maxFrameBytes);
        }
    }
}
