package dev.outboard.bench.fabric;

import dev.outboard.bench.comparison.Ours;
import dev.outboard.bench.comparison.RoundTripTimes;

/// RPCs of the empty routine, with as many bytes in as out.
final class RpcSubject implements Ours.Subject {
    private final RpcPingPong rpc;
    private final RoundTripTimes times = new RoundTripTimes();

    RpcSubject(long bytes, boolean blocking) {
        rpc = new RpcPingPong(bytes, blocking);
    }

    @Override
    public double run(long nanos) {
        return times.median(nanos, rpc::exchange);
    }

    @Override
    public void close() {
        rpc.close();
    }
}
