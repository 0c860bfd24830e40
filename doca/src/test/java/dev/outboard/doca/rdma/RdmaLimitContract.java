package dev.outboard.doca.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.Buf;
import dev.outboard.doca.DocaDev;
import dev.outboard.doca.Mmap;
import dev.outboard.doca.MmapBuilder;
import dev.outboard.doca.RemoteBuf;
import dev.outboard.doca.RemoteMmap;
import dev.outboard.doca.ValidationRule;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Messages as long as they may be, and longer, on every provider.
abstract class RdmaLimitContract extends RdmaPairContract {
    private static final long LIMIT = 1L << 31;
    private static final int LIST_LENGTH = 32;
    private static final Be32 IMMEDIATE = Be32.ofHost(1);

    /// Memory beyond the limit that nobody touches: a file with a hole.
    private static Mmap sparse(DocaDev dev, Path file, Arena arena) throws IOException {
        try (FileChannel channel =
                FileChannel.open(
                        file,
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.SPARSE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE)) {
            MemorySegment memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, LIMIT + 1, arena);
            return memory(dev, Mmap.builder().memrange(memory));
        }
    }

    private static Mmap memory(DocaDev dev, MmapBuilder builder) {
        return builder.device(dev)
                .permissions(
                        AccessFlag.LOCAL_READ_WRITE, AccessFlag.RDMA_READ, AccessFlag.RDMA_WRITE)
                .build()
                .start();
    }

    @Test
    @Requirement({"DFLT-9", "DRDMA-CAP-4", "DRDMA-COM-6", "DRDMA-READ-4", "DJAVA-MEM-5"})
    void longerMessagesAreRefused(@TempDir Path directory) throws IOException {
        connect();
        try (Arena arena = Arena.ofShared();
                Mmap here = sparse(ours.dev, directory.resolve("here"), arena);
                Mmap there = sparse(theirs.dev, directory.resolve("there"), arena);
                RemoteMmap far = RemoteMmap.fromExport(ours.dev, there.exportRdma(theirs.dev))) {
            Buf src = ours.keep(ours.inventory.byData(here, 0, LIMIT + 1));
            RemoteBuf dst = ours.keep(ours.inventory.byAddress(far, 0, LIMIT + 1));
            RemoteBuf farSrc = ours.keep(ours.inventory.byData(far, 0, LIMIT + 1));
            List.of(
                            ours.peer.allocSend(src),
                            ours.peer.allocSendImm(src, IMMEDIATE),
                            ours.peer.allocWrite(src, dst),
                            ours.peer.allocWriteImm(src, dst, IMMEDIATE),
                            ours.peer.allocRead(farSrc, ours.room(0, 8)))
                    .forEach(task -> assertBreaks(ValidationRule.MESSAGE_TOO_LONG, ours, task));
            assertThat(dst.dataLen()).isZero();

            farSrc.dataLen(LIMIT);
            there.segment().set(ValueLayout.JAVA_LONG, 0, 42);
            ReadTask atLimit = ours.peer.allocRead(farSrc, ours.room(0, 8));
            assertSucceeds(ours, atLimit);
            assertThat(atLimit.resultLength()).isEqualTo(8);
            assertThat(ours.mmap.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(42);
            ours.giveBackAll();
        }
    }

    @Test
    @Requirement({"DFLT-10", "DRDMA-CAP-4", "DRDMA-CAP-7", "DRDMA-COM-6", "DRDMA-COM-19"})
    void theLongestMessageArrives() {
        ours.rdma.maxSendBufListLen(LIST_LENGTH);
        theirs.rdma.receiveDstBufListLen(LIST_LENGTH);
        connect();
        long piece = LIMIT / LIST_LENGTH;
        try (Mmap here = memory(ours.dev, Mmap.builder().memrange(piece));
                Mmap there = memory(theirs.dev, Mmap.builder().memrange(piece))) {
            here.segment().fill((byte) 3);
            Buf src = ours.keep(ours.inventory.byData(here, 0, piece));
            Buf dst = theirs.keep(theirs.inventory.byAddress(there, 0, piece));
            for (int i = 1; i < LIST_LENGTH; i++) {
                src.chain(ours.inventory.byData(here, 0, piece));
                dst.chain(theirs.inventory.byAddress(there, 0, piece));
            }
            ReceiveTask receive = posted(dst);
            assertSucceeds(ours, ours.peer.allocSend(src));
            assertThat(theirs.next()).isSameAs(receive);
            assertThat(receive.resultLength()).isEqualTo(LIMIT);
            assertThat(dst.last().dataLen()).isEqualTo(piece);
            assertThat(there.segment().mismatch(here.segment())).isEqualTo(-1);
            ours.giveBackAll();
            theirs.giveBackAll();
        }
    }
}
