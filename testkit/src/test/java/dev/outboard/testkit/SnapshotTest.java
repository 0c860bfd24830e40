package dev.outboard.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class SnapshotTest {
    private static final Path FILE =
            Path.of("src/test/resources/dev/outboard/testkit/snapshot.txt");

    @Test
    void theSameTextPasses() throws IOException {
        Snapshot.assertUnchanged("snapshot.txt", Files.readString(FILE));
    }

    @Test
    void anotherTextFailsAndShowsBothAndWhatToDo() throws IOException {
        String before = Files.readString(FILE);

        assertThatThrownBy(() -> Snapshot.assertUnchanged("snapshot.txt", "two\n"))
                .isInstanceOf(AssertionError.class)
                .hasMessageContainingAll("says\none\n", "now it is\ntwo\n", "-Dsnapshot=update");
        assertThat(Files.readString(FILE)).isEqualTo(before);
    }

    @Test
    void aMissingFileFails() {
        assertThatThrownBy(() -> Snapshot.assertUnchanged("absent.txt", "two\n"))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("absent.txt says\nnothing");
    }
}
