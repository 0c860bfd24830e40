package dev.outboard.fabric.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.fabric.pcapng.LinkType;
import dev.outboard.fabric.pcapng.PcapngFile;
import dev.outboard.fabric.pcapng.PcapngWriter.Direction;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// When the frames of a capture leave, and what becomes of the file.
class NetworkReplayTest {
    private static final long START = 5_000;
    private static final int LENGTH = 9_000;

    private final List<byte[]> sent = new ArrayList<>();
    private Path file = Path.of("");

    @BeforeEach
    void name(@TempDir Path directory) {
        file = directory.resolve("frames.pcapng");
    }

    /// A capture of frames that were seen at these times.
    private void write(long... nanos) {
        PcapngFile capture = PcapngFile.create(file, "test", LinkType.ETHERNET);
        MemorySegment frame = MemorySegment.ofArray(new byte[LENGTH]);
        for (long each : nanos) {
            capture.packet(each, Direction.UNKNOWN, frame, 0, LENGTH, "");
        }
        capture.close();
    }

    private NetworkReplay replay() {
        return new NetworkReplay(file, START, sent::add);
    }

    private long opened() throws IOException {
        try (var entries = Files.list(Path.of("/proc/self/fd"))) {
            return entries.filter(this::leadsToTheFile).count();
        }
    }

    private boolean leadsToTheFile(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).equals(file);
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void framesLeaveAsLongAfterTheFirstAsInTheCapture() throws IOException {
        write(7_000_000, 7_000_300, 6_000_000, 7_000_300, 7_000_301);
        NetworkReplay replay = replay();
        assertThat(replay.frames()).isEqualTo(5);
        assertThat(opened()).isOne();

        assertThat(replay.send(START - 1)).isEqualTo(START);
        assertThat(sent).isEmpty();
        assertThat(replay.send(START)).isEqualTo(START + 300);
        assertThat(sent).hasSize(1);
        assertThat(replay.send(START + 299)).isEqualTo(START + 300);
        assertThat(replay.send(START + 300)).as("and what is late").isEqualTo(START + 301);
        assertThat(replay.sent()).isEqualTo(4);
        assertThat(replay.send(START + 301)).isEqualTo(Long.MAX_VALUE);

        assertThat(sent).hasSize(5).allSatisfy(each -> assertThat(each).hasSize(LENGTH));
        assertThat(opened()).isZero();
    }

    @Test
    void aCaptureOfNothingIsOverAtOnce() throws IOException {
        write();

        assertThat(replay().send(Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
        assertThat(opened()).isZero();
    }

    @Test
    void whatIsClosedSendsNoMore() throws IOException {
        write(1, 2);
        NetworkReplay replay = replay();
        replay.close();
        replay.close();

        assertThat(replay.send(Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
        assertThat(sent).isEmpty();
        assertThat(opened()).isZero();
    }

    /// It was whole when it was looked at first.
    @Test
    void aFileThatIsCutMeanwhileEndsThere() throws IOException {
        write(1, 2, 3, 4, 5, 6, 7, 8);
        NetworkReplay replay = replay();
        try (RandomAccessFile other = new RandomAccessFile(file.toFile(), "rw")) {
            other.setLength(other.length() - 2L * LENGTH);
        }

        assertThat(replay.send(Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);

        assertThat(sent).hasSizeBetween(1, 7);
        assertThat(replay.sent()).isEqualTo(sent.size());
        assertThat(replay.frames()).isEqualTo(8);
        assertThat(opened()).isZero();
    }
}
