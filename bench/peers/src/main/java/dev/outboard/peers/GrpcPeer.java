package dev.outboard.peers;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.stub.ClientCalls;
import java.io.IOException;

/// A unary gRPC call with as many bytes in as out.
final class GrpcPeer implements Measured {
    private final RoundTrips trips = new RoundTrips();
    private final GrpcEcho echo = new GrpcEcho();
    private final ManagedChannel channel = GrpcEcho.channel(echo.port());
    private final byte[] request;

    GrpcPeer(int bytes) throws IOException {
        request = new byte[bytes];
    }

    @Override
    public double measure(long nanos) throws Exception {
        return trips.median(nanos, this::call);
    }

    private void call() {
        byte[] answer =
                ClientCalls.blockingUnaryCall(
                        channel, GrpcEcho.METHOD, CallOptions.DEFAULT, request);
        if (answer.length != request.length) {
            throw new IllegalStateException("an answer of " + answer.length + " bytes");
        }
    }
}
