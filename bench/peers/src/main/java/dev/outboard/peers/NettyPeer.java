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
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SelectStrategy;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.IntSupplier;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.spi.SelectorProvider;
import java.util.List;
import java.util.concurrent.Phaser;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import java.util.stream.Stream;

/// Bytes there and back over TCP with Netty, on one connection or on many; its two event loops
/// sleep between messages, or look for them all the time.
// A lost message shows in the deadline of whoever started this.
@SuppressWarnings("FutureReturnValueIgnored")
final class NettyPeer implements Measured {
    private final boolean blocking;
    private final int bytes;
    private final List<Channel> channels;
    private final boolean isLatency;
    private final LongAdder trips = new LongAdder();
    private final RoundTrips times = new RoundTrips();
    private volatile Phaser running = new Phaser();
    private volatile boolean isPolling;
    private volatile long start;
    private volatile long end;

    /// One connection; the result is the median time of a round trip.
    static NettyPeer latency(boolean blocking, int bytes) {
        return new NettyPeer(blocking, bytes, 1, true);
    }

    /// Many connections; the result is round trips per second.
    static NettyPeer clients(boolean blocking, int bytes, int connections) {
        return new NettyPeer(blocking, bytes, connections, false);
    }

    private NettyPeer(boolean blocking, int bytes, int connections, boolean isLatency) {
        this.blocking = blocking;
        this.bytes = bytes;
        this.isLatency = isLatency;
        IoHandlerFactory loops =
                NioIoHandler.newFactory(SelectorProvider.provider(), () -> this::select);
        MultiThreadIoEventLoopGroup server = new MultiThreadIoEventLoopGroup(1, loops);
        MultiThreadIoEventLoopGroup client = new MultiThreadIoEventLoopGroup(1, loops);
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

    /// What an event loop does next: look for messages, or sleep until there are some. Between
    /// measurements it sleeps; `SelectStrategy.BUSY_WAIT` would always do so with NIO.
    private int select(IntSupplier look, boolean hasTasks) throws Exception {
        return isPolling || hasTasks ? look.get() : SelectStrategy.SELECT;
    }

    @Override
    public double measure(long time) {
        trips.reset();
        times.reset();
        isPolling = !blocking;
        running = new Phaser(channels.size() + 1);
        start = System.nanoTime();
        end = start + time;
        channels.forEach(channel ->
                channel.writeAndFlush(channel.alloc().directBuffer(bytes).writeZero(bytes)));
        running.arriveAndAwaitAdvance();
        double took = System.nanoTime() - start;
        isPolling = false;
        return isLatency ? times.median() : trips.sum() * 1e9 / took;
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
        private long before;

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            missing -= ((ByteBuf) message).readableBytes();
            if (missing > 0) {
                ((ByteBuf) message).release();
                return;
            }
            missing = bytes;
            trips.increment();
            long now = System.nanoTime();
            if (isLatency) {
                times.add(now - Math.max(before, start));
            }
            before = now;
            if (now - end < 0) {
                ((ByteBuf) message).readerIndex(0);
                context.writeAndFlush(message, context.voidPromise());
            } else {
                ((ByteBuf) message).release();
                running.arriveAndDeregister();
            }
        }
    }
}
