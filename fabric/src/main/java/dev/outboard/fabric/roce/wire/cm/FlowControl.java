package dev.outboard.fabric.roce.wire.cm;

/// What the sender of a REQ or of a REP offers and asks for, so that neither end is overrun.
///
/// @param responderResources READs and atomics that the sender can serve at a time, 8 bits
/// @param initiatorDepth READs and atomics that the sender will have outstanding, 8 bits
/// @param endToEnd end-to-end flow control, of reliable datagrams
/// @param rnrRetryCount 3 bits: how often the *receiver* of the message repeats what meets no
///   receive; 7 means for ever
public record FlowControl(
        int responderResources, int initiatorDepth, boolean endToEnd, int rnrRetryCount) {
    /// Every field is 0 until it is set.
    public static Builder builder() {
        return new Builder();
    }

    /// Collects the fields; every call returns this builder.
    public static final class Builder {
        private int responderResources;
        private int initiatorDepth;
        private boolean endToEnd;
        private int rnrRetryCount;

        private Builder() {}

        public Builder responderResources(int responderResources) {
            this.responderResources = responderResources;
            return this;
        }

        public Builder initiatorDepth(int initiatorDepth) {
            this.initiatorDepth = initiatorDepth;
            return this;
        }

        public Builder endToEnd(boolean endToEnd) {
            this.endToEnd = endToEnd;
            return this;
        }

        public Builder rnrRetryCount(int rnrRetryCount) {
            this.rnrRetryCount = rnrRetryCount;
            return this;
        }

        public FlowControl build() {
            return new FlowControl(responderResources, initiatorDepth, endToEnd, rnrRetryCount);
        }
    }
}
