/**
 * Client of the Sluice WebSocket gateway for the JVM and Android. {@link
 * io.sluice.client.SluiceClient} is the entry.
 */
package io.sluice.client;
