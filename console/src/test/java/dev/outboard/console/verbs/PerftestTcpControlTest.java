package dev.outboard.console.verbs;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outboard.terminal.CommandException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// How the two sides of a perftest part.
class PerftestTcpControlTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private ServerSocket listener;
    private PerftestTcpControl control;
    private Socket peer;

    @BeforeEach
    void connect() throws IOException {
        listener =
                ExchangeSocket.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        InetSocketAddress address =
                new InetSocketAddress(listener.getInetAddress(), listener.getLocalPort());
        control = new PerftestTcpControl(ExchangeSocket.connect(address, LIMIT), true);
        peer = listener.accept();
    }

    @AfterEach
    void close() throws IOException {
        peer.close();
        control.close();
        listener.close();
    }

    @Test
    void finishesWhenThePeerIsDone() throws IOException {
        peer.getOutputStream().write("done\0".getBytes(StandardCharsets.US_ASCII));

        assertThatCode(control::finish).doesNotThrowAnyException();
    }

    /// With a linger time of zero, closing resets.
    @Test
    void finishesWhenAResetOvertakesTheLastWord() throws IOException {
        peer.setSoLinger(true, 0);
        Thread.ofVirtual().start(this::readDoneAndClose);

        assertThatCode(control::finish).doesNotThrowAnyException();
    }

    @Test
    void noticesThatThePeerEndedBeforeItWasDone() throws IOException {
        peer.shutdownOutput();

        assertThatThrownBy(control::finish)
                .isInstanceOf(CommandException.class)
                .hasMessage("the peer has ended the TCP connection");
    }

    private void readDoneAndClose() {
        try {
            peer.getInputStream().readNBytes("done\0".length());
            peer.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
