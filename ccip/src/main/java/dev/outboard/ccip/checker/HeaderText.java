package dev.outboard.ccip.checker;

import dev.outboard.ccip.wire.C0Response;
import dev.outboard.ccip.wire.C0Rx;
import dev.outboard.ccip.wire.C0Tx;
import dev.outboard.ccip.wire.C1Response;
import dev.outboard.ccip.wire.C1Rx;
import dev.outboard.ccip.wire.C1Tx;
import dev.outboard.ccip.wire.C2Tx;
import dev.outboard.ccip.wire.MmioLength;
import dev.outboard.ccip.wire.ReadType;
import dev.outboard.ccip.wire.VirtualChannel;
import dev.outboard.ccip.wire.WriteType;
import java.util.function.IntFunction;

/// Headers as a human reads them: in the words of CCI-P, reserved codes included.
public final class HeaderText {
    private HeaderText() {}

    /// A memory read request.
    public static String of(C0Tx c0) {
        return name(ReadType::of, c0.requestType())
                + " "
                + VirtualChannel.of(c0.channel())
                + " "
                + count(c0.lengthCode())
                + " at 0x"
                + Long.toHexString(c0.address())
                + " mdata 0x"
                + Integer.toHexString(c0.mdata())
                + (c0.reserved() == 0 ? "" : " RSVD 0x" + Integer.toHexString(c0.reserved()));
    }

    /// A beat of a write, a write fence or an interrupt.
    public static String of(C1Tx c1) {
        String type = name(WriteType::of, c1.requestType()) + " ";
        String sop = c1.startOfPacket() ? " sop" : "";
        if (c1.requestType() == WriteType.INTR.code()) {
            return type + VirtualChannel.of(c1.channel()) + sop + " id " + c1.interruptId();
        }
        String mdata = " mdata 0x" + Integer.toHexString(c1.mdata());
        if (c1.requestType() == WriteType.WRFENCE.code()) {
            return type + VirtualChannel.of(c1.channel()) + sop + mdata;
        }
        String bytes =
                c1.byteMode() || c1.byteStart() != 0 || c1.byteLength() != 0
                        ? (c1.byteMode() ? " byte" : " line")
                                + " mode, byte_start "
                                + c1.byteStart()
                                + ", byte_len "
                                + c1.byteLength()
                        : "";
        if (!c1.startOfPacket()) {
            return type + "beat with address[1:0] " + (c1.address() & 3) + bytes;
        }
        return type
                + VirtualChannel.of(c1.channel())
                + sop
                + " "
                + count(c1.lengthCode())
                + " at 0x"
                + Long.toHexString(c1.address())
                + mdata
                + bytes;
    }

    /// An MMIO read response.
    public static String of(C2Tx c2) {
        return "MMIO read response tid 0x"
                + Integer.toHexString(c2.tid)
                + " data 0x"
                + Long.toHexString(c2.data);
    }

    /// A read response, a UMsg or an MMIO request, as the valid wires say.
    public static String of(C0Rx c0) {
        if (c0.mmioRdValid || c0.mmioWrValid) {
            return (c0.mmioRdValid ? "MMIO read " : "MMIO write ")
                    + name(MmioLength::of, c0.mmioLength())
                    + " at 0x"
                    + Integer.toHexString(c0.mmioAddress() << 2)
                    + (c0.mmioRdValid ? " tid 0x" + Integer.toHexString(c0.tid()) : "");
        }
        if (c0.isUmsg()) {
            return (c0.isHint() ? "UMSGH id " : "UMSG id ") + c0.umsgId();
        }
        return name(C0Response::of, c0.responseType())
                + " response "
                + VirtualChannel.of(c0.channelUsed())
                + (c0.hit() ? " hit" : " miss")
                + " cl_num "
                + c0.lineNumber()
                + " mdata 0x"
                + Integer.toHexString(c0.mdata());
    }

    /// A response to a write, a fence or an interrupt.
    public static String of(C1Rx c1) {
        String type = name(C1Response::of, c1.responseType()) + " response ";
        String mdata = "mdata 0x" + Integer.toHexString(c1.mdata());
        if (c1.responseType() == C1Response.WRFENCE.code()) {
            return type + mdata;
        }
        String channel = VirtualChannel.of(c1.channelUsed()).toString();
        if (c1.responseType() == C1Response.INTR.code()) {
            return type + channel + " id " + c1.interruptId();
        }
        return type
                + channel
                + (c1.hit() ? " hit" : " miss")
                + (c1.packed() ? " packed " + count(c1.lineNumber()) : " cl_num " + c1.lineNumber())
                + " "
                + mdata;
    }

    /// The fields of a header that are not 0, in words; each field is its highest and its lowest
    /// bit.
    static String reserved(int high, long low, int[]... fields) {
        StringBuilder text = new StringBuilder();
        for (int[] field : fields) {
            int lowest = field[1];
            long bits = lowest >= Long.SIZE ? (long) high >> (lowest - Long.SIZE) : low >>> lowest;
            long value = bits & ((1L << (field[0] - lowest + 1)) - 1);
            if (value != 0) {
                text.append(text.isEmpty() ? "" : ", ").append("RSVD[").append(field[0]);
                text.append(field[0] == field[1] ? "" : ":" + field[1]);
                text.append("] is 0x").append(Long.toHexString(value));
            }
        }
        return text.toString();
    }

    private static String count(int lengthCode) {
        return lengthCode == 0 ? "1 line" : (lengthCode + 1) + " lines";
    }

    private static String name(IntFunction<Enum<?>> decode, int code) {
        try {
            return decode.apply(code).name();
        } catch (IllegalArgumentException e) {
            return "reserved code " + code;
        }
    }
}
