package dev.outboard.peers;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.Phaser;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import java.util.stream.Stream;

/// Bytes there and back over TCP with Netty, on one connection or on many; its two event loops
/// sleep between messages.
// A lost message shows in the deadline of whoever started this.
@SuppressWarnings("FutureReturnValueIgnored")
final class NettyPeer implements Measured {
    private final int bytes;
    private final List<Channel> channels;
    private final boolean isLatency;
    private final LongAdder trips = new LongAdder();
    private volatile Phaser running = new Phaser();
    private volatile long end;

    /// One connection; the result is the mean time of a round trip.
    static NettyPeer latency(int bytes) {
        return new NettyPeer(bytes, 1, true);
    }

    /// Many connections; the result is round trips per second.
    static NettyPeer clients(int bytes, int connections) {
        return new NettyPeer(bytes, connections, false);
    }

    private NettyPeer(int bytes, int connections, boolean isLatency) {
        this.bytes = bytes;
        this.isLatency = isLatency;
        MultiThreadIoEventLoopGroup server =
                new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        MultiThreadIoEventLoopGroup client =
                new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        Channel listener =
                new ServerBootstrap()
                        .group(server)
                        .channel(NioServerSocketChannel.class)
                        .childOption(ChannelOption.TCP_NODELAY, true)
                        .childHandler(added(Echo::new))
                        .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .syncUninterruptibly()
                        .channel();
        Bootstrap caller =
                new Bootstrap()
                        .group(client)
                        .channel(NioSocketChannel.class)
                        .option(ChannelOption.TCP_NODELAY, true)
                        .handler(added(Caller::new));
        channels =
                Stream.generate(() -> caller.connect(listener.localAddress()))
                        .limit(connections)
                        .map(connected -> connected.syncUninterruptibly().channel())
                        .toList();
    }

    @Override
    public double measure(long time) {
        trips.reset();
        running = new Phaser(channels.size() + 1);
        long start = System.nanoTime();
        end = start + time;
        channels.forEach(channel ->
                channel.writeAndFlush(channel.alloc().directBuffer(bytes).writeZero(bytes)));
        running.arriveAndAwaitAdvance();
        double took = System.nanoTime() - start;
        return isLatency ? took / trips.sum() : trips.sum() * 1e9 / took;
    }

    private static ChannelHandler added(Supplier<ChannelHandler> handler) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel made) {
                made.pipeline().addLast(handler.get());
            }
        };
    }

    private static final class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message, context.voidPromise());
        }
    }

    /// Sends the next message from inside the event loop, as an asynchronous application does.
    private final class Caller extends ChannelInboundHandlerAdapter {
        private int missing = bytes;

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            missing -= ((ByteBuf) message).readableBytes();
            if (missing > 0) {
                ((ByteBuf) message).release();
                return;
            }
            missing = bytes;
            trips.increment();
            if (System.nanoTime() - end < 0) {
                ((ByteBuf) message).readerIndex(0);
                context.writeAndFlush(message, context.voidPromise());
            } else {
                ((ByteBuf) message).release();
                running.arriveAndDeregister();
            }
        }
    }
}
