package dev.outboard.dpa.cc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.flexio.FlexioException;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.flexio.HostProcess;
import dev.outboard.dpa.machine.DpaThread;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpacc.DpaApp;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// The table of the environment calls, which programs in C and the machine both have.
class CallNumbersTest {
    private static final Pattern NUMBER = Pattern.compile("OUTBOARD_(\\w+) = 0x([0-9A-F]+)");

    @Test
    @Requirement("DPA-RV-2")
    void bothSidesHaveTheSameNumbers() throws IOException, IllegalAccessException {
        Map<String, Integer> header = new HashMap<>();
        Matcher found = NUMBER.matcher(header());
        while (found.find()) {
            header.put(found.group(1), Integer.parseInt(found.group(2), 16));
        }
        Map<String, Integer> own = new HashMap<>();
        for (Field field : CallNumbers.class.getDeclaredFields()) {
            if (field.getType() == int.class && !field.getName().equals("FIRST_OF_DOCA")) {
                own.put(field.getName(), field.getInt(null));
            }
        }
        assertThat(own).isEqualTo(header).hasSizeGreaterThan(60);
        assertThat(own.values()).doesNotHaveDuplicates();
    }

    private static String header() throws IOException {
        try (var in = DeviceCompiler.class.getResourceAsStream("include/outboard_ecall.h")) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    @Requirement("DPA-RV-2")
    void anUnknownNumberFaults() {
        DpaApp<DpaThread> app = Clang.app("runtime");
        for (long number : new long[] {0, 0x08, 0x10A, 0x7777, 0x1_0000_0001L, -1}) {
            try (HostProcess host = HostProcess.open();
                    FlexioProcess process =
                            FlexioProcess.create(
                                    host,
                                    DpaDevice.of(MachineOptions.DEFAULT, RunMode.fast()),
                                    app)) {
                assertThatThrownBy(() -> Clang.call(process, app, "calls", number))
                        .isInstanceOf(FlexioException.class)
                        .hasMessageContaining("code 13")
                        .hasMessageContaining("number " + number);
            }
        }
    }
}
