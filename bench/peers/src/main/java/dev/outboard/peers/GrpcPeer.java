package dev.outboard.peers;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/// A unary gRPC call with as many bytes in as out, bytes without a message format, over HTTP/2 and
/// TCP on loopback.
final class GrpcPeer implements Measured {
    private static final int MAX_MESSAGE_BYTES = 1 << 30;
    private static final String SERVICE = "outboard.Empty";

    private final RoundTrips trips = new RoundTrips();
    private final ManagedChannel channel;
    private final MethodDescriptor<byte[], byte[]> method;
    private final byte[] request;

    GrpcPeer(int bytes) throws IOException {
        request = new byte[bytes];
        method =
                MethodDescriptor.<byte[], byte[]>newBuilder(new Bytes(), new Bytes())
                        .setType(MethodDescriptor.MethodType.UNARY)
                        .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, "Call"))
                        .build();
        ServerServiceDefinition service =
                ServerServiceDefinition.builder(SERVICE)
                        .addMethod(
                                method,
                                ServerCalls.asyncUnaryCall((bytesIn, answer) -> {
                                    answer.onNext(bytesIn);
                                    answer.onCompleted();
                                }))
                        .build();
        Server server =
                NettyServerBuilder.forAddress(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .addService(service)
                        .maxInboundMessageSize(MAX_MESSAGE_BYTES)
                        .directExecutor()
                        .build()
                        .start();
        channel =
                NettyChannelBuilder.forAddress("127.0.0.1", server.getPort())
                        .usePlaintext()
                        .maxInboundMessageSize(MAX_MESSAGE_BYTES)
                        .directExecutor()
                        .build();
    }

    @Override
    public double measure(long nanos) throws Exception {
        return trips.median(nanos, this::call);
    }

    private void call() {
        byte[] answer =
                ClientCalls.blockingUnaryCall(channel, method, CallOptions.DEFAULT, request);
        if (answer.length != request.length) {
            throw new IllegalStateException("an answer of " + answer.length + " bytes");
        }
    }

    private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
