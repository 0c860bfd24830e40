package dev.outboard.ccip.trace;

import dev.outboard.ccip.checker.Channel;
import java.util.List;
import java.util.StringJoiner;

/// What a channel of the port carried in one cycle, with every field of its header, or a lookup of
/// the FPGA cache: a line of the [TransactionLog]. Immutable. A field that this kind of beat does
/// not have is [#NONE], or `-` if it is text.
///
/// @param cycle the cycle in which the wires carried it
/// @param channel which wires; [Channel#PORT] for reset, error, power and almost-full,
///   [Channel#CACHE] for a lookup
/// @param type what it is, in the words of CCI-P, `RESERVED` for a reserved code; of the port
///   `SOFT_RESET`, `ERROR`, `POWER_STATE`, `C0_ALMOST_FULL` or `C1_ALMOST_FULL`; of a lookup the
///   type of the request, or `UMSG` if the FIU reads
/// @param request its number on its channel if it belongs to a request, counted from 0; of a
///   response or lookup the number of the request that it belongs to; MMIO reads are counted too
/// @param vc `vc_sel` or `vc_used`
/// @param lines how many lines `cl_len` asks for, or a packed response answers
/// @param line `cl_num`; of a later beat of a write address[1:0]; of a lookup which line of its
///   request
/// @param address line address of memory, byte address of MMIO
/// @param mdata what the AFU gave the request
/// @param tid of an MMIO read or its response; of an interrupt or UMsg its id
/// @param sop whether the beat begins a write: 0 or 1
/// @param mode 1 for a write of some bytes, from `byteStart`, `byteLength` of them
/// @param byteStart first byte
/// @param byteLength how many bytes
/// @param hit `hit_miss`: 1 if the FPGA cache held it
/// @param format 1 for a packed response
/// @param before of a lookup the state, `M`, `S` or `I`, in which the cache held the line, or after
///   a miss the victim in its place
/// @param upi of a lookup the UPI transactions, in order, with commas
/// @param victim of a lookup the address of the line that had to make room
/// @param after of a lookup the state in which the line is left
/// @param header the raw header, hexadecimal
/// @param data hexadecimal, byte 0 on the right; of the port the new value of the wire
public record Transaction(
        long cycle,
        Channel channel,
        String type,
        long request,
        String vc,
        int lines,
        int line,
        long address,
        int mdata,
        int tid,
        int sop,
        int mode,
        int byteStart,
        int byteLength,
        int hit,
        int format,
        String before,
        String upi,
        long victim,
        String after,
        String header,
        String data) {
    /// A number that this kind of beat does not have.
    public static final int NONE = -1;

    /// Text that this kind of beat does not have.
    public static final String NO_TEXT = "-";

    /// The columns of the log, in their order.
    public static final List<String> COLUMNS =
            List.of(
                    "cycle",
                    "channel",
                    "type",
                    "request",
                    "vc",
                    "lines",
                    "line",
                    "address",
                    "mdata",
                    "tid",
                    "sop",
                    "mode",
                    "byte_start",
                    "byte_len",
                    "hit",
                    "format",
                    "before",
                    "upi",
                    "victim",
                    "after",
                    "header",
                    "data");

    /// The first line of a log.
    public static final String HEADER_LINE = String.join("\t", COLUMNS);

    /// A line of the log: fields between tabs, addresses and `mdata` hexadecimal.
    public String text() {
        StringJoiner text = new StringJoiner("\t");
        text.add(Long.toString(cycle)).add(channel.toString()).add(type).add(decimal(request));
        text.add(vc).add(decimal(lines)).add(decimal(line)).add(hexadecimal(address));
        text.add(hexadecimal(mdata)).add(hexadecimal(tid)).add(decimal(sop)).add(decimal(mode));
        text.add(decimal(byteStart)).add(decimal(byteLength)).add(decimal(hit));
        text.add(decimal(format)).add(before).add(upi).add(hexadecimal(victim)).add(after);
        return text.add(header).add(data).toString();
    }

    /// Reads a line of a log.
    ///
    /// @throws IllegalArgumentException if it is none
    public static Transaction parse(String text) {
        String[] fields = text.split("\t", -1);
        if (fields.length != COLUMNS.size()) {
            throw new IllegalArgumentException(
                    "A line of a transaction log has "
                            + COLUMNS.size()
                            + " fields between tabs, not "
                            + fields.length
                            + ": "
                            + text);
        }
        long cycle = Long.parseLong(fields[0]);
        Channel channel = channel(fields[1]);
        String type = fields[2];
        long request = number(fields[3], 10);
        String vc = fields[4];
        int lines = (int) number(fields[5], 10);
        int line = (int) number(fields[6], 10);
        long address = number(fields[7], 16);
        int mdata = (int) number(fields[8], 16);
        int tid = (int) number(fields[9], 16);
        int sop = (int) number(fields[10], 10);
        int mode = (int) number(fields[11], 10);
        int byteStart = (int) number(fields[12], 10);
        int byteLength = (int) number(fields[13], 10);
        int hit = (int) number(fields[14], 10);
        int format = (int) number(fields[15], 10);
        String before = fields[16];
        String upi = fields[17];
        long victim = number(fields[18], 16);
        String after = fields[19];
        String header = fields[20];
        String data = fields[21];
        return new Transaction(
                cycle,
                channel,
                type,
                request,
                vc,
                lines,
                line,
                address,
                mdata,
                tid,
                sop,
                mode,
                byteStart,
                byteLength,
                hit,
                format,
                before,
                upi,
                victim,
                after,
                header,
                data);
    }

    private static Channel channel(String text) {
        for (Channel channel : Channel.values()) {
            if (channel.toString().equals(text)) {
                return channel;
            }
        }
        throw new IllegalArgumentException(
                "No channel '" + text + "'; there are " + List.of(Channel.values()));
    }

    private static String decimal(long number) {
        return number == NONE ? NO_TEXT : Long.toString(number);
    }

    private static String hexadecimal(long number) {
        return number == NONE ? NO_TEXT : "0x" + Long.toHexString(number);
    }

    private static long number(String text, int radix) {
        return text.equals(NO_TEXT)
                ? NONE
                : Long.parseLong(text, radix == 16 ? 2 : 0, text.length(), radix);
    }
}
