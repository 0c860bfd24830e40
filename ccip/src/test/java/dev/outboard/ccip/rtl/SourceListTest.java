package dev.outboard.ccip.rtl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.outboard.ccip.rtl.RtlException.Reason;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Lists of source files as they lie beside AFUs.
class SourceListTest {
    @TempDir private Path directory;

    private Path write(String name, String text) throws IOException {
        Path file = directory.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }

    private static RtlDesign read(Path list) {
        return RtlDesign.of(List.of(list), Map.of("LIB", "../../lib", "W", "8"));
    }

    private static List<String> names(List<Path> files) {
        return files.stream().map(file -> file.getFileName().toString()).toList();
    }

    @Requirement({"CCIP-RTL-13a", "CCIP-RTL-13b", "CCIP-RTL-13c", "CCIP-RTL-13d", "CCIP-RTL-13e"})
    @Test
    void anEntryIsWhatOpaeTakesItFor() throws IOException {
        for (String file :
                List.of("lib/fifo.sv", "lib/ram.v", "lib/b.sv", "hw/afu.json", "hw/rtl/top.sv")) {
            write(file, "");
        }
        Files.createDirectories(directory.resolve("hw/rtl/headers"));
        Files.createDirectories(directory.resolve("hw/more"));
        write("lib/lib.txt", "fifo.sv\n+define+INNER\n");
        write("lib/sim.f", "// a simulator's\n-v ram.v\n-y .\n+incdir+../hw/more+.\n");
        Path list =
                write(
                        "hw/rtl/sources.txt",
                        """
                        # an AFU
                        ../afu.json
                        +define+MPF=1+WIDTH=${W}
                        +incdir+../more
                        headers            # a directory
                        C:../../lib/lib.txt
                        SI:$LIB/sim.f
                        top.sv
                        ${LIB}/b.sv
                        QI:constraints.tcl
                        QI:$NOT_SET/any.qsf
                        timing.sdc
                        core_${NOT_SET}.qsys
                        SI_VHDL:models.f
                        """);

        RtlDesign design = read(list);

        assertThat(names(design.sources())).containsExactly("fifo.sv", "ram.v", "top.sv", "b.sv");
        assertThat(design.macros()).containsExactly("MPF=1", "WIDTH=8", "INNER");
        assertThat(names(design.includes().stream().map(Path::normalize).toList()))
                .containsExactly("more", "headers", "lib", "more", "lib");
        assertThat(names(design.json().stream().toList())).containsExactly("afu.json");
    }

    @Requirement({"CCIP-RTL-13c", "CCIP-RTL-13d"})
    @Test
    void whatCannotBeReadIsNamedWithListAndLine() throws IOException {
        refuses(write("a.txt", "\nC:missing.txt\n"), "a.txt:2: ", "missing.txt does not exist");
        refuses(write("b.txt", "${NOWHERE}/x.sv\n"), "b.txt:1: ", "no variable NOWHERE");
        write("d.txt", "C:c.txt\n");
        refuses(write("c.txt", "C:d.txt\n"), "d.txt names ", "c.txt, a circle");
        write("x.vhd", "");
        refuses(write("e.txt", "x.vhd\n"), "e.txt:1: ", "x.vhd is VHDL");
        refuses(write("f.txt", "+plus+x\n"), "f.txt:1: \"+plus+x\" is not known", "+incdir+");
        refuses(write("g.txt", "XX:y\n"), "g.txt:1: \"XX:y\" is not known", "C:");
    }

    private static void refuses(Path list, String... parts) {
        assertThatExceptionOfType(RtlException.class)
                .isThrownBy(() -> read(list))
                .satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.INPUT))
                .satisfies(e -> assertThat(e.getMessage()).contains(parts));
    }
}
