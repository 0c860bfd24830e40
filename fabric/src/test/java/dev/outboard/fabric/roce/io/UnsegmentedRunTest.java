package dev.outboard.fabric.roce.io;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.memory.Payload;
import dev.outboard.fabric.roce.wire.Bth;
import dev.outboard.fabric.roce.wire.Gid;
import dev.outboard.fabric.roce.wire.Icrc;
import dev.outboard.fabric.roce.wire.Path;
import dev.outboard.testkit.Requirement;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UnsegmentedRunTest {
    private static final Gid ADDRESS = Gid.of(Loopback.address(127, 91, 0, 1));

    private final Path path = new Path(ADDRESS, ADDRESS, 4791, 0);

    @ParameterizedTest
    @CsvSource({"0, 16", "1, 16", "63, 1016", "0x0100, 16", "0xABCD, 4112"})
    @Requirement("ROCE-SOCK-7b")
    void anIdentificationChangesTheIcrcAlikeWhateverThePayload(int identification, int length) {
        Payload packet = Traffic.payload(length);

        assertThat(UnsegmentedRun.identificationEffect(identification, length))
                .isEqualTo(icrc(packet, identification) ^ icrc(packet, 0));
    }

    private int icrc(Payload packet, int identification) {
        int length = (int) packet.byteSize();
        Icrc icrc = new Icrc();
        icrc.begin(path, identification, length, packet.segment(), 0, Bth.LENGTH);
        icrc.update(packet, Bth.LENGTH, length - Bth.LENGTH - Icrc.LENGTH);
        return icrc.finish(0);
    }
}
