package dev.outboard.ccip.rtl;

import dev.outboard.ccip.rtl.RtlException.Reason;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// What a build takes from the JSON file that describes an AFU: its accelerators, the clock of its
/// port, and the frequencies of the user clocks. Reads the members it knows wherever they stand,
/// and passes over all others.
///
/// @param accelerators the entries of `accelerator-clusters`
/// @param portClock the clock that the AFU wants its CCI-P port on, `pClk` unless it says otherwise
/// @param userClockMegahertz `clock-frequency-high`, if it is a number
/// @param userClockDiv2Megahertz `clock-frequency-low`, if it is a number
record AfuJson(
        List<Accelerator> accelerators,
        String portClock,
        Optional<Double> userClockMegahertz,
        Optional<Double> userClockDiv2Megahertz) {
    static final String P_CLK = "pClk";

    private static final List<String> CLOCKS =
            List.of(P_CLK, "pClkDiv2", "pClkDiv4", "uClk_usr", "uClk_usrDiv2");
    private static final Pattern UUID_FORM =
            Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");
    private static final Pattern MEGAHERTZ = Pattern.compile("\\d+(\\.\\d+)?");

    /// One accelerator of an AFU.
    ///
    /// @param name for people
    /// @param id the AFU_ID that software looks for
    record Accelerator(String name, UUID id) {}

    AfuJson {
        accelerators = List.copyOf(accelerators);
    }

    static AfuJson read(Path file) {
        try {
            return parse(new String(Files.readAllBytes(file), StandardCharsets.UTF_8), file);
        } catch (IOException e) {
            throw new RtlException(Reason.INPUT, file + " cannot be read: " + e.getMessage(), e);
        }
    }

    private static AfuJson parse(String text, Path file) {
        List<Map<?, ?>> objects = new ArrayList<>();
        collect(Json.parse(text, file), objects::add);
        List<Accelerator> accelerators =
                objects.stream()
                        .filter(object -> object.containsKey("accelerator-type-uuid"))
                        .map(object -> accelerator(object, file))
                        .toList();
        if (accelerators.isEmpty()) {
            throw new RtlException(
                    Reason.INPUT,
                    file
                            + ": no \"accelerator-type-uuid\" under \"accelerator-clusters\" of"
                            + " \"afu-image\"; it holds the AFU_ID");
        }
        return new AfuJson(
                accelerators,
                portClock(objects, file),
                megahertz(objects, "clock-frequency-high"),
                megahertz(objects, "clock-frequency-low"));
    }

    /// All objects in a value, the outer before the inner.
    private static void collect(@Nullable Object value, Consumer<Map<?, ?>> found) {
        if (value instanceof Map<?, ?> object) {
            found.accept(object);
            object.values().forEach(member -> collect(member, found));
        } else if (value instanceof List<?> list) {
            list.forEach(element -> collect(element, found));
        }
    }

    private static Accelerator accelerator(Map<?, ?> cluster, Path file) {
        String id = String.valueOf(cluster.get("accelerator-type-uuid"));
        if (!UUID_FORM.matcher(id).matches()) {
            throw new RtlException(
                    Reason.INPUT,
                    file
                            + ": accelerator-type-uuid \""
                            + id
                            + "\" is no UUID; one looks like ba8a831a-d396-441a-82b7-32ace4715fde");
        }
        return new Accelerator(
                cluster.get("name") instanceof String name ? name : "afu", UUID.fromString(id));
    }

    /// The parameter `clock` of the port whose class is `cci-p`.
    private static String portClock(List<Map<?, ?>> objects, Path file) {
        for (Map<?, ?> port : objects) {
            if ("cci-p".equals(port.get("class"))
                    && port.get("params") instanceof Map<?, ?> parameters
                    && parameters.get("clock") != null
                    && !"default".equals(parameters.get("clock"))) {
                String clock = String.valueOf(parameters.get("clock"));
                if (!CLOCKS.contains(clock)) {
                    throw new RtlException(
                            Reason.INPUT,
                            "%s: the \"clock\" of the CCI-P port is \"%s\"; valid: \"default\" or one of %s"
                                    .formatted(file, clock, String.join(", ", CLOCKS)));
                }
                return clock;
            }
        }
        return P_CLK;
    }

    /// "auto" and "auto-300" leave the choice to the platform, like no member at all.
    private static Optional<Double> megahertz(List<Map<?, ?>> objects, String member) {
        for (Map<?, ?> object : objects) {
            Matcher number = MEGAHERTZ.matcher(String.valueOf(object.get(member)));
            if (number.matches()) {
                return Optional.of(Double.valueOf(number.group()));
            }
        }
        return Optional.empty();
    }

    /// What `afu_json_info.vh` holds: name and UUID, without a number for the first accelerator.
    ///
    /// CCIP-RTL-5: afu_json_info.vh, from the AFU's JSON file.
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
