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
import java.util.concurrent.SynchronousQueue;
import java.util.function.Supplier;

/// Bytes there and back over TCP with Netty; its two event loops sleep between messages.
// A lost message shows in the deadline of whoever started this.
@SuppressWarnings("FutureReturnValueIgnored")
final class NettyPeer implements Measured {
    private final int bytes;
    private final Channel channel;
    private final SynchronousQueue<Double> results = new SynchronousQueue<>();
    private volatile long nanos;

    NettyPeer(int bytes) {
        this.bytes = bytes;
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
        channel =
                new Bootstrap()
                        .group(client)
                        .channel(NioSocketChannel.class)
                        .option(ChannelOption.TCP_NODELAY, true)
                        .handler(added(Caller::new))
                        .connect(listener.localAddress())
                        .syncUninterruptibly()
                        .channel();
    }

    @Override
    public double measure(long time) throws InterruptedException {
        nanos = time;
        channel.writeAndFlush(channel.alloc().directBuffer(bytes).writeZero(bytes));
        return results.take();
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
        private long start;
        private long trips;

        @Override
        public void channelRead(ChannelHandlerContext context, Object message)
                throws InterruptedException {
            missing -= ((ByteBuf) message).readableBytes();
            if (missing > 0) {
                ((ByteBuf) message).release();
                return;
            }
            missing = bytes;
            long now = System.nanoTime();
            if (start == 0) {
                start = now;
            }
            trips++;
            if (now - start < nanos) {
                ((ByteBuf) message).readerIndex(0);
                context.writeAndFlush(message, context.voidPromise());
            } else {
                ((ByteBuf) message).release();
                double mean = (double) (now - start) / Math.max(1, trips - 1);
                start = 0;
                trips = 0;
                results.put(mean);
            }
        }
    }
}
