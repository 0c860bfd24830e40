package dev.outboard.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class GoldenTest {
    @ParameterizedTest
    @MethodSource("dev.outboard.testkit.Golden#index")
    void agreesWithItsIndexRow(Golden.Entry entry) {
        byte[] packet = entry.packet();

        assertThat(packet).hasSize(entry.lengthBytes());
        assertThat(packet[0] >> 4).isEqualTo(entry.ipVersion());
        assertThat(ByteBuffer.wrap(packet).getInt(packet.length - 4)).isEqualTo(entry.icrc());
        entry.ipId()
                .ifPresent(id ->
                        assertThat((packet[4] & 0xFF) << 8 | (packet[5] & 0xFF)).isEqualTo(id));
    }

    @Test
    void indexNamesEveryPacketFile() throws IOException {
        try (var files = Files.list(Repository.root().resolve("spec/golden"))) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .filteredOn(name -> name.endsWith(".hex"))
                    .map(name -> name.substring(0, name.length() - ".hex".length()))
                    .containsExactlyInAnyOrderElementsOf(Golden.names());
        }
    }
}
