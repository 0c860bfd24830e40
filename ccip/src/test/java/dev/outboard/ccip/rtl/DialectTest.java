package dev.outboard.ccip.rtl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.Rx;
import dev.outboard.ccip.wire.Tx;
import dev.outboard.testkit.Repository;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/// What tools for FPGAs take and Verilator refuses, or we did.
class DialectTest {
    /// A line in French, in the bytes of Latin-1; a constant with x in a function and in a list; a
    /// value for an enumeration without a cast; a loop of 3000 turns with delayed assignments;
    /// numbers without a size and a patch in the file it includes.
    private static final String BODY =
            """
            // Données écrites
            `include "included.svh"
            typedef enum logic [1:0] {IDLE, BUSY} t_state;
            t_state state;
            logic [1:0] next;
            localparam logic [3:0] LIST [0:3] = '{4'bxx01, 4'd2, 4'd3, 4'd4};
            function automatic logic [3:0] known(logic [3:0] value);
                known = 4'bx;
                if (value[0]) known = value;
            endfunction
            logic [3:0] five;
            logic [7:0] memory [0:2999];
            always_comb next = state == IDLE ? 2'd1 : 2'd0;
            always_ff @(posedge pClk) begin
                five <= 4'd5;
                state <= next;
                if (state == BUSY) state <= 2'd0;
                if (pck_cp2af_softReset) begin
                    for (int i = 0; i < 3000; i++) memory[i] <= 8'(i);
                end
                pck_af2cp_sTx.c2.data <= {`WIDE, LIST[five[1:0]], known(five), memory[2000]};
            end
            assign pck_af2cp_sTx.c0 = '0;
            assign pck_af2cp_sTx.c1 = '0;
            assign {pck_af2cp_sTx.c2.hdr, pck_af2cp_sTx.c2.mmioRdValid} = '1;
            """;

    private static final String INCLUDED =
            """
            this_is_wrong;
            `define WIDE 48'('h5_0000_0000_ABCD)
            """;

    private static RtlDesign design() throws IOException {
        Path directory = Repository.root().resolve("ccip/target/rtl/dialect");
        Files.createDirectories(directory);
        Path source =
                Files.writeString(
                        directory.resolve("ccip_std_afu.sv"),
                        Verilator.module(BODY),
                        StandardCharsets.ISO_8859_1);
        Files.writeString(directory.resolve("included.svh"), INCLUDED);
        Path patches = directory.resolve("patches.tsv");
        Files.writeString(patches, "included.svh\t1\tthis_is_wrong;\t\n");
        return RtlDesign.of(source, patches);
    }

    @Requirement({"CCIP-RTL-16a", "CCIP-RTL-16b", "CCIP-RTL-16c", "CCIP-RTL-16d", "CCIP-RTL-16e"})
    @Test
    void aDesignThatToolsForFpgasTakeIsTaken() throws IOException {
        VerilatedDesign compiled = Verilator.build().compile(design());
        Rx rx = new Rx();
        Tx tx = new Tx();
        try (VerilatedAfu afu = compiled.open(Profile.PAC_A10, 1)) {
            rx.softReset = true;
            afu.clock(rx, tx);
            afu.clock(rx, tx);
            afu.clock(rx, tx);
        }
        assertThat(tx.c2.data).isEqualTo(0x0000_0000_ABCD_25D0L);
        assertThat(compiled.warnings())
                .anySatisfy(warning -> assertThat(warning.code()).isEqualTo("FOURSTATE"));
    }

    /// The copy that the compiler sees is nobody's business.
    @Requirement("CCIP-RTL-16c")
    @Test
    void aMistakeInAPatchedIncludedFileIsShownWhereItIs() throws IOException {
        RtlBuild build = Verilator.build();
        RtlDesign design = design();
        Path included = design.sources().getFirst().resolveSibling("included.svh");
        Files.writeString(included, INCLUDED + "assign nothing = = 1;\n");
        try {
            assertThatExceptionOfType(RtlException.class)
                    .isThrownBy(() -> build.compile(design))
                    .withMessageContaining("included.svh:3: ")
                    .withMessageNotContaining("copies-");
        } finally {
            Files.writeString(included, INCLUDED);
        }
    }

    /// Intel's building blocks chain shims so: each has the port as an interface, and asks how wide
    /// a structure in it is.
    private static final String CHAIN =
            """
            import ccip_if_pkg::*;
            typedef struct packed { logic virtual_address; t_if_ccip_c0_Tx base; } t_chained;
            interface chain_if(input logic clk);
                t_chained c0;
                logic ready;
                modport to_fiu(input clk, ready, output c0);
                modport to_afu(input clk, c0, output ready);
            endinterface
            module chain_fifo #(parameter N_BITS = 0) (
                input logic clk, input logic [N_BITS-1:0] in, output logic [N_BITS-1:0] out);
                always_ff @(posedge clk) out <= in;
            endmodule
            module chain_shim(input logic clk, chain_if.to_fiu fiu, chain_if.to_afu afu);
                chain_if held(.clk);
                chain_fifo #(.N_BITS($bits(held.c0))) fifo(.clk, .in(afu.c0), .out(held.c0));
                assign afu.ready = fiu.ready;
                always_ff @(posedge clk) begin
                    fiu.c0 <= held.c0;
                    fiu.c0.virtual_address <= 1'b0;
                end
            endmodule
            """;

    private static final String CHAINED =
            """
            chain_if chain[2](.clk(pClk));
            chain_shim shim(.clk(pClk), .fiu(chain[0]), .afu(chain[1]));
            assign chain[0].ready = !pck_cp2af_sRx.c0TxAlmFull;
            always_ff @(posedge pClk) begin
                chain[1].c0 <= '0;
                chain[1].c0.base.hdr.mdata <= 16'hBEEF;
                chain[1].c0.base.valid <= chain[1].ready && !pck_cp2af_softReset;
            end
            assign pck_af2cp_sTx.c0 = chain[0].c0.base;
            assign pck_af2cp_sTx.c1 = '0;
            assign pck_af2cp_sTx.c2 = '0;
            """;

    @Requirement("CCIP-RTL-16g")
    @Test
    void aMemberOfAnInterfaceHasTheBitsOfItsType() throws IOException {
        Path directory = Repository.root().resolve("ccip/target/rtl/chain");
        Files.createDirectories(directory);
        Path chain = Files.writeString(directory.resolve("chain.sv"), CHAIN);
        Path top =
                Files.writeString(directory.resolve("ccip_std_afu.sv"), Verilator.module(CHAINED));
        Rx rx = new Rx();
        Tx tx = new Tx();
        VerilatedDesign built = Verilator.build().compile(RtlDesign.of(chain, top));
        try (VerilatedAfu afu = built.open(Profile.PAC_A10, 1)) {
            for (int i = 0; i < 8; i++) {
                tx.idle();
                afu.clock(rx, tx);
            }
        }
        assertThat(tx.c0.valid).isTrue();
        assertThat(tx.c0.mdata()).isEqualTo(0xBEEF);
    }

    @Requirement("CCIP-RTL-16g")
    @Test
    void aMemberIsNamedByTheOneTypeItHas() {
        String refused = "%Error: a.sv:9:1: must not use dotted references: 'c0'";
        String asks = "$bits(one.c0) + $bits(two[i].c0) + $bits(one.c0.base) + $bits(one.c01)";

        InterfaceMembers members = new InterfaceMembers();
        assertThat(members.typedIn(asks)).isEqualTo(asks);
        assertThat(members.learn(refused, List.of(CHAIN))).isTrue();
        assertThat(members.learn(refused, List.of(CHAIN))).isFalse();
        assertThat(members.typedIn(asks))
                .isEqualTo(
                        "$bits(t_chained) + $bits(t_chained) + $bits(one.c0.base) + $bits(one.c01)");
        // Nobody knows which of two types it is, nor one that no interface declares.
        List<String> two = List.of(CHAIN, CHAIN.replace("t_chained c0;", "logic c0;"));
        assertThat(new InterfaceMembers().learn(refused, two)).isFalse();
        String module = CHAIN.replace("interface ", "module ");
        assertThat(new InterfaceMembers().learn(refused, List.of(module))).isFalse();
    }

    @Requirement("CCIP-RTL-16f")
    @Test
    void anOptionReachesVerilator() throws IOException {
        RtlBuild build = Verilator.build();
        RtlDesign plain = Verilator.afu("options", "assign pck_af2cp_sTx = '0;\n");
        RtlDesign wrong = plain.withOption("--no-such-option");
        assertThatExceptionOfType(RtlException.class)
                .isThrownBy(() -> build.compile(wrong))
                .withMessageContaining("--no-such-option");
        RtlDesign strict = plain.withOption("-Wall").withOption("-Werror-UNUSED");
        assertThatExceptionOfType(RtlException.class)
                .isThrownBy(() -> build.compile(strict))
                .withMessageContaining("(UNUSED");
    }

    /// CCIP-RTL-17: what is one unit for a small design is many for a large one; an object that is
    /// there is not made again.
    @Requirement({"CCIP-RTL-17b", "CCIP-RTL-17c"})
    @Test
    void aBuildSaysWhatItDoesAndKeepsObjects() throws IOException {
        // Skips the test without the tools.
        Verilator.build();
        Path cache = Repository.root().resolve("ccip/target/rtl-objects");
        RtlDesign design = Verilator.afu("objects", "assign pck_af2cp_sTx = '0;\n");
        List<String> steps = new ArrayList<>();
        RtlBuild build = RtlBuild.with(System.getenv(), cache).reporting(steps::add);
        Path library = build.compile(design).library();
        Path objects = cache.resolve("objects");
        Path object;
        try (var kept = Files.list(objects)) {
            object = kept.findFirst().orElseThrow();
        }
        Object made = Files.readAttributes(object, "creationTime,size,fileKey").get("fileKey");
        Files.delete(library);

        build.compile(design);

        assertThat(steps).anyMatch(step -> step.equals("Verilator reads ccip_std_afu"));
        assertThat(steps).anyMatch(step -> step.matches("compiling \\d+ KB of C\\+\\+ at -O3"));
        assertThat(Files.readAttributes(object, "fileKey").get("fileKey")).isEqualTo(made);
        steps.clear();
        build.compile(design);
        assertThat(steps).as("of a design that is there").isEmpty();
    }

    @Requirement("CCIP-RTL-17a")
    @Test
    void theLargerADesignTheLessItIsOptimised() {
        assertThat(Linking.optimisation(900_000)).isEqualTo("-O3");
        assertThat(Linking.optimisation(2_000_000)).isEqualTo("-O1");
        assertThat(Linking.optimisation(20_000_000)).isEqualTo("-O0");
    }
}
