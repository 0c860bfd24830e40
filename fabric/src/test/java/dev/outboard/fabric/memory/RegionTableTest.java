package dev.outboard.fabric.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.fabric.Access;
import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.MemoryWindow;
import dev.outboard.fabric.SendRequest;
import java.lang.foreign.Arena;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RegionTableTest {
    private static final int DOMAIN = 3;
    private static final int OTHER_DOMAIN = 4;
    private static final int QUEUE_PAIR = 17;
    private static final long REGION_BYTES = 100;
    private static final long WINDOW_OFFSET = 10;
    private static final long WINDOW_BYTES = 50;

    private final RegionTable table = new RegionTable(2, new SplittableRandom(1));

    @Test
    void countsTheRegionsOfEachDomain() {
        RegisteredRegion region = region(DOMAIN);
        region(OTHER_DOMAIN);

        assertThat(table.regionsIn(DOMAIN)).isEqualTo(1);
        assertThat(table.regionsIn(OTHER_DOMAIN)).isEqualTo(1);

        region.close();
        region.close();

        assertThat(table.regionsIn(DOMAIN)).isZero();
        assertThat(table.regionsIn(OTHER_DOMAIN)).isEqualTo(1);
    }

    @Test
    void countsTheWindowsOfEachDomain() {
        AllocatedWindow window = table.allocateWindow(DOMAIN, MemoryWindow.Type.TYPE_1);
        table.allocateWindow(OTHER_DOMAIN, MemoryWindow.Type.TYPE_2B);

        assertThat(window.type()).isEqualTo(MemoryWindow.Type.TYPE_1);
        assertThat(table.windowsIn(DOMAIN)).isEqualTo(1);
        assertThat(table.windowsIn(OTHER_DOMAIN)).isEqualTo(1);

        window.close();
        window.close();

        assertThat(table.windowsIn(DOMAIN)).isZero();
        assertThat(table.windowsIn(OTHER_DOMAIN)).isEqualTo(1);
    }

    /// Once they are closed, regions and windows leave their place to others.
    @Test
    void whatIsClosedTakesNoKeyAway() {
        for (int round = 0; round < 10; round++) {
            RegisteredRegion region = region(DOMAIN);
            AllocatedWindow window = table.allocateWindow(DOMAIN, MemoryWindow.Type.TYPE_2B);

            assertThat(region.localKey()).isEqualTo(region.remoteKey()).isNotZero();
            assertThatThrownBy(() -> region(DOMAIN))
                    .isInstanceOf(FabricException.class)
                    .hasMessage("all 2 memory keys of the device are in use");

            window.close();
            region.close();
        }
    }

    /// A window opens its own bytes, all of them, and not one more.
    @ParameterizedTest
    @CsvSource({
        "0, 50, true",
        "0, 0, true",
        "50, 0, true",
        "49, 1, true",
        "0, 51, false",
        "-1, 1, false",
        "-1, 0, false",
        "50, 1, false",
        "51, 0, false",
        "49, 2, false",
        "0, -1, false",
        "10, -1, false",
    })
    void aWindowOpensItsOwnBytes(long offset, long length, boolean opens) {
        RegisteredRegion region = region(DOMAIN);
        AllocatedWindow window = table.allocateWindow(DOMAIN, MemoryWindow.Type.TYPE_2B);
        assertThat(
                        window.bind(
                                DOMAIN,
                                QUEUE_PAIR,
                                region,
                                WINDOW_OFFSET,
                                WINDOW_BYTES,
                                Access.REMOTE_READ.bit(),
                                SendRequest.NEXT_KEY_PART))
                .isTrue();

        long address = region.address() + WINDOW_OFFSET + offset;
        assertThat(
                        table.open(
                                window.remoteKey(),
                                DOMAIN,
                                QUEUE_PAIR,
                                address,
                                length,
                                Access.REMOTE_READ))
                .isSameAs(opens ? region : null);
    }

    private RegisteredRegion region(int domain) {
        return table.register(
                domain,
                Arena.ofAuto().allocate(REGION_BYTES),
                Set.of(Access.LOCAL_WRITE, Access.REMOTE_READ, Access.MEMORY_WINDOW_BIND));
    }
}
