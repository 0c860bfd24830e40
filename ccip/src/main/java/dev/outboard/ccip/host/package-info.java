/// The host of an accelerator function: the simulation of a port, and a handle of the AFU behind it
/// with the calls of OPAE, Intel's C library for these cards.
///
/// | OPAE C | here |
/// | --- | --- |
/// | `fpgaGetProperties`, `fpgaPropertiesSetGUID`, `fpgaEnumerate`, `fpgaOpen` | [dev.outboard.ccip.host.Fpga#open(Simulation, java.util.UUID)] |
/// | `fpgaPropertiesGetGUID` | [dev.outboard.ccip.host.Fpga#afuId()] |
/// | `fpgaClose` | [dev.outboard.ccip.host.Fpga#close()] |
/// | `fpgaReset` | [dev.outboard.ccip.host.Fpga#reset()] |
/// | `fpgaReconfigureSlot` | [dev.outboard.ccip.host.Fpga#reconfigure(dev.outboard.ccip.afu.Afu)] |
/// | `fpgaMapMMIO`, `fpgaUnmapMMIO` | [dev.outboard.ccip.host.Fpga#mapMmio(MemoryType)]; nothing to unmap |
/// | `fpgaReadMMIO32`, `fpgaReadMMIO64` | [dev.outboard.ccip.host.Fpga#readMmio32(long)], [dev.outboard.ccip.host.Fpga#readMmio64(long)] |
/// | `fpgaWriteMMIO32`, `fpgaWriteMMIO64`, `fpgaWriteMMIO512` | [dev.outboard.ccip.host.Fpga#writeMmio32(long, int)], [dev.outboard.ccip.host.Fpga#writeMmio64(long, long)], [dev.outboard.ccip.host.Fpga#writeMmio512(long, long...)] |
/// | `fpgaPrepareBuffer` | [dev.outboard.ccip.host.Fpga#prepareBuffer(long)] |
/// | `fpgaPrepareBuffer` with `FPGA_BUF_PREALLOCATED` | [dev.outboard.ccip.host.Fpga#prepareBuffer(dev.outboard.ccip.platform.PageSize, java.lang.foreign.MemorySegment...)] |
/// | `fpgaPrepareBuffer` with `FPGA_BUF_READ_ONLY` | [dev.outboard.ccip.host.Buffer#protect(long, long, dev.outboard.ccip.platform.Access)] |
/// | `fpgaGetIOAddress` | [dev.outboard.ccip.host.Buffer#ioAddress()], in lines [dev.outboard.ccip.host.Buffer#lineAddress()] |
/// | `fpgaReleaseBuffer` | [dev.outboard.ccip.host.Fpga#releaseBuffer(Buffer)], [dev.outboard.ccip.host.Buffer#close()] |
/// | `fpgaCreateEventHandle`, `fpgaRegisterEvent` | [dev.outboard.ccip.host.Fpga#registerInterrupt(int)] |
/// | `fpgaGetOSObjectFromEventHandle` and `poll` | [dev.outboard.ccip.host.Fpga#waitForInterrupt(int, long)] |
/// | `fpgaUnregisterEvent`, `fpgaDestroyEventHandle` | [dev.outboard.ccip.host.Fpga#unregisterInterrupt(int)] |
/// | `fpgaGetNumUmsg`, `fpgaGetUmsgPtr` | 8, [dev.outboard.ccip.host.Fpga#umsg(int)] |
/// | `fpgaSetUmsgAttributes` | [dev.outboard.ccip.host.Fpga#umsgHints(int)] |
/// | `fpgaTriggerUmsg` | [dev.outboard.ccip.host.Fpga#triggerUmsg(int, long...)] |
/// | `fpgaReadError`, `fpgaGetErrorInfo` | [dev.outboard.ccip.host.Fpga#errors()], [dev.outboard.ccip.host.Fpga#firstError()] |
/// | `fpgaClearAllErrors` | [dev.outboard.ccip.host.Fpga#clearErrors()] |
/// | `fpga_result`, `fpgaErrStr` | [dev.outboard.ccip.host.FpgaException] |
///
/// A C program waits for its AFU in a loop on a buffer. Here time passes only while somebody lets
/// it: such a loop is [dev.outboard.ccip.host.Fpga#waitUntil], or runs beside a
/// [dev.outboard.ccip.host.Runner].
package dev.outboard.ccip.host;
