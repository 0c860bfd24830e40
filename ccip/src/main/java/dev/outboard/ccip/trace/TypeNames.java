package dev.outboard.ccip.trace;

import dev.outboard.ccip.wire.C0Rx;
import dev.outboard.ccip.wire.C0Tx;
import dev.outboard.ccip.wire.C1Response;
import dev.outboard.ccip.wire.C1Rx;
import dev.outboard.ccip.wire.C1Tx;
import dev.outboard.ccip.wire.ReadType;
import dev.outboard.ccip.wire.WriteType;
import java.util.Arrays;

/// What a beat is, in one word, without making a string for it.
final class TypeNames {
    private static final String RESERVED = "RESERVED";
    private static final String[] READS = new String[16];
    private static final String[] WRITES = new String[16];
    private static final String[] ANSWERS = new String[16];

    static {
        Arrays.fill(READS, RESERVED);
        Arrays.fill(WRITES, RESERVED);
        Arrays.fill(ANSWERS, RESERVED);
        for (ReadType type : ReadType.values()) {
            READS[type.code()] = type.name();
        }
        for (WriteType type : WriteType.values()) {
            WRITES[type.code()] = type.name();
        }
        for (C1Response type : C1Response.values()) {
            ANSWERS[type.code()] = type.name();
        }
    }

    private TypeNames() {}

    static String of(C0Tx c0) {
        return READS[c0.requestType()];
    }

    static String of(C1Tx c1) {
        return WRITES[c1.requestType()];
    }

    static String of(C0Rx c0) {
        if (c0.mmioRdValid) {
            return "MMIO_READ";
        }
        if (c0.mmioWrValid) {
            return "MMIO_WRITE";
        }
        if (c0.isUmsg()) {
            return c0.isHint() ? "UMSGH" : "UMSG";
        }
        return c0.isReadResponse() ? "RDLINE" : RESERVED;
    }

    static String of(C1Rx c1) {
        return ANSWERS[c1.responseType()];
    }
}
