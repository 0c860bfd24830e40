package dev.outboard.bench.ccip;

import dev.outboard.bench.comparison.ComparisonCommand;
import dev.outboard.bench.comparison.Ours;
import dev.outboard.bench.comparison.Work;
import dev.outboard.bench.comparison.Work.Unit;
import dev.outboard.ccip.afu.Afu;
import dev.outboard.ccip.afu.example.Hello;
import dev.outboard.ccip.afu.example.MemoryCopy;
import dev.outboard.ccip.platform.LinkParameters;
import dev.outboard.ccip.platform.Profile;
import dev.outboard.ccip.wire.VirtualChannel;
import java.util.List;
import picocli.CommandLine.Command;

/// `outboard bench ccip`: cycles per second of a simulated port.
@Command(
        name = "ccip",
        sortOptions = false,
        description =
                "Measure how many cycles of pClk per second the CCI-P platform simulates, the"
                        + " checker on: with a Java AFU that copies memory, next to a plain model that"
                        + " does nothing but move the lines; with nothing to do; and with AFUs in"
                        + " SystemVerilog, next to loops in C++ and Java that clock the same library"
                        + " (needs Verilator and g++).",
        footer = {"", "Works: copy-wide, copy-a10, copy-integrated, idle, rtl-copy, rtl-hello."})
public final class CcipCommand extends ComparisonCommand {
    /// A card whose link carries a line each way in every cycle.
    private static final Profile WIDE =
            Profile.PAC_A10.withLink(
                    VirtualChannel.VH0, new LinkParameters(140, 180, LinkParameters.CYCLE, 0, 256));

    /// For picocli.
    public CcipCommand() {}

    @Override
    protected List<Work> works() {
        return List.of(
                copy("copy-wide", "a line in and a line out per cycle", WIDE),
                copy(
                        "copy-a10",
                        "as many lines as the link of an Arria 10 card carries",
                        Profile.PAC_A10),
                copy(
                        "copy-integrated",
                        "as many lines as the three links of an integrated platform carry",
                        Profile.INTEGRATED),
                new Work(
                        "idle",
                        "nothing to do",
                        Unit.CYCLES,
                        List.of(
                                new Ours(
                                        "quiet AFU",
                                        () -> new IdlePort(Profile.PAC_A10, new Hello())),
                                new Ours(
                                        "AFU never quiet",
                                        () -> new IdlePort(Profile.PAC_A10, restless())))),
                rtlCopy(),
                rtlHello());
    }

    private static Work copy(String name, String title, Profile profile) {
        return new Work(
                name,
                title,
                Unit.CYCLES,
                List.of(
                        new Ours("FIU and copy AFU", () -> new CopyPort(profile, new MemoryCopy())),
                        new Ours("plain model", PlainPort::new)));
    }

    private static Work rtlCopy() {
        RtlExample copy = new RtlExample("copy", true);
        return new Work(
                "rtl-copy",
                "copy in SystemVerilog, a line in and a line out per cycle",
                Unit.CYCLES,
                List.of(copy.behind(WIDE), copy.javaLoop(), copy.cppLoop()));
    }

    private static Work rtlHello() {
        RtlExample hello = new RtlExample("hello", false);
        return new Work(
                "rtl-hello",
                "hello in SystemVerilog, with nothing to do",
                Unit.CYCLES,
                List.of(hello.behind(WIDE), hello.cppLoop()));
    }

    /// The same AFU, which promises nothing about its quiet cycles.
    private static Afu restless() {
        Hello hello = new Hello();
        return (rx, tx) -> hello.clock(rx, tx);
    }
}
