package dev.outboard.examples.doca;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.Buf;
import dev.outboard.doca.BufInventory;
import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaDev;
import dev.outboard.doca.Mmap;
import dev.outboard.doca.ProgressEngine;
import dev.outboard.doca.RemoteBuf;
import dev.outboard.doca.RemoteMmap;
import dev.outboard.doca.rdma.Rdma;
import dev.outboard.doca.rdma.RdmaConnection;
import dev.outboard.doca.rdma.ReadTask;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;

/// A file of the server, read by the client without the server's help: `SOURCE COPY`. Each read
/// fills a list of four blocks, from the last in memory to the first, which are written to the copy
/// at once.
public final class FileCopy {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final int BLOCKS = 4;
    private static final int BLOCK_BYTES = 256 * 1024;

    private FileCopy() {}

    public static void main(String[] words) throws Exception {
        Exchange.run(
                FileCopy.class,
                words,
                (exchange, files) -> offer(exchange, Path.of(files.getFirst())),
                (exchange, files) -> copy(exchange, Path.of(files.getLast())));
    }

    private static void offer(Exchange exchange, Path source) throws IOException {
        try (Arena arena = Arena.ofShared();
                FileChannel file = FileChannel.open(source);
                DocaDev dev = DocaDev.open(exchange.device());
                Mmap content =
                        Mmap.builder()
                                .device(dev)
                                .memrange(file.map(MapMode.READ_ONLY, 0, file.size(), arena))
                                .permissions(AccessFlag.RDMA_READ)
                                .build()
                                .start();
                ProgressEngine engine = ProgressEngine.create();
                Rdma rdma = new Rdma(dev)) {
            rdma.permissions(AccessFlag.RDMA_READ).attach(engine).start();
            RdmaConnection peer = rdma.export();
            peer.connect(exchange.swap(peer.details()));
            exchange.send(content.exportRdma(dev));
            exchange.meet();
        }
    }

    private static void copy(Exchange exchange, Path target) throws IOException {
        try (DocaDev dev = DocaDev.open(exchange.device());
                Mmap memory =
                        Mmap.builder()
                                .device(dev)
                                .memrange(BLOCKS * BLOCK_BYTES)
                                .permissions(AccessFlag.LOCAL_READ_WRITE)
                                .build()
                                .start();
                BufInventory inventory = BufInventory.create(BLOCKS + 1).start();
                ProgressEngine engine = ProgressEngine.create();
                Rdma rdma = new Rdma(dev)) {
            rdma.read(1).maxSendBufListLen(BLOCKS).attach(engine).start();
            RdmaConnection peer = rdma.export();
            peer.connect(exchange.swap(peer.details()));
            engine.progressUntil(() -> rdma.state() == CtxState.RUNNING, LIMIT);

            try (RemoteMmap content = RemoteMmap.fromExport(dev, exchange.receive());
                    FileChannel file =
                            FileChannel.open(
                                    target,
                                    StandardOpenOption.CREATE,
                                    StandardOpenOption.TRUNCATE_EXISTING,
                                    StandardOpenOption.WRITE)) {
                RemoteBuf source = inventory.byAddress(content, 0, content.length());
                Buf list = blocks(inventory, memory);
                ReadTask read = peer.allocRead(source, list);
                while (source.tailLen() > 0) {
                    source.data(source.tail(), Math.min(source.tailLen(), memory.length()));
                    read.submitOrThrow();
                    read.awaitSuccess(LIMIT);
                    write(list, file);
                }
                read.free();
                list.release();
                source.release();
                System.out.printf("%d bytes copied%n", content.length());
            }
            exchange.meet();
        }
    }

    private static Buf blocks(BufInventory inventory, Mmap memory) {
        Buf list = inventory.byAddress(memory, (BLOCKS - 1) * BLOCK_BYTES, BLOCK_BYTES);
        for (int i = BLOCKS - 2; i >= 0; i--) {
            list.chain(inventory.byAddress(memory, (long) i * BLOCK_BYTES, BLOCK_BYTES));
        }
        return list;
    }

    /// Appends what the list holds to the file, and empties it.
    private static void write(Buf list, FileChannel file) throws IOException {
        for (Buf block = list; block != null; block = block.next()) {
            ByteBuffer bytes = block.asByteBuffer();
            while (bytes.hasRemaining()) {
                int _ = file.write(bytes);
            }
            block.resetDataLen();
        }
    }
}
