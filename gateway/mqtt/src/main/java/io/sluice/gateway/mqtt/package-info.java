/**
 * MQTT 3.1.1 and 5: a translator between the packets of a client and the frames of its session. It
 * has no separate path to the broker, and can be deleted with its page.
 */
package io.sluice.gateway.mqtt;
