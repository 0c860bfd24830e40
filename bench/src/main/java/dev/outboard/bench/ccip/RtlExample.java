package dev.outboard.bench.ccip;

import dev.outboard.bench.comparison.Contender;
import dev.outboard.bench.comparison.Ours;
import dev.outboard.bench.fabric.CFloor;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.rtl.RtlBuild;
import dev.outboard.ccip.rtl.RtlDesign;
import dev.outboard.ccip.rtl.RtlException;
import dev.outboard.ccip.rtl.VerilatedAfu;
import dev.outboard.ccip.rtl.VerilatedDesign;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/// An example in SystemVerilog: behind the platform, and the same library in a bare loop.
///
/// @param name the directory of the example
/// @param copies whether it copies memory all the time; else nobody asks it for anything
record RtlExample(String name, boolean copies) {
    /// Behind the FIU, with the checker on.
    Ours behind(Profile profile) {
        return new Ours("FIU and Verilated AFU", () -> port(profile));
    }

    private Ours.Subject port(Profile profile) {
        VerilatedAfu afu = compiled().open(profile, 1);
        return copies ? new CopyPort(profile, afu) : new IdlePort(profile, afu);
    }

    /// In a loop in Java that has a memory and nothing else.
    Ours javaLoop() {
        return new Ours("Java loop", () -> new LoopPort(compiled().open(Profile.PAC_A10, 1)));
    }

    /// In a loop in C++ that has a memory and nothing else.
    Contender cppLoop() {
        return new Contender() {
            private final CFloor.Program program = CFloor.Program.afuLoop();

            @Override
            public String name() {
                return "C++ loop";
            }

            @Override
            public String remedy() {
                try {
                    RtlBuild.onThisMachine();
                    return program.remedy();
                } catch (RtlException e) {
                    return "apt-get install verilator g++";
                }
            }

            @Override
            public double measure(Duration time) {
                String library = compiled().library().toString();
                String mode = copies ? "copy" : "idle";
                return new CFloor(name(), program, library, mode).measure(time);
            }

            @Override
            public void close() {
                program.close();
            }
        };
    }

    private VerilatedDesign compiled() {
        Path root = Path.of(System.getProperty("outboard.home", ""));
        try (Stream<Path> files = Files.list(root.resolve("examples/afu").resolve(name))) {
            List<Path> sources = files.sorted().toList();
            return RtlBuild.onThisMachine().compile(RtlDesign.of(sources));
        } catch (IOException | RtlException e) {
            throw new Contender.MeasurementException(String.valueOf(e.getMessage()));
        }
    }
}
