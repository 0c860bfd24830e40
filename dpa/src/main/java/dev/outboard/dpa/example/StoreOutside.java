package dev.outboard.dpa.example;

import static dev.outboard.dpa.example.StoreLayout.hostSlot;
import static dev.outboard.dpa.example.StoreLayout.slot;

import dev.outboard.dpa.machine.AddressMap;
import dev.outboard.dpa.machine.Doorbell;
import dev.outboard.dpa.machine.Host;
import dev.outboard.dpa.machine.Nic;
import dev.outboard.dpa.machine.ThreadHandle;

/// The NIC and the host around the store.
final class StoreOutside {
    /// Requests over the network, and of the host itself; half of each are puts.
    static final int NET = 22;

    static final int LOCAL = 14;

    /// The request over the network before which the configuration changes.
    private static final int CHANGE = 10;

    private static final int FAILS_EVERY = 5;
    private static final long MASK = 0xFFFF;

    private StoreOutside() {}

    /// Receives: copies requests into posted buffers, writes completions, wakes the handler.
    record Receiver(StoreLayout layout, ThreadHandle front) implements Nic.Program {
        @Override
        public void run(Nic nic) {
            long received = 0;
            long consumed = 0;
            boolean armed = true;
            while (true) {
                if (nic.pollDoorbell(AddressMap.ARM_DOORBELL, StoreLayout.RECEIVE_COMPLETIONS)
                        .isPresent()) {
                    consumed = nic.load64(layout.receiveIndex);
                    armed = true;
                }
                long request = hostSlot(layout.netRequests, received);
                if (nic.load64(request) == received + 1
                        && nic.load64(layout.receiveRecord) > received) {
                    receive(nic, request, received);
                    received++;
                }
                nic.observer()
                        .waiting(StoreLayout.RECEIVE_COMPLETIONS, (int) (received - consumed));
                if (armed && received > consumed) {
                    armed = false;
                    nic.observer().fire(StoreLayout.RECEIVE_COMPLETIONS);
                    nic.activate(front);
                }
                nic.pause();
            }
        }

        private void receive(Nic nic, long request, long received) {
            long buffer = nic.load64(slot(layout.receiveEntries, received));
            for (int i = 0; i < 4; i++) {
                nic.store64(buffer + 8L * i, nic.load64(request + 8 + 8L * i));
            }
            nic.order();
            long completion = slot(layout.receiveCompletions, received);
            nic.store64(completion + 8, buffer);
            nic.order();
            nic.store64(completion, received + 1);
            nic.order();
        }
    }

    /// Sends: reads entry and response, delivers it, and fails now and then.
    record Transmitter(StoreLayout layout, ThreadHandle sender) implements Nic.Program {
        @Override
        public void run(Nic nic) {
            long sent = 0;
            long delivered = 0;
            while (true) {
                Doorbell rung = nic.awaitDoorbell(AddressMap.SEND_DOORBELL, StoreLayout.SEND_QUEUE);
                while ((short) sent != (short) rung.index()) {
                    long entry = slot(layout.sendEntries, sent);
                    long token = -sent - 1;
                    nic.observer().posted(sender.actor(), token, entry, 16, false, 0);
                    boolean fails = sent % FAILS_EVERY == FAILS_EVERY - 1;
                    long response = nic.load64(entry);
                    nic.load64(entry + 8);
                    if (!fails) {
                        deliver(nic, response, delivered++);
                    }
                    nic.observer().completed(nic.actor(), token);
                    complete(nic, slot(layout.sendCompletions, sent), ++sent, fails);
                }
            }
        }

        private void deliver(Nic nic, long response, long delivered) {
            long to = hostSlot(layout.netResponses, delivered);
            nic.store64(to + 8, nic.load64(response));
            nic.store64(to + 16, nic.load64(response + 8));
            nic.order();
            nic.store64(to, delivered + 1);
            nic.order();
        }

        private static void complete(Nic nic, long completion, long owner, boolean fails) {
            nic.store64(completion + 8, fails ? 13 : 0);
            nic.order();
            nic.store64(completion, fails ? owner | StoreLayout.FAILED : owner);
            if (fails) {
                nic.observer().failed(nic.actor(), completion, 8);
            }
            nic.order();
        }
    }

    /// The clients in the network, as one thread of the host that speaks through the NIC. It
    /// changes the configuration on the way, and at the end stops the store.
    record NetClients(StoreLayout layout) implements Host.Program {
        @Override
        public void run(Host host) {
            host.store64(layout.config, MASK);
            for (int i = 0; i < NET; i += 2) {
                if (i == CHANGE) {
                    host.store64(layout.config, MASK | 0xFF_0000);
                }
                request(host, i, StoreLayout.PUT, i / 2, 100 + i);
                request(host, i + 1, StoreLayout.GET, i / 2, 0);
                for (int n = i; n < i + 2; n++) {
                    long response = hostSlot(layout.netResponses, n);
                    while (host.load64(response) != n + 1) {
                        host.pause();
                    }
                    check("response to " + host.load64(response + 8), 100 + i, host, response + 16);
                }
            }
            while (host.load64(layout.localDone) == 0) {
                host.pause();
            }
            request(host, NET, StoreLayout.STOP, 0, 0);
        }

        private void request(Host host, int n, long operation, long key, long value) {
            long request = hostSlot(layout.netRequests, n);
            host.store64(request + 8, operation);
            host.store64(request + 16, key);
            host.store64(request + 24, value);
            host.store64(request + 32, n);
            host.store64(request, n + 1);
        }
    }

    /// The host's own requests, as many at a time as the ring holds.
    record LocalClient(StoreLayout layout) implements Host.Program {
        @Override
        public void run(Host host) {
            for (int n = 0; n < LOCAL + StoreLayout.HOST_RING; n++) {
                if (n >= StoreLayout.HOST_RING) {
                    await(host, n - StoreLayout.HOST_RING);
                }
                if (n < LOCAL) {
                    boolean put = n % 2 == 0;
                    long operation = put ? StoreLayout.PUT : StoreLayout.GET;
                    request(host, n, operation, 50 + n / 2, put ? 200 + n : 0);
                }
            }
            request(host, LOCAL, StoreLayout.STOP, 0, 0);
            read(host);
            host.store64(layout.localDone, 1);
        }

        private void await(Host host, int n) {
            long response = hostSlot(layout.localResponses, n);
            while (host.load64(response) != n + 1) {
                host.pause();
            }
            check("local response " + n, 200 + n / 2 * 2, host, response + 8);
            if ((n + 1) % StoreLayout.HOST_RING == 0) {
                host.awaitDoorbell(AddressMap.MSIX_DOORBELL, StoreLayout.INTERRUPT);
                if (host.load64(layout.summary) < n + 1) {
                    throw new AssertionError("The summary of %d is old".formatted(n));
                }
            }
        }

        private void request(Host host, int n, long operation, long key, long value) {
            long request = hostSlot(layout.localRequests, n);
            host.store64(request + 8, operation);
            host.store64(request + 16, key);
            host.store64(request + 24, value);
            host.store64(request, n + 1);
        }

        /// Reads the log and the statistics of all puts.
        private void read(Host host) {
            int puts = (NET + LOCAL) / 2;
            while (host.load64(layout.logIndex) != puts) {
                host.pause();
            }
            long sum = 0;
            long snapshots = puts / 4;
            for (int i = 0; i < puts; i++) {
                long value = host.load64(StoreLayout.mail(layout.log, i) + 8);
                sum += i < snapshots * 4 ? value : 0;
            }
            while (host.load64(layout.statsFlag) != snapshots) {
                host.pause();
            }
            byte[] stats = host.copyFrom(layout.stats, 16);
            if (stats[0] != snapshots * 4 || (stats[8] & 0xFF) != (sum & 0xFF)) {
                throw new AssertionError("The statistics are not those of the log");
            }
        }
    }

    private static void check(String what, long expected, Host host, long address) {
        long found = host.load64(address);
        if (found != expected) {
            throw new AssertionError("%s is %d, not %d".formatted(what, found, expected));
        }
    }
}
