package dev.outboard.ccip.platform;

import dev.outboard.ccip.wire.VirtualChannel;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// What a platform has and how fast it is (CCI-P manual 1.2.2.3): one of four that exist, or one
/// derived from them by a `with…` method. Immutable.
///
/// @param name as users write it
/// @param links the physical links: VL0 is UPI, VH0 and VH1 are PCIe
/// @param pClkMegahertz what a cycle means in time; nothing else depends on it
/// @param cached whether the FIU has the FPGA cache of 128 KiB, and so honours cache hints
/// @param byteEnable whether writes of some bytes of a line exist
/// @param interrupts whether an AFU may interrupt the processor
/// @param umsgs whether the processor can send UMsgs
/// @param mmioTimeout cycles within which an AFU answers an MMIO read
public record Profile(
        String name,
        Map<VirtualChannel, LinkParameters> links,
        int pClkMegahertz,
        boolean cached,
        boolean byteEnable,
        boolean interrupts,
        boolean umsgs,
        int mmioTimeout) {
    /// MMIO reads that may be outstanding at the AFU (CCI-P manual 1.3.5).
    ///
    /// CCIP-PLT-22: on all of them.
    public static final int MMIO_READS = 64;

    /// Bytes of the MMIO space of an AFU (CCI-P manual 1.3).
    public static final int MMIO_BYTES = 256 << 10;

    /// Cycles within which an AFU answers an MMIO read, by the `ccip_if_pkg.sv` of today.
    public static final int MMIO_TIMEOUT = 65536;

    /// The same by older packages: who keeps to it runs everywhere.
    public static final int STRICT_MMIO_TIMEOUT = 512;

    private static final Map<VirtualChannel, LinkParameters> ONE_PCIE =
            Map.of(VirtualChannel.VH0, new LinkParameters(140, 180, 440, 64, 64));

    /// Programmable acceleration card with an Arria 10.
    ///
    /// CCIP-PLT-20, CCIP-PLT-21: the platforms that are supplied, and their clocks.
    public static final Profile PAC_A10 = of("PAC_A10", ONE_PCIE, 200).withInterrupts(true);

    /// Programmable acceleration card N3000.
    public static final Profile PAC_N3000 = of("PAC_N3000", ONE_PCIE, 200).withInterrupts(true);

    /// Programmable acceleration card D5005, the only one with byte-enable writes.
    public static final Profile PAC_D5005 =
            of(
                            "PAC_D5005",
                            Map.of(VirtualChannel.VH0, new LinkParameters(140, 180, 290, 48, 64)),
                            250)
                    .withByteEnable(true)
                    .withInterrupts(true);

    /// A Xeon with the FPGA in its package.
    public static final Profile INTEGRATED =
            of(
                            "INTEGRATED",
                            Map.of(
                                    VirtualChannel.VL0, new LinkParameters(20, 118, 620, 140, 256),
                                    VirtualChannel.VH0, new LinkParameters(140, 180, 940, 220, 64),
                                    VirtualChannel.VH1, new LinkParameters(140, 180, 940, 220, 64)),
                            400)
                    .withCache(true)
                    .withUmsgs(true);

    /// The platforms that exist.
    public static final List<Profile> ALL = List.of(PAC_A10, PAC_N3000, PAC_D5005, INTEGRATED);

    /// CCIP-PLT-17: the host reaches registers, and finds the AFU, over the first PCIe link.
    public Profile {
        if (links.isEmpty() || links.containsKey(VirtualChannel.VA)) {
            throw new IllegalArgumentException(
                    "Links "
                            + links.keySet()
                            + " of platform "
                            + name
                            + "; valid are VL0, VH0 and VH1, at least one");
        }
        if (!links.containsKey(VirtualChannel.VH0)) {
            throw new IllegalArgumentException(
                    "Platform "
                            + name
                            + " with links "
                            + links.keySet()
                            + " has no VH0, over which the host reaches the AFU");
        }
        if (pClkMegahertz < 1) {
            throw new IllegalArgumentException(
                    "pClk of platform "
                            + name
                            + " at "
                            + pClkMegahertz
                            + " MHz; valid are 1 and more");
        }
        if (mmioTimeout < 1) {
            throw new IllegalArgumentException(
                    "An MMIO timeout of " + mmioTimeout + " cycles; valid are 1 and more");
        }
        // In the order of the channels, on which a run may depend.
        links = Collections.unmodifiableMap(new EnumMap<>(links));
    }

    /// A platform with these links that can do nothing else, and answers MMIO reads in time for the
    /// `ccip_if_pkg.sv` of today.
    public static Profile of(
            String name, Map<VirtualChannel, LinkParameters> links, int pClkMegahertz) {
        boolean cached = false;
        boolean byteEnable = false;
        boolean interrupts = false;
        boolean umsgs = false;
        int mmioTimeout = MMIO_TIMEOUT;
        return new Profile(
                name, links, pClkMegahertz, cached, byteEnable, interrupts, umsgs, mmioTimeout);
    }

    /// Whether an AFU may name this channel: VA, or one with a link.
    public boolean has(VirtualChannel channel) {
        return channel == VirtualChannel.VA || links.containsKey(channel);
    }

    /// The channels with a link, in their order.
    public Set<VirtualChannel> channels() {
        return links.keySet();
    }

    /// How much an AFU keeps in flight on this channel for its full bandwidth; on VA as much as on
    /// all links together, of which more than 512 lines of reads gain nothing.
    ///
    /// @throws IllegalArgumentException if this platform has no such channel
    public Sizing sizing(VirtualChannel channel) {
        if (!has(channel)) {
            throw new IllegalArgumentException(
                    "Platform " + name + " has no " + channel + "; it has VA and " + channels());
        }
        return switch (channel) {
            case VA -> links.keySet().stream().map(this::sizing).reduce(Sizing::plus).orElseThrow();
            case VL0 -> Sizing.UPI;
            case VH0, VH1 -> Sizing.PCIE;
        };
    }

    /// This platform under another name.
    public Profile withName(String name) {
        return new Profile(
                name, links, pClkMegahertz, cached, byteEnable, interrupts, umsgs, mmioTimeout);
    }

    /// This platform with another link, or other parameters of a link that it has.
    public Profile withLink(VirtualChannel channel, LinkParameters parameters) {
        Map<VirtualChannel, LinkParameters> changed = new EnumMap<>(links);
        changed.put(channel, parameters);
        return withLinks(changed);
    }

    /// This platform with these links only.
    public Profile withLinks(Map<VirtualChannel, LinkParameters> links) {
        return new Profile(
                name, links, pClkMegahertz, cached, byteEnable, interrupts, umsgs, mmioTimeout);
    }

    /// This platform with another frequency of pClk.
    public Profile withPClkMegahertz(int pClkMegahertz) {
        return new Profile(
                name, links, pClkMegahertz, cached, byteEnable, interrupts, umsgs, mmioTimeout);
    }

    /// This platform with or without the FPGA cache.
    public Profile withCache(boolean cached) {
        return new Profile(
                name, links, pClkMegahertz, cached, byteEnable, interrupts, umsgs, mmioTimeout);
    }

    /// This platform with or without byte-enable writes.
    public Profile withByteEnable(boolean byteEnable) {
        return new Profile(
                name, links, pClkMegahertz, cached, byteEnable, interrupts, umsgs, mmioTimeout);
    }

    /// This platform with another time for answers to MMIO reads.
    public Profile withMmioTimeout(int mmioTimeout) {
        return new Profile(
                name, links, pClkMegahertz, cached, byteEnable, interrupts, umsgs, mmioTimeout);
    }

    /// This platform with or without interrupts.
    public Profile withInterrupts(boolean interrupts) {
        return new Profile(
                name, links, pClkMegahertz, cached, byteEnable, interrupts, umsgs, mmioTimeout);
    }

    /// This platform with or without UMsgs.
    public Profile withUmsgs(boolean umsgs) {
        return new Profile(
                name, links, pClkMegahertz, cached, byteEnable, interrupts, umsgs, mmioTimeout);
    }
}
