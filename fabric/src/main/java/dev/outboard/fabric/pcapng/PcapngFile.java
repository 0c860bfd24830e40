package dev.outboard.fabric.pcapng;

import dev.outboard.fabric.FabricException;
import dev.outboard.fabric.FabricException.Reason;
import dev.outboard.fabric.pcapng.PcapngWriter.Direction;
import java.io.BufferedOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// A capture on its way into a file. A file that cannot be written any more ends the capture, with
/// a warning, not the traffic. One thread at a time; [#close] completes the file.
public final class PcapngFile implements AutoCloseable {
    private static final Logger LOGGER = System.getLogger(PcapngFile.class.getName());
    private static final int BUFFER_BYTES = 1 << 20;

    private final Path path;
    private final PcapngWriter writer;

    /// Null when the capture has ended.
    private @Nullable OutputStream stream;

    private PcapngFile(Path path, PcapngWriter writer, OutputStream stream) {
        this.path = path;
        this.writer = writer;
        this.stream = stream;
    }

    /// Creates the file, or empties it.
    ///
    /// @throws FabricException with INVALID_ARGUMENT if it cannot be written
    public static PcapngFile create(Path path, String interfaceName, LinkType linkType) {
        try {
            // Not a channel: an interrupt of the thread that writes would close it.
            OutputStream stream =
                    new BufferedOutputStream(new FileOutputStream(path.toFile()), BUFFER_BYTES);
            PcapngFile file =
                    new PcapngFile(path, new PcapngWriter(interfaceName, linkType), stream);
            file.store();
            return file;
        } catch (IOException e) {
            throw new FabricException(
                    Reason.INVALID_ARGUMENT, "cannot write the capture " + path + ": " + e, e);
        }
    }

    /// Whether packets are captured still.
    public boolean isOpen() {
        return stream != null;
    }

    /// Adds the packet whose `length` bytes are at `at`. An empty comment is none.
    public void packet(
            long epochNanos,
            Direction direction,
            MemorySegment packet,
            long at,
            int length,
            String comment) {
        if (isOpen()) {
            writer.packet(epochNanos, direction, packet, at, length, comment);
            store();
        }
    }

    /// What was captured so far is in the file when this returns.
    public void flush() {
        OutputStream open = stream;
        if (open != null) {
            try {
                open.flush();
            } catch (IOException e) {
                giveUp(open, e);
            }
        }
    }

    @Override
    public void close() {
        OutputStream open = stream;
        stream = null;
        if (open != null) {
            try {
                open.close();
            } catch (IOException e) {
                giveUp(open, e);
            }
        }
    }

    private void store() {
        ByteBuffer bytes = writer.drain();
        OutputStream open = stream;
        if (open != null) {
            try {
                open.write(
                        bytes.array(), bytes.arrayOffset() + bytes.position(), bytes.remaining());
            } catch (IOException e) {
                giveUp(open, e);
            }
        }
    }

    /// The disk is full, most likely.
    private void giveUp(OutputStream broken, IOException cause) {
        stream = null;
        try {
            broken.close();
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
        LOGGER.log(Level.WARNING, "the capture {0} ends here: {1}", path, cause.getMessage());
    }
}
