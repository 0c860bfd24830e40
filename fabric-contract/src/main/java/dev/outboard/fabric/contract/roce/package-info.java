/// What tests stand on that speak RoCEv2 on the loopback interface.
@NullMarked
package dev.outboard.fabric.contract.roce;

import org.jspecify.annotations.NullMarked;
