/// `outboard naa`: serving an accelerator and calling one.
package dev.outboard.console.naa;
