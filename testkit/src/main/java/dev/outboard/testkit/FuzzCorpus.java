package dev.outboard.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.Stream;

/// The inputs of one fuzz target, kept in `src/test/fuzz/NAME` of the module under test: one file
/// per input, its bytes as they are. What a fuzzer finds becomes a file here.
///
/// ```java
/// FuzzCorpus corpus = FuzzCorpus.of("packet");
/// corpus.replay(PacketFuzzTest::fuzzerTestOneInput);
/// corpus.mutate(2_000, PacketFuzzTest::fuzzerTestOneInput);
/// ```
public final class FuzzCorpus {
    private static final Path DIRECTORY = Path.of("src", "test", "fuzz");
    private static final int MOST_CHANGES = 8;
    private static final int MOST_BYTES = 2048;

    /// Where sizes, signs and counts have their edges.
    private static final int[] EDGES = {0, 1, 2, 0x7f, 0x80, 0xfe, 0xff};

    private final List<Path> files;
    private final List<byte[]> inputs = new ArrayList<>();

    private FuzzCorpus(List<Path> files) throws IOException {
        this.files = files;
        for (Path file : files) {
            inputs.add(Files.readAllBytes(file));
        }
    }

    /// The corpus of that name, which must hold something.
    public static FuzzCorpus of(String name) {
        try (Stream<Path> list = Files.list(DIRECTORY.resolve(name))) {
            List<Path> files = list.sorted().toList();
            if (files.isEmpty()) {
                throw new AssertionError("the corpus " + DIRECTORY.resolve(name) + " is empty");
            }
            return new FuzzCorpus(files);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Gives every input to `target`, which throws if something is wrong.
    public void replay(Consumer<byte[]> target) {
        for (int i = 0; i < inputs.size(); i++) {
            give(inputs.get(i), target, files.get(i).toString());
        }
    }

    /// Gives `count` inputs with some of their bytes changed to `target`; the same ones every time.
    public void mutate(int count, Consumer<byte[]> target) {
        for (long seed = 0; seed < count; seed++) {
            give(mutated(new SplittableRandom(seed)), target, "mutation " + seed);
        }
    }

    private static void give(byte[] input, Consumer<byte[]> target, String name) {
        try {
            target.accept(input.clone());
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(
                    name + " fails: " + e + "\ninput: " + HexFormat.of().formatHex(input), e);
        }
    }

    private byte[] mutated(SplittableRandom random) {
        byte[] bytes = pick(random).clone();
        for (int changes = random.nextInt(1, MOST_CHANGES); changes > 0; changes--) {
            bytes = changed(bytes, random);
        }
        return bytes;
    }

    private byte[] pick(SplittableRandom random) {
        return inputs.get(random.nextInt(inputs.size()));
    }

    private byte[] changed(byte[] bytes, SplittableRandom random) {
        int at = random.nextInt(bytes.length + 1);
        if (at == bytes.length) {
            return spliced(bytes, at, pick(random), random);
        }
        switch (random.nextInt(6)) {
            case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
            case 1 -> bytes[at] = (byte) random.nextInt();
            case 2 -> bytes[at] = (byte) EDGES[random.nextInt(EDGES.length)];
            case 3 -> bytes[at] += (byte) random.nextInt(-3, 4);
            case 4 -> {
                return spliced(bytes, at, new byte[0], random);
            }
            default -> {
                return spliced(bytes, at, pick(random), random);
            }
        }
        return bytes;
    }

    /// The start of one input and the end of another.
    private static byte[] spliced(byte[] start, int length, byte[] end, SplittableRandom random) {
        int from = random.nextInt(end.length + 1);
        int count = Math.min(end.length - from, MOST_BYTES - Math.min(length, MOST_BYTES));
        byte[] both = Arrays.copyOf(start, length + count);
        System.arraycopy(end, from, both, length, count);
        return both;
    }
}
