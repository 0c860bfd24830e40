package dev.outboard.doca.jobs;

import static dev.outboard.fabric.contract.roce.CapturedPacket.first;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.Buf;
import dev.outboard.doca.DocaDevInfo;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.TestDevices;
import dev.outboard.doca.rdma.Be32;
import dev.outboard.fabric.contract.roce.CapturedPacket;
import dev.outboard.fabric.contract.roce.RoceLoopback;
import dev.outboard.testkit.Requirement;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Each field that jobs put on the wire, as the bytes of captured packets.
class RoceJobsWireTest {
    private static final int SEND_IMM = 0x05;
    private static final int WRITE = 0x0A;
    private static final int WRITE_IMM = 0x0B;
    private static final int READ = 0x0C;
    private static final int CMP_SWP = 0x13;
    private static final int FETCH_ADD = 0x14;
    private static final int RETH = 16;
    private static final Be32 IMMEDIATE = Be32.ofHost(0x01020304);
    private static final long FIRST = 0x1122334455667788L;
    private static final long SECOND = 0x99AABBCCDDEEFF01L;

    @TempDir private Path directory;

    private JobEnd ours;
    private JobEnd theirs;

    /// Addresses count from here.
    private long base;

    private int key;

    @BeforeEach
    void connect() {
        ours = new JobEnd(DocaDevInfo.of(RoceLoopback.URI + "&capture=" + capture()));
        theirs = new JobEnd(TestDevices.loopback());
        JobEnd.connect(ours, theirs);
        base = theirs.mmap.address();
        key = ours.remote.remoteKey();
    }

    @AfterEach
    void close() {
        theirs.close();
    }

    private Path capture() {
        return directory.resolve("ours.pcapng");
    }

    /// What ours, which is closed then, put on the wire.
    private List<CapturedPacket> sent() {
        ours.close();
        return CapturedPacket.readAll(capture()).stream().filter(CapturedPacket::outbound).toList();
    }

    private void run(Job job) {
        assertThat(ours.run(job)).isEqualTo(DocaError.SUCCESS);
    }

    private static String wire(long number) {
        return "%016x".formatted(number);
    }

    private static String wire(int number) {
        return "%08x".formatted(number);
    }

    private void assertNames(CapturedPacket packet, long offset, int length) {
        assertThat(packet.hex(0, 8)).as("address").isEqualTo(wire(base + offset));
        assertThat(packet.hex(8, 4)).as("key").isEqualTo(wire(key));
        assertThat(packet.hex(12, 4)).as("length").isEqualTo(wire(length));
    }

    @Test
    @Requirement({"DJOB-RES-2", "DRDMA-COM-12b"})
    void immediatesHaveTheirMostSignificantByteFirst() {
        theirs.submit(new RecvJob(theirs.instance, null));
        theirs.submit(new RecvJob(theirs.instance, null));
        run(new SendJob(ours.instance, null, IMMEDIATE));
        run(
                ReadWriteJob.writeImm(
                        ours.instance,
                        null,
                        ours.remoteRoom(512, 8),
                        ours.data(0, (byte) 1),
                        IMMEDIATE));
        List<CapturedPacket> sent = sent();
        assertThat(first(sent, SEND_IMM).hex(0, 4)).isEqualTo("01020304");
        assertThat(first(sent, WRITE_IMM).hex(RETH, 4)).isEqualTo("01020304");
        assertNames(first(sent, WRITE_IMM), 512, 1);
    }

    @Test
    @Requirement("DJOB-MAP-2")
    void readsAndWritesNameAddressKeyAndLength() {
        run(ReadWriteJob.read(ours.instance, null, ours.room(0, 100), ours.remoteData(259, 258)));
        run(
                ReadWriteJob.write(
                        ours.instance, null, ours.remoteRoom(515, 8), ours.data(0, (byte) 1)));
        List<CapturedPacket> sent = sent();
        assertNames(first(sent, READ), 259, 100);
        assertNames(first(sent, WRITE), 515, 1);
    }

    @Test
    @Requirement({"DJOB-MAP-2", "DJOB-ATOM-1"})
    void atomicsNameAddressKeyAndNumbers() {
        Buf result = ours.room(0, 8);
        run(AtomicJob.cmpSwp(ours.instance, null, ours.remoteRoom(512, 8), result, SECOND, FIRST));
        run(AtomicJob.fetchAdd(ours.instance, null, ours.remoteRoom(520, 8), result, FIRST));
        List<CapturedPacket> sent = sent();
        CapturedPacket swap = first(sent, CMP_SWP);
        assertThat(swap.hex(0, 8)).isEqualTo(wire(base + 512));
        assertThat(swap.hex(8, 4)).isEqualTo(wire(key));
        assertThat(swap.hex(12, 8)).as("swap").isEqualTo(wire(SECOND));
        assertThat(swap.hex(20, 8)).as("compare").isEqualTo(wire(FIRST));
        CapturedPacket add = first(sent, FETCH_ADD);
        assertThat(add.hex(0, 8)).isEqualTo(wire(base + 520));
        assertThat(add.hex(8, 4)).isEqualTo(wire(key));
        assertThat(add.hex(12, 8)).as("addend").isEqualTo(wire(FIRST));
    }
}
