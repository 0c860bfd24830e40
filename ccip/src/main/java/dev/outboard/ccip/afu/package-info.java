/// What an accelerator function in Java is, and what most of them need.
///
/// [Afu][dev.outboard.ccip.afu.Afu] is the whole of it: one method, called at each rising edge of
/// pClk, that sees the wires before the edge and drives those after it. The rest saves writing the
/// same thing again: [CsrSpace][dev.outboard.ccip.afu.CsrSpace] has the registers and answers MMIO,
/// [BurstReader][dev.outboard.ccip.afu.BurstReader] and
/// [BurstWriter][dev.outboard.ccip.afu.BurstWriter] move lines. This is an AFU that clears memory:
///
/// ```java
/// final class Clear implements Afu {
///     private final CsrSpace csrs = new CsrSpace(AFU_ID).readWrite(ADDRESS).readWrite(LINES);
///     private final BurstWriter writer = new BurstWriter(0);
///
///     public void clock(Rx rx, Tx tx) {
///         csrs.clock(rx, tx);
///         if (rx.softReset) {
///             writer.reset();
///             return;
///         }
///         writer.accept(rx);
///         if (csrs.written(LINES) && writer.done()) {
///             writer.start(csrs.get(ADDRESS), csrs.get(LINES));
///         }
///         if (writer.ready(rx)) {
///             Arrays.fill(tx.c1.data, 0);
///             writer.write(tx);
///         }
///     }
/// }
/// ```
package dev.outboard.ccip.afu;
