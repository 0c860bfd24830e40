package dev.outboard.console.naa;

import dev.outboard.bench.report.ByteSize;
import dev.outboard.console.terminal.ConsoleException;
import dev.outboard.naa.Dialect;
import dev.outboard.naa.RegionSpec;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// One region in the command line: exactly one of the fields is set.
final class RegionOption {
    private static final long PAGE_BYTES = 4096;

    /// A ByteBuffer ends at 2 GiB: files are read and written in pieces.
    private static final long PIECE_BYTES = 1 << 30;

    @Option(
            names = "--in",
            required = true,
            paramLabel = "FILE",
            description = "A region with the content of FILE that is sent.")
    private @Nullable Path in;

    @Option(
            names = "--out",
            required = true,
            paramLabel = "SIZE:FILE",
            converter = OutputFile.Converter.class,
            description = "A region of SIZE bytes that is returned and written to FILE.")
    private @Nullable OutputFile out;

    @Option(
            names = "--inout",
            required = true,
            paramLabel = "FILE",
            description = "A region with the content of FILE that is sent and returned into FILE.")
    private @Nullable Path inout;

    /// Allocates the region and fills it from its file.
    ///
    /// @throws ConsoleException if it does not fit the dialect or the memory, or its file cannot be
    ///   written later
    RegionSpec load(Arena arena, Dialect dialect) throws IOException {
        Path target = target().orElse(null);
        if (target != null) {
            DeviceOptions.requireDirectoryOf(target);
        }
        if (out != null) {
            return RegionSpec.output(allocate(arena, dialect, out.size().bytes(), out.file()));
        }
        if (inout != null) {
            return RegionSpec.inputOutput(read(arena, dialect, inout));
        }
        if (in != null) {
            return RegionSpec.input(read(arena, dialect, in));
        }
        throw new IllegalStateException("a region without a file");
    }

    /// Where the region goes when the RPC has succeeded.
    Optional<Path> target() {
        return Optional.ofNullable(out == null ? inout : out.file());
    }

    /// Writes the region to its target.
    static void save(MemorySegment region, Path target) throws IOException {
        try (FileChannel channel =
                FileChannel.open(
                        target,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.TRUNCATE_EXISTING)) {
            for (long at = 0; at < region.byteSize(); at += PIECE_BYTES) {
                ByteBuffer piece = piece(region, at);
                while (piece.hasRemaining()) {
                    channel.write(piece);
                }
            }
        }
    }

    private static MemorySegment read(Arena arena, Dialect dialect, Path file) throws IOException {
        if (!Files.exists(file)) {
            throw new NoSuchFileException(file.toString());
        }
        if (!Files.isRegularFile(file)) {
            throw new ConsoleException(file + " is not a regular file; give one with the content");
        }
        try (FileChannel channel = FileChannel.open(file)) {
            MemorySegment region = allocate(arena, dialect, channel.size(), file);
            for (long at = 0; at < region.byteSize(); at += PIECE_BYTES) {
                ByteBuffer piece = piece(region, at);
                while (piece.hasRemaining()) {
                    if (channel.read(piece) < 0) {
                        throw new EOFException(file + " became shorter while it was read");
                    }
                }
            }
            return region;
        }
    }

    private static ByteBuffer piece(MemorySegment region, long at) {
        return region.asSlice(at, Math.min(PIECE_BYTES, region.byteSize() - at)).asByteBuffer();
    }

    private static MemorySegment allocate(Arena arena, Dialect dialect, long size, Path file) {
        if (size > dialect.maxRegionBytes()) {
            throw new ConsoleException(
                    "a region of %s (%s) is too large: %s has regions of up to %s"
                            .formatted(
                                    new ByteSize(size),
                                    file,
                                    dialect,
                                    new ByteSize(dialect.maxRegionBytes())));
        }
        try {
            return arena.allocate(size, PAGE_BYTES);
        } catch (OutOfMemoryError e) {
            throw new ConsoleException(
                    "no memory for a region of %s (%s); use smaller regions"
                            .formatted(new ByteSize(size), file),
                    e);
        }
    }
}
