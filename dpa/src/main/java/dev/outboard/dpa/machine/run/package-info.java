/// What runs of all modes have in common.
package dev.outboard.dpa.machine.run;
