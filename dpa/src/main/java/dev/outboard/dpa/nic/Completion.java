package dev.outboard.dpa.nic;

import dev.outboard.dpa.nic.layout.Syndrome;

/// What a completion entry is to say. Each work queue has one, and uses it again and again.
final class Completion {
    final int queueNumber;
    final int userIndex;
    int opcode;
    int workCounter;
    int byteCount;
    int immediate;
    int checksumsOk;
    Syndrome syndrome = Syndrome.SUCCESS;

    Completion(int queueNumber, int userIndex) {
        this.queueNumber = queueNumber;
        this.userIndex = userIndex;
    }

    Completion of(int opcode, int workCounter, int byteCount) {
        this.opcode = opcode;
        this.workCounter = workCounter;
        this.byteCount = byteCount;
        immediate = 0;
        checksumsOk = 0;
        syndrome = Syndrome.SUCCESS;
        return this;
    }

    Completion failed(int opcode, int workCounter, Syndrome syndrome) {
        of(opcode, workCounter, 0);
        this.syndrome = syndrome;
        return this;
    }
}
