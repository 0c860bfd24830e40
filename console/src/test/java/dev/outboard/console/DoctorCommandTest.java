package dev.outboard.console;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class DoctorCommandTest {
    @Test
    void endsWellWhereRoceWorks() {
        Execution run = Execution.ofOutboard("doctor", "--bind", "127.83.7.9");

        assertThat(run.exitCode()).as(run.toString()).isZero();
        assertThat(run.out().lines())
                .anyMatch(line -> line.matches("ok +UDP port 4791 +free on 127.83.7.9"))
                .anyMatch(line -> line.matches("ok +IPv4 headers +DF is set and ID is 0.*"));
    }

    @Test
    void saysWhichProcessHasThePortAndWhatToDo() {
        try (OutboardProcess node = OutboardProcess.node()) {
            Execution run = Execution.ofOutboard("doctor", "--bind", node.host());

            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.out().lines())
                    .anyMatch(line ->
                            line.matches(
                                    "fail +UDP port 4791 +held by process "
                                            + node.handle().pid()
                                            + " \\(.*"))
                    .anyMatch(line -> line.matches(" +→ end it, or take another loopback.*"));
        }
    }

    @Test
    void asksThePeer() {
        try (OutboardProcess node = OutboardProcess.node()) {
            Execution run = Execution.ofOutboard("doctor", "--peer", node.host());

            assertThat(run.exitCode()).as(run.toString()).isZero();
            assertThat(run.out().lines())
                    .anyMatch(line ->
                            line.matches(
                                    "ok +peer +" + node.host() + " speaks RoCE, it answered.*"));
        }
    }

    @Test
    void failsForAnAddressOfAnotherMachine() {
        Execution run = Execution.ofOutboard("doctor", "--bind", "203.0.113.7");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).contains("203.0.113.7 is not an address of this machine");
        assertThat(run.err()).isEmpty();
    }

    @Test
    void printsJsonForPrograms() {
        Execution run = Execution.ofOutboard("doctor", "--bind", "203.0.113.7", "--json");

        JsonNode last = JsonMapper.builder().build().readTree(run.out()).get(3);
        assertThat(last.get("verdict").asString()).isEqualTo("FAIL");
        assertThat(last.get("subject").asString()).isEqualTo("address");
    }

    @Test
    void takesIpv6Addresses() {
        Execution run = Execution.ofOutboard("doctor", "--bind", "2001:db8::1");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).contains("2001:db8:0:0:0:0:0:1 is not an address of this machine");
    }
}
