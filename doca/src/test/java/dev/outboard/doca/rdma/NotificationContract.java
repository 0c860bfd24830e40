package dev.outboard.doca.rdma;

import static dev.outboard.doca.Refusals.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.DocaError;
import dev.outboard.doca.Notification;
import dev.outboard.doca.ProgressEngine;
import dev.outboard.doca.sync.Location;
import dev.outboard.doca.sync.SyncEvent;
import dev.outboard.doca.sync.SyncEventCtx;
import dev.outboard.doca.sync.SyncEventRemoteNet;
import dev.outboard.doca.sync.WaitTask;
import dev.outboard.testkit.Eventually;
import dev.outboard.testkit.Requirement;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/// The file descriptor that tells native programs of work, on every provider. Whether it is
/// readable, and so ends `epoll_wait`, is read from the kernel.
abstract class NotificationContract extends RdmaPairContract {
    private static boolean isReadable(int descriptor) {
        Path info = Path.of("/proc/self/fdinfo/" + descriptor);
        try {
            String count =
                    Files.readAllLines(info).stream()
                            .filter(line -> line.startsWith("eventfd-count:"))
                            .findFirst()
                            .orElseThrow(() -> new AssertionError("no eventfd: " + descriptor));
            return Long.parseUnsignedLong(count.substring(count.indexOf(':') + 1).trim(), 16) > 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void progressToTheEnd(ProgressEngine engine) {
        while (engine.progress()) {
            Thread.onSpinWait();
        }
    }

    /// A notification of theirs that is requested, and that nothing has made readable.
    private Notification armed() {
        Notification notification = theirs.engine.notification();
        Eventually.until(() -> {
            progressToTheEnd(theirs.engine);
            notification.clear();
            notification.request();
            return !isReadable(notification.handle());
        });
        return notification;
    }

    @Test
    @Requirement({"DCORE-PE-12a", "DCORE-PE-10"})
    void theHandleBecomesReadableWhileTheProgramSleeps() {
        connect();
        ReceiveTask receive = posted(null);
        Notification notification = armed();
        int handle = notification.handle();

        assertSucceeds(ours, ours.peer.allocSend());

        Eventually.until(() -> isReadable(handle));
        assertThat(theirs.done).as("before it progresses").isEmpty();
        notification.clear();
        assertThat(isReadable(handle)).as("after clear").isFalse();
        progressToTheEnd(theirs.engine);
        assertThat(theirs.done).containsExactly(receive);
    }

    @Test
    @Requirement({"DCORE-PE-11", "DCORE-PE-10"})
    void whatCameBeforeTheRequestMakesItReadableAtOnce() {
        connect();
        posted(null);
        Notification notification = armed();
        assertSucceeds(ours, ours.peer.allocSend());
        int handle = notification.handle();
        Eventually.until(() -> isReadable(handle));
        notification.clear();
        assertThat(isReadable(handle)).isFalse();
        notification.request();
        assertThat(isReadable(handle)).as("with a completion that nobody took").isTrue();
    }

    @Test
    @Requirement("DCORE-PE-12a")
    void itIsTheSameForTheLifeOfItsEngine() {
        RdmaEnd third = new RdmaEnd(device());
        Notification notification;
        int handle;
        try (third) {
            notification = third.engine.notification();
            handle = notification.handle();
            third.rdma.start();
            assertThat(third.engine.notification()).isSameAs(notification);
            assertThat(notification.handle()).isEqualTo(handle);
        }
        assertRefused(DocaError.BAD_STATE, notification::handle, "closed");
        assertRefused(DocaError.BAD_STATE, notification::request, "closed");
        assertRefused(DocaError.BAD_STATE, notification::clear, "closed");
    }

    @Test
    @Requirement("DCORE-PE-12a")
    void anEngineWithoutContextHasNone() {
        try (ProgressEngine engine = ProgressEngine.create()) {
            assertRefused(DocaError.BAD_STATE, engine::notification, "attach one first");
        }
    }

    @Test
    void wakingMakesItReadable() {
        connect();
        Notification notification = armed();
        theirs.engine.wake();
        assertThat(isReadable(notification.handle())).isTrue();
    }

    @Test
    @Requirement("DCORE-PE-12a")
    void aSyncEventThatAPeerChangesMakesItReadable() {
        connect();
        try (SyncEvent event =
                new SyncEvent(theirs.dev).publisher(Location.REMOTE_NET).subscriber(Location.CPU)) {
            SyncEventCtx ctx = event.asCtx();
            ctx.waitEq(1).attach(theirs.engine);
            ctx.start();
            WaitTask wait = ctx.allocWaitEq(7, -1);
            wait.submitOrThrow();
            SyncEventRemoteNet known =
                    SyncEventRemoteNet.fromExport(ours.dev, event.exportToRemoteNet());
            Notification notification = armed();
            ours.mmap.segment().set(ValueLayout.JAVA_LONG, 64, 7);
            assertSucceeds(ours, ours.peer.allocSyncEventNotifySet(known, ours.dataAt(64, 8)));
            while (wait.isInFlight()) {
                Eventually.until(() -> isReadable(notification.handle()));
                notification.clear();
                progressToTheEnd(theirs.engine);
                notification.request();
            }
            assertThat(wait.status()).isEqualTo(DocaError.SUCCESS);
            wait.free();
        }
    }
}
