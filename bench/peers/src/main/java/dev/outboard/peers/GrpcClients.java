package dev.outboard.peers;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Phaser;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/// Unary gRPC calls of many clients with a connection each. A client begins its next call in the
/// callback of the last, as an asynchronous application does.
final class GrpcClients implements Measured {
    private final List<ManagedChannel> channels;
    private final byte[] request;
    private final LongAdder calls = new LongAdder();

    /// Starts the server too.
    GrpcClients(int bytes, int clients) throws IOException {
        this(bytes, clients, new GrpcEcho().port());
    }

    /// Clients of a server in another process.
    GrpcClients(int bytes, int clients, int port) {
        request = new byte[bytes];
        channels = Stream.generate(() -> GrpcEcho.channel(port)).limit(clients).toList();
    }

    @Override
    public double measure(long nanos) {
        calls.reset();
        Phaser running = new Phaser(channels.size() + 1);
        long start = System.nanoTime();
        channels.forEach(channel -> new Client(channel, start + nanos, running).call());
        running.arriveAndAwaitAdvance();
        return calls.sum() * 1e9 / (System.nanoTime() - start);
    }

    private final class Client implements StreamObserver<byte[]> {
        private final ManagedChannel channel;
        private final long end;
        private final Phaser running;

        Client(ManagedChannel channel, long end, Phaser running) {
            this.channel = channel;
            this.end = end;
            this.running = running;
        }

        void call() {
            ClientCalls.asyncUnaryCall(
                    channel.newCall(GrpcEcho.METHOD, CallOptions.DEFAULT), request, this);
        }

        @Override
        public void onNext(byte[] answer) {
            calls.increment();
        }

        @Override
        public void onCompleted() {
            if (System.nanoTime() - end < 0) {
                call();
            } else {
                running.arriveAndDeregister();
            }
        }

        @Override
        public void onError(Throwable failure) {
            throw new IllegalStateException(failure);
        }
    }
}
