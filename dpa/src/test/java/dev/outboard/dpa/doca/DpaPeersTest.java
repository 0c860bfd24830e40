package dev.outboard.dpa.doca;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outboard.doca.AccessFlag;
import dev.outboard.doca.DocaDev;
import dev.outboard.doca.Mmap;
import dev.outboard.doca.RemoteMmap;
import dev.outboard.dpa.flexio.DpaDevice;
import dev.outboard.dpa.flexio.FlexioCq;
import dev.outboard.dpa.flexio.FlexioProcess;
import dev.outboard.dpa.flexio.FlexioQp;
import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.UnitGrid;
import dev.outboard.dpacc.DpaAddr;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.fabric.SendRequest;
import dev.outboard.fabric.contract.VerbsEnd;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Peers anywhere on the fabric that reach DPA memory by the export of an mmap.
class DpaPeersTest {
    private static final String ROCE = "roce://auto?peer=127.0.0.1";
    private static final String SIM = "sim://doca-dpa-peers/auto?clock=real";

    @ParameterizedTest
    @ValueSource(strings = {ROCE, SIM})
    void anExportOfDpaMemoryIsEnoughForAPeer(String uri) {
        MachineOptions options = MachineOptions.DEFAULT.withUnits(UnitGrid.SMALL);
        try (Device card = Fabric.open(uri.replace("auto?clock", "10.7.2.1?clock"));
                Device peerCard = Fabric.open(uri.replace("auto?clock", "10.7.2.2?clock"));
                VerbsEnd peer = new VerbsEnd(peerCard).create();
                DocaDev dev = DocaDev.of(card);
                DocaDev peerDev = DocaDev.of(peerCard);
                DocaDpa dpa =
                        DocaDpa.create(dev, DpaDevice.of(options, RunMode.fast(), card))
                                .app(MovesStub.APP)
                                .start()) {
            DpaAddr block = dpa.memAlloc(128);
            dpa.memset(block, 1, 128);
            FlexioQp pair = pair(dpa.process());
            VerbsEnd.initialize(peer.queuePair()::modify);
            VerbsEnd.readyToReceive(peer.queuePair()::modify, card, pair.number(), 1000);
            VerbsEnd.readyToSend(peer.queuePair()::modify, 2000);
            VerbsEnd.initialize(pair::modify);
            VerbsEnd.readyToReceive(pair::modify, peerCard, peer.queuePair().number(), 2000);
            VerbsEnd.readyToSend(pair::modify, 1000);
            try (Mmap mmap =
                            Mmap.builder()
                                    .device(dev)
                                    .memrange(dpa, block.value() + 8, 64)
                                    .permissions(
                                            AccessFlag.LOCAL_READ_WRITE,
                                            AccessFlag.RDMA_WRITE,
                                            AccessFlag.RDMA_READ)
                                    .build()
                                    .start();
                    RemoteMmap remote = RemoteMmap.fromExport(peerDev, mmap.exportRdma(dev))) {
                assertThat(remote.address()).isEqualTo(block.value() + 8);
                peer.region().segment().set(ValueLayout.JAVA_LONG, 0, 41);
                peer.post(
                        new SendRequest()
                                .id(1)
                                .write(remote.address(), remote.remoteKey())
                                .payload(peer.region(), 0, 8));
                peer.post(
                        new SendRequest()
                                .id(2)
                                .read(remote.address(), remote.remoteKey())
                                .payload(peer.region(), 8, 16));
                assertThat(peer.status()).isEqualTo("1 SUCCESS");
                assertThat(peer.status()).isEqualTo("2 SUCCESS");
                assertThat(peer.region().segment().asSlice(8, 16).toArray(ValueLayout.JAVA_LONG))
                        .containsExactly(41, 0x0101_0101_0101_0101L);
                assertThat(dpa.rpc(MovesStub.wordAt(block.plus(8)))).isEqualTo(41);
                mmap.stop();
                peer.post(
                        new SendRequest()
                                .id(3)
                                .write(remote.address(), remote.remoteKey())
                                .payload(peer.region(), 0, 8));
                assertThat(peer.status()).isEqualTo("3 REMOTE_ACCESS_ERROR");
            }
        }
    }

    private static FlexioQp pair(FlexioProcess process) {
        DpaAddr record = process.heap().zeros(64);
        FlexioCq completions =
                FlexioCq.create(
                        process, FlexioCq.Attributes.of(process.heap().zeros(64 << 2), 2, record));
        return FlexioQp.create(
                process,
                new FlexioQp.Attributes(
                        new FlexioQp.Send(process.heap().zeros(64 << 2), 2, completions),
                        new FlexioQp.Receive(
                                process.heap().zeros(64), 0, process.heap().zeros(64), completions),
                        0));
    }
}
