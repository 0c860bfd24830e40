package dev.outboard.peers;

import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCalls;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/// A gRPC server whose unary call answers with what it got, bytes without a message format, over
/// HTTP/2 and TCP on loopback, and the way to it.
final class GrpcEcho {
    private static final int MAX_MESSAGE_BYTES = 1 << 30;
    private static final String SERVICE = "outboard.Empty";

    static final MethodDescriptor<byte[], byte[]> METHOD =
            MethodDescriptor.<byte[], byte[]>newBuilder(new Bytes(), new Bytes())
                    .setType(MethodDescriptor.MethodType.UNARY)
                    .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, "Call"))
                    .build();

    private final Server server;

    GrpcEcho() throws IOException {
        ServerServiceDefinition service =
                ServerServiceDefinition.builder(SERVICE)
                        .addMethod(
                                METHOD,
                                ServerCalls.asyncUnaryCall((bytesIn, answer) -> {
                                    answer.onNext(bytesIn);
                                    answer.onCompleted();
                                }))
                        .build();
        server =
                NettyServerBuilder.forAddress(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .addService(service)
                        .maxInboundMessageSize(MAX_MESSAGE_BYTES)
                        .directExecutor()
                        .build()
                        .start();
    }

    int port() {
        return server.getPort();
    }

    /// A connection of its own to the server at `port`.
    static ManagedChannel channel(int port) {
        return NettyChannelBuilder.forAddress("127.0.0.1", port)
                .usePlaintext()
                .maxInboundMessageSize(MAX_MESSAGE_BYTES)
                .directExecutor()
                .build();
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
