package io.sluice.gateway.mqtt;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.protocol.TopicPattern;
import java.util.List;

/**
 * Limits and rules of a node for MQTT. Immutable, for any thread.
 *
 * @param maxPacketBytes maximum bytes of a packet of a client
 * @param retained patterns of the topics with a key, whose snapshots are retained messages
 * @param ports ports without WebSockets
 * @param credit messages of a group that a client may receive before it acknowledges one
 * @param removal property of a message that removes its key; empty if there are no removals
 */
public record MqttOptions(
    int maxPacketBytes, List<Integer> ports, int credit, List<String> retained, String removal) {
  private static final String PORT = ServerSettings.MQTT + ":";

  /** Bytes of a packet in addition to the payload of its message. */
  static final int PACKET_OVERHEAD = 4_096;

  /** Publishes of a client that may wait for the broker. */
  static final int RECEIVE_MAXIMUM = 128;

  /** Topic aliases of a client. */
  static final int TOPIC_ALIASES = 16;

  /** Maximum number of messages with QoS 1 that a client has not acknowledged. */
  static final int MAX_IN_FLIGHT = 256;

  private static final int MAX_CREDIT = 20;

  /** Maximum characters of a client identifier. */
  static final int MAX_CLIENT_ID = 256;

  /** Maximum time for which a node keeps the session of a client that is not connected. */
  static final long MAX_EXPIRY_SECONDS = 3_600;

  /** Returns the options of a configuration. */
  public static MqttOptions of(Config config) {
    long payload = config.get(LimitSettings.MESSAGE_BYTES);
    List<String> retained =
        config.get(HistorySettings.KEY_PROPERTIES).stream()
            .filter(rule -> rule.contains("=")) // the rules of the configuration report others
            .map(rule -> rule.substring(0, rule.indexOf('=')))
            .toList();
    List<Integer> ports =
        config.get(ServerSettings.PROTOCOLS).stream()
            .filter(each -> each.matches(PORT + "\\d{1,5}"))
            .map(each -> Integer.valueOf(each.substring(PORT.length())))
            .distinct()
            .toList();
    return new MqttOptions(
        (int) Math.min(Integer.MAX_VALUE, payload + PACKET_OVERHEAD),
        ports,
        Math.min(MAX_CREDIT, config.get(LimitSettings.CONSUMER_CREDIT)),
        retained,
        config.get(HistorySettings.REMOVAL_PROPERTY));
  }

  /** Returns whether messages of a topic are retained. */
  boolean isRetained(String topic) {
    return TopicPattern.anyCovers(retained, topic);
  }

  /** Returns whether any topic of a pattern may have retained messages. */
  boolean mayBeRetained(String pattern) {
    for (String each : retained) {
      if (TopicPattern.intersection(each, pattern) != null) {
        return true;
      }
    }
    return false;
  }
}
