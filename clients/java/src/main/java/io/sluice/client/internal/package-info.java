/** Frames, positions and close codes of the protocol. Not part of the API: it may change. */
package io.sluice.client.internal;
