package dev.outboard.bench.dpa;

import dev.outboard.bench.comparison.Contender.MeasurementException;
import dev.outboard.dpa.cc.CProgram;
import dev.outboard.dpa.cc.CompileException;
import dev.outboard.dpa.cc.DeviceCompiler;
import dev.outboard.dpa.cc.DeviceSources;
import dev.outboard.dpa.elf.DeviceElf;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpacc.DpaApp;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The works in C, compiled once for everything that runs RISC-V code, and once for this machine.
/// All files are in a directory of their own, which goes with the process.
final class CpuProgram {
    /// The works, in the order of their numbers.
    static final List<String> WORKS = List.of("crc", "sieve", "matrix", "calls", "copy", "hash");

    private static final String SOURCES = "cpu/";
    private static final String NATIVE = "native";
    private static final int ENTRY_OFFSET = 24;

    private final Path directory;
    private final byte[] elf;

    private static final class Holder {
        private static final CpuProgram MADE = new CpuProgram();
    }

    private CpuProgram() {
        try {
            directory = Files.createTempDirectory("outboard-cpu-");
            List<Path> sources = new ArrayList<>();
            for (String work : WORKS) {
                sources.add(extract(work + ".c"));
            }
            sources.add(extract("program.c"));
            extract("works.h");
            elf =
                    DeviceCompiler.onThisMachine()
                            .compile(new DeviceSources(sources, List.of(directory), List.of()));
            Files.write(directory.resolve("riscv"), forLinux(elf));
            executable("riscv");
        } catch (IOException | CompileException e) {
            throw new MeasurementException(e.toString());
        }
    }

    /// The one of this process.
    ///
    /// @throws MeasurementException if this machine cannot compile it
    static CpuProgram instance() {
        try {
            return Holder.MADE;
        } catch (ExceptionInInitializerError | NoClassDefFoundError e) {
            throw new MeasurementException("The works cannot be compiled; they need clang and lld");
        }
    }

    private Path extract(String name) throws IOException {
        Path file = directory.resolve(name);
        try (InputStream in = CpuProgram.class.getResourceAsStream(SOURCES + name)) {
            if (in == null) {
                throw new IOException("resource %s is missing".formatted(name));
            }
            Files.copy(in, file);
        }
        for (Path remove = file; remove != null && remove.startsWith(directory); ) {
            remove.toFile().deleteOnExit();
            remove = remove.getParent();
        }
        return file;
    }

    /// The same program with the entry that Linux needs.
    private static byte[] forLinux(byte[] elf) {
        long entry =
                DeviceElf.parse(elf)
                        .program()
                        .symbols()
                        .named("linux_start")
                        .orElseThrow()
                        .address();
        byte[] result = elf.clone();
        ByteBuffer.wrap(result).order(ByteOrder.LITTLE_ENDIAN).putLong(ENTRY_OFFSET, entry);
        return result;
    }

    private void executable(String name) throws IOException {
        Path file = directory.resolve(name);
        file.toFile().deleteOnExit();
        if (!file.toFile().setExecutable(true)) {
            throw new IOException("%s cannot be made executable".formatted(file));
        }
    }

    /// The functions of the works, compiled to Java when they are hot, or interpreted.
    DpaApp<DpaThread> app(boolean compiled) {
        return compiled ? CProgram.app("cpu", elf) : CProgram.interpreted("cpu", elf);
    }

    /// The command that runs it on QEMU.
    List<String> onQemu() {
        return List.of("qemu-riscv64", directory.resolve("riscv").toString());
    }

    /// The command that runs it on the processor itself.
    ///
    /// @throws MeasurementException if gcc is not installed
    List<String> onThisMachine() {
        Path program = directory.resolve(NATIVE);
        if (!Files.isExecutable(program)) {
            List<String> command = new ArrayList<>(List.of("gcc", "-O2", "-o", program.toString()));
            WORKS.forEach(work -> command.add(directory.resolve(work + ".c").toString()));
            command.add(directory.resolve("program.c").toString());
            CpuPeer.output(command);
            program.toFile().deleteOnExit();
        }
        return List.of(program.toString());
    }
}
