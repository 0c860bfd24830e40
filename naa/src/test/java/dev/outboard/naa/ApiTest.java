package dev.outboard.naa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.testkit.Repository;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What the catalog says about the API as a whole and its documentation.
class ApiTest {
    @ParameterizedTest
    @CsvSource({
        "naaice_init_communication_context, NaaClientBuilder.build",
        "naaice_poll_connection_event, NaaClient.pollConnectionEvent",
        "naaice_handle_addr_resolved, NaaClient.handle",
        "naaice_handle_route_resolved, NaaClient.handle",
        "naaice_handle_connection_established, NaaClient.handle",
        "naaice_handle_error, NaaClient.handle",
        "naaice_handle_other, NaaClient.handle",
        "naaice_poll_and_handle_connection_event, NaaClient.pollAndHandleConnectionEvent",
        "naaice_setup_connection, NaaClient.connect",
        "naaice_init_rdma_resources, NaaClient.handle",
        "naaice_register_mrs, NaaClient.registerRegions",
        "naaice_set_metadata, NaaClient.setReturnRegion",
        "naaice_set_internal_mrs, NaaClient.setInternalRegions",
        "naaice_init_mrsp, NaaClient.startMrsp",
        "naaice_send_message, NaaClient.sendMessage",
        "naaice_post_recv_mrsp, NaaClient.postMrspReceive",
        "naaice_do_mrsp, NaaClient.runMrsp",
        "naaice_init_data_transfer, NaaClient.startRpc",
        "naaice_write_data, NaaClient.writeInputs",
        "naaice_post_recv_data, NaaClient.postDataReceive",
        "naaice_do_data_transfer, NaaClient.invoke",
        "naaice_handle_work_completion, NaaClient.handle",
        "naaice_poll_cq_nonblocking, NaaClient.pollCompletions",
        "naaice_poll_cq_blocking, NaaClient.awaitCompletions",
        "naaice_disconnect_and_cleanup, NaaClient.close",
        "naaice_swnaa_init_communication_context, NaaListener.bind",
        "naaice_swnaa_handle_connection_requests, NaaListener.handle",
        "naaice_swnaa_handle_connection_established, NaaListener.handle",
        "naaice_swnaa_poll_and_handle_connection_event, NaaListener.pollAndHandleConnectionEvent",
        "naaice_swnaa_setup_connection, NaaListener.accept",
        "naaice_swnaa_init_mrsp, NaaServerContext.startMrsp",
        "naaice_swnaa_post_recv_mrsp, NaaServerContext.postMrspReceive",
        "naaice_swnaa_handle_mr_announce, NaaServerContext.handle",
        "naaice_swnaa_handle_mr_announce_and_request, NaaServerContext.handle",
        "naaice_swnaa_send_message, NaaServerContext.sendMessage",
        "naaice_swnaa_do_mrsp, NaaServerContext.runMrsp",
        "naaice_swnaa_post_recv_data, NaaServerContext.postDataReceive",
        "naaice_swnaa_handle_metadata, NaaServerContext.returnRegion",
        "naaice_swnaa_receive_data_transfer, NaaServerContext.receive",
        "naaice_swnaa_write_data, NaaServerContext.writeResult",
        "naaice_swnaa_write_data_transfer, NaaServerContext.reply",
        "naaice_swnaa_handle_work_completion, NaaServerContext.handle",
        "naaice_swnaa_poll_cq_nonblocking, NaaServerContext.pollCompletions",
        "naaice_swnaa_disconnect_and_cleanup, NaaServerContext.close"
    })
    @Requirement("NAA-API-1")
    void everyFunctionOfTheReferenceHasACounterpart(String function, String counterpart)
            throws ReflectiveOperationException, IOException {
        String[] names = counterpart.split("\\.");
        Class<?> type = Class.forName("dev.outboard.naa." + names[0]);
        assertThat(Modifier.isPublic(type.getModifiers())).isTrue();
        assertThat(Arrays.stream(type.getMethods()).map(m -> m.getName())).contains(names[1]);
        assertThat(page()).contains("`" + function + "`");
    }

    @Test
    @Requirement({"NAA-LIM-2", "NAA-ROB-4"})
    void thePageWarnsOfWhatUsersMustKnow() throws IOException {
        assertThat(page())
                .contains("at most 31 regions")
                .contains("neither authentication nor encryption");
    }

    @Test
    @Requirement("NAA-TIME-3")
    void timeIsMeasuredWithTheMonotonicClockOnly() throws IOException {
        Path sources = Repository.root().resolve("naa/src/main/java");
        try (Stream<Path> files = Files.walk(sources)) {
            List<Path> java = files.filter(f -> f.toString().endsWith(".java")).toList();
            assertThat(java).isNotEmpty();
            for (Path file : java) {
                assertThat(Files.readString(file))
                        .as("%s", file)
                        .doesNotContain("currentTimeMillis", "Instant.now", "java.util.Date");
            }
        }
    }

    private static String page() throws IOException {
        return Files.readString(Repository.root().resolve("docs/protocol/naaice.md"));
    }
}
