package dev.outboard.dpa.nic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.nic.NicFixture.Setting;
import dev.outboard.dpa.nic.layout.CompletionEntry;
import dev.outboard.dpa.nic.layout.DataSegment;
import dev.outboard.dpa.nic.layout.SendEntry;
import dev.outboard.testkit.Requirement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What queue pairs do with good requests.
class QueuePairTest {
    private static final String MODES = "dev.outboard.dpa.nic.NicFixture#settings";
    private static final int IMMEDIATE = 0x1A2B3C4D;

    private final List<Endpoint.Taken> near = new ArrayList<>();
    private final List<Endpoint.Taken> far = new ArrayList<>();

    private static void fill(DpaThread thread, long address, int words, long value) {
        for (int i = 0; i < words; i++) {
            thread.store64(address + 8L * i, value + i);
        }
    }

    private static Endpoint.Taken request(int counter, int byteCount) {
        return new Endpoint.Taken(CompletionEntry.REQUEST, 0, counter, byteCount, 0);
    }

    @ParameterizedTest
    @MethodSource(MODES)
    @Requirement({"DPA-FXQ-7", "DPA-FXQ-8a", "DPA-FXQ-10"})
    void aSendGoesIntoThePostedBuffer(Setting setting) {
        NicFixture fixture = new NicFixture(setting);
        long from = fixture.allocate(64);
        long to = fixture.allocate(64);
        MemoryKey source = fixture.nic.register(from, 64);
        MemoryKey target = fixture.nic.register(to, 64, Access.LOCAL_WRITE);
        fixture.run(ends -> {
            fill(ends.thread(), from, 3, 100);
            ends.far().receive(ends.thread(), target, to + 8, 40);
            ends.near().send(ends.thread(), source, from, 23);
            far.add(ends.far().take(ends.thread()));
            near.add(ends.near().take(ends.thread()));
        });
        assertThat(far)
                .containsExactly(new Endpoint.Taken(CompletionEntry.RECEIVED_SEND, 0, 0, 23, 0));
        assertThat(near).containsExactly(request(0, 23));
        assertThat(fixture.process.read64(to)).isZero();
        assertThat(fixture.process.read64(to + 8)).isEqualTo(100);
        assertThat(fixture.process.read64(to + 16)).isEqualTo(101);
        assertThat(fixture.process.read64(to + 24)).isEqualTo(102);
        assertThat(fixture.events).isEmpty();
    }

    /// More entries than the rings hold, each of two blocks, so that entries wrap in the middle.
    @ParameterizedTest
    @MethodSource(MODES)
    @Requirement({"DPA-FXQ-4", "DPA-FXQ-7", "DPA-FXQ-8a"})
    void ringsWrapAround(Setting setting) {
        NicFixture fixture = new NicFixture(setting);
        long from = fixture.allocate(64);
        long to = fixture.allocate(64);
        MemoryKey source = fixture.nic.register(from, 64);
        MemoryKey target = fixture.nic.register(to, 64, Access.LOCAL_WRITE);
        List<Long> received = new ArrayList<>();
        fixture.run(ends -> {
            DpaThread thread = ends.thread();
            ends.near().control(thread, SendEntry.NOP, 1);
            ends.near().ring(thread, 1);
            near.add(ends.near().take(thread));
            for (int n = 0; n < 40; n++) {
                fill(thread, from, 8, 1000L * n);
                ends.far().receive(thread, target, to, 64);
                ends.near().control(thread, SendEntry.SEND, 7);
                for (int i = 0; i < 6; i++) {
                    long part = from + 8L * (5 - i);
                    DataSegment.write(thread, ends.near().segment(1 + i), 8, source.number(), part);
                }
                ends.near().ring(thread, 2);
                far.add(ends.far().take(thread));
                near.add(ends.near().take(thread));
                received.add(thread.load64(to) - thread.load64(to + 40));
                received.add(thread.load64(to));
            }
        });
        for (int n = 0; n < 40; n++) {
            assertThat(far.get(n))
                    .isEqualTo(new Endpoint.Taken(CompletionEntry.RECEIVED_SEND, 0, n, 48, 0));
            assertThat(near.get(n + 1)).isEqualTo(request(1 + 2 * n, 48));
            assertThat(received.subList(2 * n, 2 * n + 2)).containsExactly(5L, 1000L * n + 5);
        }
    }

    @ParameterizedTest
    @MethodSource(MODES)
    @Requirement("DPA-FXQ-8a")
    void inlineDataNeedNoKey(Setting setting) {
        NicFixture fixture = new NicFixture(setting);
        long to = fixture.allocate(64);
        MemoryKey target = fixture.nic.register(to, 64, Access.LOCAL_WRITE);
        fixture.run(ends -> {
            DpaThread thread = ends.thread();
            ends.far().receive(thread, target, to, 64);
            ends.near().control(thread, SendEntry.SEND_IMMEDIATE, 3);
            SendEntry.writeImmediate(thread, ends.near().segment(0), IMMEDIATE);
            long segment = ends.near().segment(1);
            DataSegment.writeInline(thread, segment, 19);
            for (int i = 0; i < 19; i++) {
                thread.store8(DataSegment.inlineData(segment) + i, 1 + i);
            }
            ends.near().ring(thread, 1);
            far.add(ends.far().take(thread));
            near.add(ends.near().take(thread));
        });
        assertThat(far)
                .containsExactly(
                        new Endpoint.Taken(
                                CompletionEntry.RECEIVED_SEND_IMMEDIATE, 0, 0, 19, IMMEDIATE));
        byte[] found = fixture.process.read(to, 20);
        for (int i = 0; i < 20; i++) {
            assertThat(found[i]).isEqualTo((byte) (i < 19 ? 1 + i : 0));
        }
    }

    /// To and from external memory as well as DPA memory.
    @ParameterizedTest
    @MethodSource(MODES)
    @Requirement({"DPA-FXQ-8a", "DPA-FXQ-10"})
    void writesAndReadsReachWhatTheirKeysCover(Setting setting) {
        NicFixture fixture = new NicFixture(setting);
        long near = fixture.allocate(64);
        long remote = fixture.host.address() + 128;
        MemoryKey local = fixture.nic.register(near, 64, Access.LOCAL_WRITE);
        MemoryKey key =
                fixture.nic.register(
                        remote, 64, Access.LOCAL_WRITE, Access.REMOTE_READ, Access.REMOTE_WRITE);
        fixture.run(ends -> {
            DpaThread thread = ends.thread();
            fill(thread, near, 2, 70);
            ends.near().remote(thread, SendEntry.RDMA_WRITE, local, near, 16, remote, key);
            this.near.add(ends.near().take(thread));
            ends.near().remote(thread, SendEntry.RDMA_READ, local, near + 32, 12, remote + 4, key);
            this.near.add(ends.near().take(thread));
            ends.far().receive(thread, local, near, 0);
            ends.near()
                    .remote(
                            thread,
                            SendEntry.RDMA_WRITE_IMMEDIATE,
                            local,
                            near,
                            8,
                            remote + 32,
                            key);
            far.add(ends.far().take(thread));
            this.near.add(ends.near().take(thread));
        });
        assertThat(this.near).containsExactly(request(0, 16), request(1, 12), request(2, 8));
        assertThat(far)
                .containsExactly(
                        new Endpoint.Taken(
                                CompletionEntry.RECEIVED_WRITE_IMMEDIATE, 0, 0, 8, IMMEDIATE));
        assertThat(fixture.process.read64(remote)).isEqualTo(70);
        assertThat(fixture.process.read64(remote + 8)).isEqualTo(71);
        assertThat(fixture.process.read64(near + 32)).isEqualTo(71L << 32);
        assertThat(fixture.process.read64(near + 40)).isZero();
        assertThat(fixture.process.read64(remote + 32)).isEqualTo(70);
        assertThat(fixture.events).isEmpty();
    }

    @ParameterizedTest
    @MethodSource(MODES)
    @Requirement("DPA-FXQ-8a")
    void atomicsBringTheFormerValueBack(Setting setting) {
        NicFixture fixture = new NicFixture(setting);
        long former = fixture.allocate(64);
        long word = fixture.allocate(64);
        fixture.process.write64(word, 40);
        MemoryKey local = fixture.nic.register(former, 64, Access.LOCAL_WRITE);
        MemoryKey key = fixture.nic.register(word, 8, Access.LOCAL_WRITE, Access.REMOTE_ATOMIC);
        fixture.run(ends -> {
            for (int n = 0; n < 3; n++) {
                DpaThread thread = ends.thread();
                boolean add = n == 0;
                int opcode = add ? SendEntry.ATOMIC_FETCH_ADD : SendEntry.ATOMIC_COMPARE_SWAP;
                ends.near().control(thread, opcode, 4);
                SendEntry.writeRemote(thread, ends.near().segment(1), word, key.number());
                SendEntry.writeAtomic(thread, ends.near().segment(2), add ? 2 : 90 + n, 42);
                DataSegment.write(
                        thread, ends.near().segment(3), 8, local.number(), former + 8L * n);
                ends.near().ring(thread, 1);
                near.add(ends.near().take(thread));
            }
        });
        assertThat(near).containsExactly(request(0, 8), request(1, 8), request(2, 8));
        assertThat(fixture.process.read64(former)).isEqualTo(40);
        assertThat(fixture.process.read64(former + 8)).isEqualTo(42);
        assertThat(fixture.process.read64(former + 16)).isEqualTo(91);
        assertThat(fixture.process.read64(word)).isEqualTo(91);
    }

    /// The peer posts its entry after the send was rung, and no doorbell tells the NIC.
    @ParameterizedTest
    @MethodSource(MODES)
    @Requirement("DPA-FXQ-7")
    void aSendWaitsForAReceiveEntry(Setting setting) {
        NicFixture fixture = new NicFixture(setting);
        long from = fixture.allocate(64);
        long to = fixture.allocate(64);
        MemoryKey source = fixture.nic.register(from, 64);
        MemoryKey target = fixture.nic.register(to, 64, Access.LOCAL_WRITE);
        fixture.run(ends -> {
            fill(ends.thread(), from, 1, 5);
            ends.near().send(ends.thread(), source, from, 8);
            for (int i = 0; i < 500; i++) {
                ends.thread().load64(from);
            }
            ends.far().receive(ends.thread(), target, to, 8);
            near.add(ends.near().take(ends.thread()));
            far.add(ends.far().take(ends.thread()));
        });
        assertThat(near).containsExactly(request(0, 8));
        assertThat(fixture.process.read64(to)).isEqualTo(5);
    }

    @ParameterizedTest
    @MethodSource(MODES)
    @Requirement("DPA-FXQ-8a")
    void anEntryCompletesOnlyOnErrorIfItSaysSo(Setting setting) {
        NicFixture fixture = new NicFixture(setting);
        fixture.run(ends -> {
            DpaThread thread = ends.thread();
            Endpoint one = ends.near();
            for (int n = 0; n < 3; n++) {
                int completion = n == 1 ? SendEntry.COMPLETE_ALWAYS : SendEntry.COMPLETE_ON_ERROR;
                SendEntry.writeControl(
                        thread, one.segment(0), n, SendEntry.NOP, one.pair.number(), 1, completion);
                one.ring(thread, 1);
            }
            near.add(one.take(thread));
        });
        assertThat(near).containsExactly(request(1, 0));
    }
}
