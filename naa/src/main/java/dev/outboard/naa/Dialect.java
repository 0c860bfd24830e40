package dev.outboard.naa;

/// The two versions of the protocol (`spec/naaice.md`, section 0.1). The client chooses; the server
/// offers one or recognises both. Everything that differs between them on the wire is here.
public enum Dialect {
    /// The protocol of the first project phase: a metadata region names the one region that is
    /// returned.
    AP1_2023("ap1-2023", 1, 0xff, 1L << 30, 1) {
        @Override
        public int requestImmediate(int functionCode, int userBytes) {
            return functionCode;
        }

        @Override
        public int functionCode(int immediate) {
            return immediate & 0xff;
        }

        @Override
        public int userBytes(int immediate) {
            return 0;
        }

        @Override
        public int returnImmediate(int returnCode) {
            return returnCode;
        }

        @Override
        public int returnCode(int immediate) {
            return immediate;
        }
    },

    /// Today's protocol: regions are marked as input, output or single-send.
    UPSTREAM_2026("upstream-2026", 0, 0x7f, 1L << 31, 7) {
        @Override
        public int requestImmediate(int functionCode, int userBytes) {
            return (userBytes << 8) | HOST_TO_NAA | functionCode;
        }

        @Override
        public int functionCode(int immediate) {
            return immediate & 0x7f;
        }

        @Override
        public int userBytes(int immediate) {
            return immediate >>> 8;
        }

        @Override
        public int returnImmediate(int returnCode) {
            return returnCode << 8;
        }

        @Override
        public int returnCode(int immediate) {
            return immediate >>> 8;
        }
    };

    /// The bytes of the metadata region of `ap1-2023`.
    ///
    /// NAA-META-9: both sides take the length from here; the return address comes first.
    public static final int METADATA_BYTES = 8;

    private static final int HOST_TO_NAA = 0x80;

    private final String label;
    private final int firstParameter;
    private final int maxFunctionCode;
    private final long maxRegionBytes;
    private final int retryCount;

    Dialect(
            String label,
            int firstParameter,
            int maxFunctionCode,
            long maxRegionBytes,
            int retryCount) {
        this.label = label;
        this.firstParameter = firstParameter;
        this.maxFunctionCode = maxFunctionCode;
        this.maxRegionBytes = maxRegionBytes;
        this.retryCount = retryCount;
    }

    /// The immediate value that starts an RPC (section 7.1).
    ///
    /// NAA-XFER-2: as section 7.1 has it.
    ///
    /// @param userBytes the three user bytes, byte 0 in bits 7..0
    public abstract int requestImmediate(int functionCode, int userBytes);

    /// The function code in an immediate value of a client; 0 reports a failure of the client.
    ///
    /// NAA-XFER-13: the lowest 7 or 8 bits.
    public abstract int functionCode(int immediate);

    /// The three user bytes in an immediate value of a client, byte 0 in bits 7..0.
    public abstract int userBytes(int immediate);

    /// The immediate value that ends an RPC (section 10.1).
    ///
    /// NAA-RET-7: as section 10.1 has it.
    public abstract int returnImmediate(int returnCode);

    /// The return code in an immediate value of a server.
    ///
    /// NAA-RET-8, NAA-RET-9: the whole value, or all of its upper 24 bits.
    public abstract int returnCode(int immediate);

    /// The wire region that carries parameter 0: 1 if a metadata region comes first, else 0.
    public int firstParameter() {
        return firstParameter;
    }

    /// The highest function code; the lowest is 1.
    public int maxFunctionCode() {
        return maxFunctionCode;
    }

    /// The largest region by default.
    public long maxRegionBytes() {
        return maxRegionBytes;
    }

    /// The transport retries asked for by default.
    public int retryCount() {
        return retryCount;
    }

    /// The name of the dialect in the catalog: `ap1-2023` or `upstream-2026`.
    @Override
    public String toString() {
        return label;
    }
}
