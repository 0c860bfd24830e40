package dev.outboard.ccip.rtl;

import dev.outboard.ccip.rtl.RtlException.Reason;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// What a build takes from the JSON file that describes an AFU: its accelerators and the
/// frequencies of the user clocks. Reads the members it knows wherever they stand, and passes over
/// all others.
///
/// @param accelerators the entries of `accelerator-clusters`
/// @param userClockMegahertz `clock-frequency-high`, if it is a number
/// @param userClockDiv2Megahertz `clock-frequency-low`, if it is a number
record AfuJson(
        List<Accelerator> accelerators,
        Optional<Double> userClockMegahertz,
        Optional<Double> userClockDiv2Megahertz) {
    private static final Pattern CLUSTER =
            Pattern.compile("\\{[^{}]*\"accelerator-type-uuid\"[^{}]*}");
    private static final Pattern UUID_FORM =
            Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");

    /// One accelerator of an AFU.
    ///
    /// @param name for people
    /// @param id the AFU_ID that software looks for
    record Accelerator(String name, UUID id) {}

    AfuJson {
        accelerators = List.copyOf(accelerators);
    }

    static AfuJson parse(String text, Path file) {
        List<Accelerator> accelerators = new ArrayList<>();
        Matcher clusters = CLUSTER.matcher(text);
        while (clusters.find()) {
            accelerators.add(accelerator(clusters.group(), file));
        }
        if (accelerators.isEmpty()) {
            throw new RtlException(
                    Reason.INPUT,
                    file
                            + ": no \"accelerator-type-uuid\" under \"accelerator-clusters\" of"
                            + " \"afu-image\"; it holds the AFU_ID");
        }
        string(text, "clock").ifPresent(clock -> requirePortClock(clock, file));
        return new AfuJson(
                accelerators,
                number(text, "clock-frequency-high"),
                number(text, "clock-frequency-low"));
    }

    /// A platform may put a clock crossing between the port and the AFU; this one has none.
    private static void requirePortClock(String clock, Path file) {
        if (!clock.equals("default") && !clock.equals("pClk")) {
            throw new RtlException(
                    Reason.INPUT,
                    file
                            + ": the \"clock\" of the CCI-P port is \""
                            + clock
                            + "\"; valid: \"pClk\" or \"default\", since nothing here crosses"
                            + " clocks for the AFU");
        }
    }

    private static Accelerator accelerator(String cluster, Path file) {
        String id = string(cluster, "accelerator-type-uuid").orElse("");
        if (!UUID_FORM.matcher(id).matches()) {
            throw new RtlException(
                    Reason.INPUT,
                    file
                            + ": accelerator-type-uuid \""
                            + id
                            + "\" is no UUID; one looks like ba8a831a-d396-441a-82b7-32ace4715fde");
        }
        return new Accelerator(string(cluster, "name").orElse("afu"), UUID.fromString(id));
    }

    private static Optional<String> string(String text, String member) {
        Matcher found =
                Pattern.compile("\"" + member + "\"\\s*:\\s*\"([^\"\\\\]*)\"").matcher(text);
        return found.find() ? Optional.of(found.group(1)) : Optional.empty();
    }

    /// "auto" and "auto-300" leave the choice to the platform, like no member at all.
    private static Optional<Double> number(String text, String member) {
        Matcher found =
                Pattern.compile("\"" + member + "\"\\s*:\\s*\"?(\\d+(?:\\.\\d+)?)").matcher(text);
        return found.find() ? Optional.of(Double.valueOf(found.group(1))) : Optional.empty();
    }

    /// What `afu_json_info.vh` holds: name and UUID, without a number for the first accelerator.
    String header() {
        StringBuilder header = new StringBuilder();
        for (int i = 0; i < accelerators.size(); i++) {
            Accelerator accelerator = accelerators.get(i);
            String uuid = "128'h" + accelerator.id().toString().replace('-', '_');
            for (String number : i == 0 ? List.of("", "0") : List.of(Integer.toString(i))) {
                define(header, "AFU_ACCEL_NAME" + number, "\"" + accelerator.name() + "\"");
                define(header, "AFU_ACCEL_UUID" + number, uuid);
            }
        }
        define(header, "AFU_TOP_IFC", "\"ccip_std_afu\"");
        return header.toString();
    }

    private static void define(StringBuilder header, String name, String value) {
        header.append("`define ").append(name).append(' ').append(value).append('\n');
    }
}
