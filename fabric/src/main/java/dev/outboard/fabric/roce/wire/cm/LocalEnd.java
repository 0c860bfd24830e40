package dev.outboard.fabric.roce.wire.cm;

/// The local end of a connection, as the sender of a REQ or of a REP describes its own.
///
/// @param vendorId 24 bits: who made the channel adapter
/// @param caGuid the channel adapter
/// @param queueKey 0 over RC
/// @param qpn the number of the queue pair, 24 bits
/// @param eecn the number of the end-to-end context, 24 bits; 0 over RC
/// @param startingPsn the PSN that the *receiver* of the message starts sending with, 24 bits
/// @param sharedReceiveQueue the SRQ bit
public record LocalEnd(
        int vendorId,
        long caGuid,
        int queueKey,
        int qpn,
        int eecn,
        int startingPsn,
        boolean sharedReceiveQueue) {
    /// Every field is 0 until it is set.
    public static Builder builder() {
        return new Builder();
    }

    /// Collects the fields; every call returns this builder.
    public static final class Builder {
        private int vendorId;
        private long caGuid;
        private int queueKey;
        private int qpn;
        private int eecn;
        private int startingPsn;
        private boolean sharedReceiveQueue;

        private Builder() {}

        public Builder vendorId(int vendorId) {
            this.vendorId = vendorId;
            return this;
        }

        public Builder caGuid(long caGuid) {
            this.caGuid = caGuid;
            return this;
        }

        public Builder queueKey(int queueKey) {
            this.queueKey = queueKey;
            return this;
        }

        public Builder qpn(int qpn) {
            this.qpn = qpn;
            return this;
        }

        public Builder eecn(int eecn) {
            this.eecn = eecn;
            return this;
        }

        public Builder startingPsn(int startingPsn) {
            this.startingPsn = startingPsn;
            return this;
        }

        public Builder sharedReceiveQueue(boolean sharedReceiveQueue) {
            this.sharedReceiveQueue = sharedReceiveQueue;
            return this;
        }

        public LocalEnd build() {
            return new LocalEnd(
                    vendorId, caGuid, queueKey, qpn, eecn, startingPsn, sharedReceiveQueue);
        }
    }
}
