/** Trained dictionaries of compressed frames, and the streams that use them. For any thread. */
package io.sluice.gateway.protocol.dictionary;
