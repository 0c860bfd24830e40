/// FlexIO: how a host makes processes on a DPA, gives them memory, queues and handlers, and calls
/// them (section 5 of the catalog).
package dev.outboard.dpa.flexio;
