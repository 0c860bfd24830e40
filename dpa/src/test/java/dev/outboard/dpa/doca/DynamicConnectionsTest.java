package dev.outboard.dpa.doca;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.CtxState;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.DocaException;
import dev.outboard.doca.Mmap;
import dev.outboard.doca.RemoteMmap;
import dev.outboard.doca.rdma.Rdma;
import dev.outboard.doca.rdma.RdmaConnection;
import dev.outboard.doca.rdma.TransportType;
import dev.outboard.dpa.doca.RdmaFixture.Setting;
import dev.outboard.dpa.doca.RdmaFixture.Side;
import dev.outboard.dpa.doca.dev.ConnectionDescriptor;
import dev.outboard.dpa.doca.dev.DocaDpaDevCompletion;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.testkit.Eventually;
import dev.outboard.testkit.Repository;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// DPA-RD-11: one initiator and many targets.
class DynamicConnectionsTest {
    private static final AccessFlag[] ALL = {
        AccessFlag.LOCAL_READ_WRITE,
        AccessFlag.RDMA_READ,
        AccessFlag.RDMA_WRITE,
        AccessFlag.RDMA_ATOMIC
    };

    private static final int PAIRS = 16;

    /// Contexts of the right side that the left one writes to, reads from and adds to.
    private static final class Star implements AutoCloseable {
        private final RdmaFixture ends;
        private final Side left;
        private final Rdma near;
        private final List<Rdma> targets = new ArrayList<>();
        private final List<DpaAddr> memories = new ArrayList<>();
        private final List<DpaAddr> words = new ArrayList<>();
        private final List<RdmaConnection> connections = new ArrayList<>();
        private final long completion;

        Star(String uri, int count) {
            this(uri, count, false);
        }

        /// @param isTold whether the left side finds its completions in a completion context
        Star(String uri, int count, boolean isTold) {
            ends =
                    new RdmaFixture(
                            new Setting(RunMode.fast(), Optional.of(uri)), RdmaStepsStub.APP);
            left = ends.left;
            DocaDpaCompletion told = ends.open(DocaDpaCompletion.create(left.dpa(), 64)).start();
            completion = told.handle();
            near = ends.open(new Rdma(left.dev()).datapathOnDpa(left.dpa()));
            if (isTold) {
                near.completions(told);
            }
            start(near, count + 1);
            DpaAddr local = left.block(new long[8]);
            Mmap nearMemory = memory(left, local);
            for (int i = 0; i < count; i++) {
                Rdma target =
                        start(
                                ends.open(
                                        new Rdma(ends.right.dev()).datapathOnDpa(ends.right.dpa())),
                                1);
                RdmaConnection there = target.export();
                RdmaConnection here = near.export();
                here.connect(there.details());
                connections.add(here);
                DpaAddr remote = ends.right.block(new long[8]);
                RemoteMmap named =
                        ends.open(
                                RemoteMmap.fromExport(
                                        left.dev(),
                                        memory(ends.right, remote).exportRdma(ends.right.dev())));
                targets.add(target);
                memories.add(remote);
                words.add(
                        left.block(
                                near.dpaHandle(),
                                nearMemory.addressFor(left.dpa()),
                                nearMemory.handle(left.dpa()),
                                named.addressFor(left.dpa()),
                                named.handle(left.dpa())));
            }
        }

        private static Rdma start(Rdma rdma, int connections) {
            rdma.transportType(TransportType.DC).maxNumConnections(connections);
            rdma.connectionRequestTimeout(Duration.ofSeconds(5));
            rdma.permissions(ALL).sendQueueSize(8).timeoutCode(14).start();
            assertThat(rdma.state()).isEqualTo(CtxState.RUNNING);
            return rdma;
        }

        private Mmap memory(Side on, DpaAddr block) {
            return ends.open(
                    Mmap.builder()
                            .device(on.dev())
                            .memrange(on.dpa(), block.value(), 64)
                            .permissions(ALL)
                            .build()
                            .start());
        }

        /// Writes a word to a target, adds to it there, and reads it.
        private long use(int target, long written) {
            return left.dpa()
                    .rpc(
                            RdmaStepsStub.writeAddReadOn(
                                    words.get(target).value(), target, written, 1));
        }

        /// Writes a word to a target.
        ///
        /// @return the type of the completion
        private int write(int target, RdmaConnection connection) {
            long at = words.get(target).value();
            return (int) left.dpa().rpc(RdmaStepsStub.writeTold(at, connection.id(), completion));
        }

        private int write(int target) {
            return write(target, connections.get(target));
        }

        /// The number of the queue pair of a connection, 0 if it has none.
        private long queuePair(int connection) {
            long at = ConnectionDescriptor.of(near.dpaHandle(), connection);
            return left.words(new DpaAddr(at + ConnectionDescriptor.QUEUE), 1)[0];
        }

        @Override
        public void close() {
            ends.close();
        }
    }

    private static final String LOSSY = "sim://%s/10.8.0.%d?clock=real&loss=5%%25";

    /// They are more than there are queue pairs, and are used twice, so that each is evicted once.
    @ParameterizedTest
    @ValueSource(strings = {RdmaFixture.SIM, RdmaFixture.ROCE, LOSSY})
    @Requirement({"DPA-RD-11a", "DPA-RD-11b"})
    void oneReachesManyWithFewQueuePairs(String uri) {
        int many = PAIRS + 9;
        try (Star star = new Star(uri, many)) {
            for (int round = 0; round < 2; round++) {
                for (int i = 0; i < many; i++) {
                    assertThat(star.use(i, 100 * round + i)).isEqualTo(100 * round + i + 1);
                    assertThat(star.ends.right.words(star.memories.get(i), 1))
                            .containsExactly(100L * round + i + 1);
                }
            }
        }
    }

    /// A queue pair that was idle for a while is gone, and there is another one when it is needed.
    @Test
    @Requirement("DPA-RD-11c")
    void whatWasIdleIsMadeAgain() {
        try (Star star = new Star(RdmaFixture.SIM, 1)) {
            assertThat(star.use(0, 5)).isEqualTo(6);
            long first = star.queuePair(0);
            assertThat(first).isNotZero();
            Eventually.until(() -> star.queuePair(0) == 0);
            assertThat(star.use(0, 7)).isEqualTo(8);
            assertThat(star.queuePair(0)).isNotZero().isNotEqualTo(first);
        }
    }

    @Test
    @Requirement("DPA-RD-11a")
    void aTargetThatIsGoneFailsTheOperation() {
        try (Star star = new Star(RdmaFixture.SIM, 2)) {
            star.targets.get(1).stop();
            assertThat(star.use(0, 5)).isEqualTo(6);
            assertThatThrownBy(() -> star.use(1, 5))
                    .isInstanceOfSatisfying(
                            DocaException.class,
                            e -> assertThat(e.error()).isEqualTo(DocaError.BAD_STATE))
                    .hasMessageContaining("an operation on connection 1")
                    .hasMessageContaining("(code 81)");
        }
    }

    /// That one target is gone is of no concern to others, and it may come back.
    @Test
    @Requirement({"DPA-RD-11a", "DPA-RD-11b", "DPA-RD-7"})
    void failuresAreToldAndTriedAgain() {
        try (Star star = new Star(RdmaFixture.SIM, PAIRS + 2, true)) {
            Rdma gone = star.targets.get(1);
            gone.stop();
            assertThat(star.write(1)).isEqualTo(DocaDpaDevCompletion.SEND_ERR);
            for (int i = 2; i < PAIRS + 2; i++) {
                assertThat(star.write(i)).isEqualTo(DocaDpaDevCompletion.SEND);
            }
            gone.start();
            RdmaConnection again = star.near.export();
            again.connect(gone.export().details());
            assertThat(star.write(1, again)).isEqualTo(DocaDpaDevCompletion.SEND);
        }
    }

    @Test
    @Requirement({"DPA-RD-11b"})
    void aCacheThatIsFullOfWhatIsOutstandingIsAnError() {
        try (Star star = new Star(RdmaFixture.SIM, PAIRS + 1, true)) {
            for (int i = 0; i < PAIRS; i++) {
                star.left.dpa().rpc(RdmaStepsStub.touch(star.near.dpaHandle(), i));
            }
            assertThatThrownBy(() -> star.write(PAIRS))
                    .hasMessageContaining("all 16 queue pairs")
                    .hasMessageContaining("(code 80)");
        }
    }

    @Test
    @Requirement("DPA-RD-11a")
    void aConnectionThatNamesNobodyHasNoQueuePair() {
        try (Star star = new Star(RdmaFixture.SIM, 1)) {
            star.near.stop();
            star.near.start();
            assertThatThrownBy(() -> star.use(0, 5))
                    .hasMessageContaining("has no queue pair for connection 0")
                    .hasMessageContaining("(code 80)");
        }
    }

    @Test
    @Requirement("DPA-RD-11a")
    void aDeviceOfTheFabricCarriesThem() {
        Setting simulated = new Setting(RunMode.fast(), Optional.empty());
        try (RdmaFixture ends = new RdmaFixture(simulated, RdmaStepsStub.APP);
                Rdma rdma = new Rdma(ends.left.dev()).datapathOnDpa(ends.left.dpa())) {
            rdma.transportType(TransportType.DC);
            assertThatThrownBy(rdma::start)
                    .isInstanceOfSatisfying(
                            DocaException.class,
                            e -> assertThat(e.error()).isEqualTo(DocaError.NOT_SUPPORTED))
                    .hasMessageContaining("needs a device of the fabric");
        }
    }

    @Test
    @Requirement("DPA-RD-11d")
    void thePageSaysWhoCanBeThePeer() throws IOException {
        assertThat(Files.readString(Repository.root().resolve("docs/dpa.md")))
                .contains("nothing else can be on the other side");
    }
}
