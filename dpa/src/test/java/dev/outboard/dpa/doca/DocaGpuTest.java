package dev.outboard.dpa.doca;

import static dev.outboard.dpa.doca.DocaFixture.await;
import static dev.outboard.dpa.doca.DocaFixture.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.BufArray;
import dev.outboard.doca.DocaDevInfo;
import dev.outboard.doca.DocaError;
import dev.outboard.doca.spi.ExecutionEnvironment.Kind;
import dev.outboard.doca.sync.Location;
import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.dpa.flexio.GpuStream;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.testkit.Requirement;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What a GPU may do with events, and what not.
class DocaGpuTest {
    static List<RunMode> modes() {
        return CheckedDevices.modes();
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-SE-2", "DSE-EXP-6", "DSE-OBJ-4"})
    void doesWhatWasDeclaredForIt(RunMode mode) {
        try (EventSide side = EventSide.in(mode);
                SyncEvent updated =
                        new SyncEvent(side.dev)
                                .publisher(side.gpu)
                                .subscriber(Location.CPU)
                                .start();
                SyncEvent awaited =
                        new SyncEvent(side.dev)
                                .publisher(Location.CPU)
                                .subscriber(side.gpu)
                                .start();
                SyncEvent others =
                        new SyncEvent(side.dev)
                                .publisher(side.dpa)
                                .subscriber(Location.CPU)
                                .start();
                GpuStream stream = side.gpu.stream("stream")) {
            DocaGpu gpu = side.gpu;
            long handle = updated.handle(gpu);
            assertThat(refused(DocaError.NOT_PERMITTED, () -> gpu.waitGt(stream, handle, 0)))
                    .contains("does not have simulated GPU as a subscriber");
            long other = awaited.handle(gpu);
            assertThat(refused(DocaError.NOT_PERMITTED, () -> gpu.updateSet(stream, other, 1)))
                    .contains("does not have simulated GPU as a publisher");
            refused(DocaError.NOT_PERMITTED, () -> gpu.updateAdd(stream, other, 1));
            refused(DocaError.NOT_PERMITTED, () -> others.handle(gpu));
            refused(DocaError.NOT_PERMITTED, () -> updated.handle(side.dpa));
            long foreign = others.handle(side.dpa);
            refused(DocaError.INVALID_VALUE, () -> gpu.updateSet(stream, foreign, 1));
            refused(DocaError.INVALID_VALUE, () -> gpu.waitGt(stream, other, -1));
            gpu.waitGt(stream, other, 7);
            gpu.updateSet(stream, handle, 3);
            gpu.updateAdd(stream, handle, 2);
            // The stream waits for it still.
            assertThat(refused(DocaError.IN_USE, awaited::stop)).contains("GPU stream 'stream'");
            assertThat(updated.get()).isZero();
            awaited.updateSet(8);
            await(updated, 4);
            assertThat(updated.get()).isEqualTo(5);
            awaited.stop();
            refused(DocaError.INVALID_VALUE, () -> gpu.waitGt(stream, other, 0));
            refused(DocaError.BAD_STATE, () -> awaited.handle(gpu));
        }
    }

    @ParameterizedTest
    @MethodSource("modes")
    @Requirement({"DPA-SE-2", "DCORE-DEV-7"})
    void sharesEventsWithTheDpaBesideIt(RunMode mode) {
        try (EventSide side = EventSide.in(mode);
                EventSide other = EventSide.in(mode)) {
            SyncEvent event = new SyncEvent(side.dev).publisher(side.dpa).subscriber(side.gpu);
            refused(DocaError.NOT_SUPPORTED, () -> event.publisher(other.dpa));
            refused(DocaError.NOT_SUPPORTED, () -> event.publisher(DocaGpu.create(side.dpa)));
            event.close();
            SyncEvent apart = new SyncEvent(side.dev).publisher(side.gpu);
            assertThat(refused(DocaError.NOT_SUPPORTED, () -> apart.subscriber(other.dpa)))
                    .contains("is used by simulated GPU, and cannot be by DPA context as well");
            apart.close();
            refused(DocaError.NOT_SUPPORTED, () -> side.host.handle(side.gpu));
            BufArray array = BufArray.create(1).params(side.host, 8, 0).targetGpu(side.gpu);
            refused(DocaError.NOT_SUPPORTED, array::start);
            array.close();
        }
    }

    @Test
    @Requirement("DCORE-DEV-7")
    void devicesTellThatTheyCanHaveADpaAndAGpu() {
        DocaDevInfo found = DocaDevInfo.find("", info -> info.environments().contains(Kind.DPA));
        assertThat(found).isEqualTo(DocaDevInfo.list().getFirst());
        assertThat(DocaDevInfo.of("sim://gpus/10.9.6.1").environments())
                .containsExactly(Kind.DPA, Kind.GPU);
        assertThat(DocaDevInfo.of("nothing://knows/it").environments()).isEmpty();
    }
}
