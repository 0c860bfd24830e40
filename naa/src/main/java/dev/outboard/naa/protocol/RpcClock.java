package dev.outboard.naa.protocol;

import dev.outboard.naa.RpcResult;

/// The instants of one RPC that its client sees: it started to post, the last input was
/// acknowledged, the answer began, the answer was there.
final class RpcClock {
    private long startedAt;
    private long sentAt;
    private long beganAt;
    private boolean hasBegun;
    private long answeredAt;

    void start(long nowNanos) {
        startedAt = nowNanos;
        hasBegun = false;
    }

    void sent(long nowNanos) {
        sentAt = nowNanos;
    }

    /// The first bytes of the answer were seen; without this the answer begins when it ends.
    void began(long nowNanos) {
        if (!hasBegun) {
            hasBegun = true;
            beganAt = nowNanos;
        }
    }

    void answered(long nowNanos) {
        answeredAt = nowNanos;
    }

    /// The completion of the answer may be polled before those of the inputs.
    private long sendEnd() {
        return answeredAt - sentAt < 0 ? answeredAt : sentAt;
    }

    private long answerBegin() {
        return hasBegun && answeredAt - beganAt >= 0 && beganAt - sendEnd() >= 0
                ? beganAt
                : answeredAt;
    }

    long sendNanos() {
        return sendEnd() - startedAt;
    }

    long computeNanos() {
        return answerBegin() - sendEnd();
    }

    long receiveNanos() {
        return answeredAt - answerBegin();
    }

    /// How the RPC ended, with these times.
    RpcResult result(int code, long byteCount, long totalBytes, long expectedBytes) {
        return new RpcResult(
                code,
                byteCount,
                totalBytes,
                expectedBytes,
                sendNanos(),
                computeNanos(),
                receiveNanos());
    }
}
