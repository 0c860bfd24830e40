package dev.outboard.dpa.flexio;

import dev.outboard.dpa.machine.MachineOptions;
import dev.outboard.dpa.machine.RunMode;
import dev.outboard.dpa.machine.UnitGrid;
import dev.outboard.fabric.Device;
import dev.outboard.fabric.Fabric;
import dev.outboard.fabric.contract.VerbsEnd;

/// A device with a DPA on one device of the fabric, and a verbs client on another.
final class FabricEnds implements AutoCloseable {
    static final MachineOptions OPTIONS = MachineOptions.DEFAULT.withUnits(UnitGrid.SMALL);

    final Device card;
    final Device peerCard;
    final VerbsEnd peer;
    final DpaDevice device;
    final HostProcess host = HostProcess.open();
    final FlexioProcess process;

    FabricEnds(String uri) {
        card = Fabric.open(uri.replace("auto?clock", "10.7.0.1?clock"));
        peerCard = Fabric.open(uri.replace("auto?clock", "10.7.0.2?clock"));
        peer = new VerbsEnd(peerCard).create();
        device = DpaDevice.of(OPTIONS, RunMode.fast(), card);
        process = FlexioProcess.create(host, device, EchoStub.APP);
    }

    void connect(FlexioQp pair) {
        connect(peer, pair);
    }

    /// The same for another client on that device.
    void connect(VerbsEnd peer, FlexioQp pair) {
        VerbsEnd.initialize(peer.queuePair()::modify);
        VerbsEnd.readyToReceive(peer.queuePair()::modify, card, pair.number(), 1000);
        VerbsEnd.readyToSend(peer.queuePair()::modify, 2000);
        VerbsEnd.initialize(pair::modify);
        VerbsEnd.readyToReceive(pair::modify, peerCard, peer.queuePair().number(), 2000);
        VerbsEnd.readyToSend(pair::modify, 1000);
    }

    @Override
    public void close() {
        host.close();
        peer.close();
        peerCard.close();
        card.close();
    }
}
