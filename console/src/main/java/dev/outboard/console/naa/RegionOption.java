package dev.outboard.console.naa;

import dev.outboard.naa.Dialect;
import dev.outboard.naa.InternalRegion;
import dev.outboard.naa.RegionSpec;
import dev.outboard.terminal.ByteSize;
import dev.outboard.terminal.CommandException;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/// One region in the command line: what it holds, then what else is said about it.
final class RegionOption {
    private static final long PAGE_BYTES = 4096;

    /// A ByteBuffer ends at 2 GiB: files are read and written in pieces.
    private static final long PIECE_BYTES = 1 << 30;

    @ArgGroup(multiplicity = "1")
    private Content content = new Content();

    @Option(
            names = "--at",
            paramLabel = "ADDRESS",
            converter = MemoryAddressConverter.class,
            description =
                    "Ask for the region before it to lie at this NAA address, for example 0x1000."
                            + " Default: whole pages one after the other; in ap1-2023 wherever the"
                            + " node likes.")
    private @Nullable Long address;

    @Option(
            names = "--send",
            paramLabel = "SIZE",
            description =
                    "Send only the first SIZE bytes of the region before it; it is announced, and"
                            + " returned, whole.")
    private @Nullable ByteSize send;

    @Option(names = "--once", description = "Send the region before it with the first RPC only.")
    private boolean once;

    /// Exactly one of the fields is set.
    static final class Content {
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
                description =
                        "A region with the content of FILE that is sent and returned into FILE.")
        private @Nullable Path inout;

        @Option(
                names = "--internal",
                required = true,
                paramLabel = "SIZE",
                description =
                        "A region of SIZE bytes on the node only: memory of the routine, zeros at"
                                + " first.")
        private @Nullable ByteSize internal;
    }

    /// Whether it exists on the node only; then [#internal] describes it, else [#load].
    boolean isInternal() {
        return content.internal != null;
    }

    /// The region on the node.
    InternalRegion internal() {
        ByteSize size = Objects.requireNonNull(content.internal);
        InternalRegion region = InternalRegion.of(size.bytes());
        return address == null ? region : region.at(address);
    }

    /// Refuses what cannot be said about this region.
    ///
    /// @throws CommandException naming the options
    void check(Dialect dialect) {
        if (!once && send == null) {
            return;
        }
        String option = once ? "--once" : "--send";
        if (dialect == Dialect.AP1_2023) {
            throw new CommandException(
                    "%s sends every region whole with every RPC; %s needs %s"
                            .formatted(dialect, option, Dialect.UPSTREAM_2026));
        }
        if (content.in == null && content.inout == null) {
            throw new CommandException(
                    "%s belongs to a region that is sent, --in or --inout, not to %s"
                            .formatted(option, this));
        }
    }

    /// Allocates the region and fills it from its file.
    ///
    /// @throws CommandException if it does not fit the dialect or the memory, or its file cannot be
    ///   written later
    RegionSpec load(Arena arena, Dialect dialect) throws IOException {
        Path target = target().orElse(null);
        if (target != null) {
            DeviceOptions.requireWritable(target);
        }
        RegionSpec region =
                content.out == null
                        ? sent(arena, dialect)
                        : RegionSpec.output(
                                allocate(
                                        arena,
                                        dialect,
                                        content.out.size().bytes(),
                                        content.out.file()));
        return address == null ? region : region.at(address);
    }

    private RegionSpec sent(Arena arena, Dialect dialect) throws IOException {
        Path file = Objects.requireNonNull(content.in == null ? content.inout : content.in);
        MemorySegment memory = read(arena, dialect, file);
        if (send != null && send.bytes() > memory.byteSize()) {
            throw new CommandException(
                    "--send %d of %s, which has %d bytes; valid: 0 to %d"
                            .formatted(send.bytes(), file, memory.byteSize(), memory.byteSize()));
        }
        return new RegionSpec(memory, true, content.inout != null, once, OptionalLong.empty());
    }

    /// How many bytes of it to send, if not all.
    OptionalLong bytesToSend() {
        return send == null ? OptionalLong.empty() : OptionalLong.of(send.bytes());
    }

    /// Where the region goes when the RPC has succeeded.
    Optional<Path> target() {
        return Optional.ofNullable(content.out == null ? content.inout : content.out.file());
    }

    @Override
    public String toString() {
        if (content.in != null) {
            return "--in " + content.in;
        }
        if (content.inout != null) {
            return "--inout " + content.inout;
        }
        return content.out == null
                ? "--internal " + content.internal
                : "--out " + content.out.size().bytes() + ":" + content.out.file();
    }

    /// Writes the region to its target, over what is there: with `--inout` that is all there is of
    /// what was sent, and it is not given up before its place is taken.
    ///
    /// @throws CommandException naming the target if that does not work
    static void save(MemorySegment region, Path target) {
        try (FileChannel channel =
                FileChannel.open(target, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            for (long at = 0; at < region.byteSize(); at += PIECE_BYTES) {
                ByteBuffer piece = piece(region, at);
                while (piece.hasRemaining()) {
                    channel.write(piece);
                }
            }
            if (channel.size() > region.byteSize()) {
                channel.truncate(region.byteSize());
            }
        } catch (IOException e) {
            throw new CommandException(
                    "the call has succeeded, but its result cannot be written to %s: %s"
                            .formatted(target, reason(e)),
                    e);
        }
    }

    /// What the system says, without the name of the file.
    private static String reason(IOException failure) {
        return failure instanceof FileSystemException named && named.getReason() != null
                ? named.getReason()
                : String.valueOf(failure.getMessage());
    }

    private static MemorySegment read(Arena arena, Dialect dialect, Path file) throws IOException {
        if (!Files.exists(file)) {
            throw new NoSuchFileException(file.toString());
        }
        if (!Files.isRegularFile(file)) {
            throw new CommandException(file + " is not a regular file; give one with the content");
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
            throw new CommandException(
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
            throw new CommandException(
                    "no memory for a region of %s (%s); use smaller regions"
                            .formatted(new ByteSize(size), file),
                    e);
        }
    }
}
