/// What a provider of the verbs implements.
package dev.outboard.fabric.spi;
