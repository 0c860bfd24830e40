package dev.outboard.node.datapath;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// The table of the environment calls, which handlers in C and the node both have.
class NaaCallsTest {
    private static final Pattern NUMBER = Pattern.compile("NAA_(\\w+) = 0x([0-9A-F]+)");

    @Test
    void bothSidesHaveTheSameNumbers() throws IOException, IllegalAccessException {
        Map<String, Integer> header = new HashMap<>();
        Matcher found = NUMBER.matcher(header());
        while (found.find()) {
            header.put(found.group(1), Integer.parseInt(found.group(2), 16));
        }
        Map<String, Integer> own = new HashMap<>();
        for (Field field : NaaCalls.class.getDeclaredFields()) {
            own.put(field.getName(), field.getInt(null));
        }
        assertThat(own).isEqualTo(header).hasSize(14);
        assertThat(own.values()).doesNotHaveDuplicates();
    }

    private static String header() throws IOException {
        try (var in = NaaCalls.class.getResourceAsStream("/dev/outboard/node/kernels/naa_dev.h")) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
