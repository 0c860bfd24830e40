package dev.outboard.doca.sync;

import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;

/// What a masked value is compared to; unsigned.
enum Condition {
    GT,
    EQ,
    NEQ;

    /// DSE-WAIT-1, DSE-WAIT-2, DJAVA-RDMA-3: unsigned, under the mask.
    boolean holds(long value, long mask, long threshold) {
        long masked = value & mask;
        return switch (this) {
            case GT -> Long.compareUnsigned(masked, threshold) > 0;
            case EQ -> masked == threshold;
            case NEQ -> masked != threshold;
        };
    }

    /// DSE-WAIT-5: refuses to wait for what no value can satisfy.
    void requirePossible(long mask, long threshold) {
        boolean possible =
                switch (this) {
                    case GT -> Long.compareUnsigned(mask, threshold) > 0;
                    case EQ -> (threshold & ~mask) == 0;
                    case NEQ -> mask != 0 || threshold != 0;
                };
        if (!possible) {
            throw new DocaException(
                    DocaError.INVALID_VALUE,
                    "no value masked with 0x%x is %s 0x%x: this would wait for ever"
                            .formatted(mask, words(), threshold));
        }
    }

    String words() {
        return switch (this) {
            case GT -> "greater than";
            case EQ -> "equal to";
            case NEQ -> "different from";
        };
    }
}
