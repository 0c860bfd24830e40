package dev.outboard.ccip.wire;

/// All wires from the FIU to the AFU: `t_if_ccip_Rx` (574 bits) and the three beside it (CCI-P
/// manual 1.3.8, 1.3.11).
///
/// An object of these is what the wires carry between two rising edges of pClk. It belongs to the
/// simulation that clocks them; an AFU reads one when it is clocked and keeps no reference to it.
public final class Rx {
    /// Tx C0 is nearly full: at most [#BEATS_AFTER_ALMOST_FULL] more requests.
    public boolean c0TxAlmFull;

    /// Tx C1 is nearly full: at most [#BEATS_AFTER_ALMOST_FULL] more beats.
    public boolean c1TxAlmFull;

    /// Read responses, MMIO requests, UMsgs.
    public final C0Rx c0 = new C0Rx();

    /// Responses to writes, fences, interrupts.
    public final C1Rx c1 = new C1Rx();

    /// `pck_cp2af_softReset`: the AFU is to reset all its logic.
    public boolean softReset;

    /// `pck_cp2af_pwrState`: the power the AFU is asked to keep to.
    public PowerState powerState = PowerState.AP0;

    /// `pck_cp2af_error`: the FIU has seen a protocol error.
    public boolean error;

    /// What an AFU may still send on a channel after it could see almost-full (CCI-P manual 1.3.6).
    ///
    /// CCIP-FLW-6: what the FIU still takes.
    public static final int BEATS_AFTER_ALMOST_FULL = 8;

    /// Wires that carry zeros.
    public Rx() {}

    /// Carries nothing: all four valid wires are 0.
    public void idle() {
        c0.rspValid = false;
        c0.mmioRdValid = false;
        c0.mmioWrValid = false;
        c1.rspValid = false;
    }
}
