package dev.outboard.node.routine;

import dev.outboard.naa.ReturnCode;
import dev.outboard.naa.server.RoutineException;
import dev.outboard.naa.server.RpcContext;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/// The SHA-256 digest of a region (FIPS 180-4, section 6.2).
final class Sha256 {
    static final int DIGEST_BYTES = 32;

    private static final long PIECE_BYTES = 1 << 20;

    private Sha256() {}

    /// Regions message and digest.
    static int run(RpcContext context) throws RoutineException {
        MemorySegment message = context.parameter(0).memory();
        MemorySegment digest = context.parameter(1).memory();
        MessageDigest sha256 = newDigest();
        for (long at = 0; at < message.byteSize(); at += PIECE_BYTES) {
            context.throwIfCancelled();
            long length = Math.min(PIECE_BYTES, message.byteSize() - at);
            sha256.update(message.asSlice(at, length).asByteBuffer());
        }
        MemorySegment.copy(sha256.digest(), 0, digest, ValueLayout.JAVA_BYTE, 0, DIGEST_BYTES);
        return ReturnCode.SUCCESS;
    }

    private static MessageDigest newDigest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }
}
