package io.sluice.gateway.broker.provider.discard;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.sluice.gateway.broker.DiscardRisk;
import io.sluice.gateway.protocol.TopicPattern;
import io.sluice.gateway.protocol.value.JsonReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.activemq.artemis.api.core.ActiveMQException;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.api.core.client.ClientMessage;
import org.apache.activemq.artemis.api.core.client.ClientRequestor;
import org.apache.activemq.artemis.api.core.client.ClientSession;
import org.apache.activemq.artemis.api.core.client.ClientSession.QueueQuery;
import org.apache.activemq.artemis.api.core.management.ManagementHelper;
import org.apache.activemq.artemis.api.core.management.ResourceNames;

/**
 * Query of the settings of an Artemis broker that may discard messages. It sends management
 * messages, for which the node's user needs the permission {@code manage}. Bound to the thread that
 * owns the session; waits for the broker.
 */
public final class ArtemisSettings {
  private static final String MANAGEMENT = "activemq.management";
  private static final long TIMEOUT_MS = 10_000;

  /** Maximum number of addresses per examination; each costs a request. */
  private static final int MAX_ADDRESSES = 256;

  private static final String UNTOLD = "messages are missing without a gap";

  private final ClientSession session;
  private final List<DiscardRisk> risks = new ArrayList<>();

  private ArtemisSettings(ClientSession session) {
    this.session = session;
  }

  /**
   * Returns the risks of the node's topics.
   *
   * @param topics topics and patterns of the node, in Sluice's syntax
   * @param queues queues of the node's durable subscriptions
   * @throws Exception any failure of the request, also a refusal by the broker
   */
  public static List<DiscardRisk> examine(
      ClientSession session, Collection<String> topics, Collection<SimpleString> queues)
      throws Exception {
    ArtemisSettings examination = new ArtemisSettings(session);
    session.start();
    for (SimpleString queue : queues) {
      examination.examineQueue(queue);
    }
    ClientRequestor requestor = new ClientRequestor(session, MANAGEMENT);
    try {
      Set<String> addresses = examination.addresses(requestor, topics);
      for (String address : addresses.stream().limit(MAX_ADDRESSES).toList()) {
        examination.examineAddress(
            address, strings(examination.invoke(requestor, "getAddressSettingsAsJSON", address)));
      }
      examination.examineCluster(
          String.valueOf(examination.invoke(requestor, "listNetworkTopology")));
    } finally {
      requestor.close(); // the broker would delete its queue only with the connection
    }
    return examination.risks;
  }

  // The settings of a pattern are those of its queue; a message also passes its concrete address.
  private Set<String> addresses(ClientRequestor requestor, Collection<String> topics)
      throws Exception {
    Set<String> addresses = new LinkedHashSet<>();
    for (String topic : topics) {
      addresses.add(topic.endsWith(">") ? topic.substring(0, topic.length() - 1) + "#" : topic);
    }
    List<String> patterns = topics.stream().filter(TopicPattern::isPattern).toList();
    if (!patterns.isEmpty()) {
      ClientMessage request = session.createMessage(false);
      ManagementHelper.putAttribute(request, ResourceNames.BROKER, "addressNames");
      if (answer(requestor, request) instanceof Object[] names) {
        for (Object name : names) {
          String address = String.valueOf(name);
          if (TopicPattern.anyCovers(patterns, address)) {
            addresses.add(address);
          }
        }
      }
    }
    return addresses;
  }

  private Object invoke(ClientRequestor requestor, String operation, Object... parameters)
      throws Exception {
    ClientMessage request = session.createMessage(false);
    ManagementHelper.putOperationInvocation(request, ResourceNames.BROKER, operation, parameters);
    return answer(requestor, request);
  }

  private static Object answer(ClientRequestor requestor, ClientMessage request) throws Exception {
    ClientMessage answer = requestor.request(request, TIMEOUT_MS);
    if (answer == null) {
      throw new IOException("the broker has not answered a management message");
    }
    Object result = ManagementHelper.getResult(answer);
    if (!ManagementHelper.hasOperationSucceeded(answer)) {
      throw new IOException(String.valueOf(result));
    }
    return result;
  }

  // The node sets what a new queue may set itself. A queue that others have created may differ.
  private void examineQueue(SimpleString queue) throws ActiveMQException {
    QueueQuery found = session.queueQuery(queue);
    if (found.isExists() && found.getRingSize() != null && found.getRingSize() >= 0) {
      add(queue.toString(), "ring-size", String.valueOf(found.getRingSize()), UNTOLD);
    }
    if (found.isExists() && Boolean.TRUE.equals(found.isLastValue())) {
      add(queue.toString(), "last-value", "true", UNTOLD);
    }
  }

  private void examineAddress(String address, Map<String, String> settings) {
    addIfDropped(address, settings, "addressFullMessagePolicy", "address-full-policy");
    addIfDropped(address, settings, "pageFullMessagePolicy", "page-full-policy");
    addIfSet(address, settings, "expiryDelay", "expiry-delay");
    addIfSet(address, settings, "maxExpiryDelay", "max-expiry-delay");
    String threshold = settings.getOrDefault("slowConsumerThreshold", "-1");
    if ("KILL".equals(settings.get("slowConsumerPolicy")) && !threshold.startsWith("-")) {
      add(
          address,
          "slow-consumer-policy",
          "KILL",
          "a slow node loses its connection, and all its clients receive a gap");
    }
  }

  private void addIfDropped(
      String address, Map<String, String> settings, String key, String setting) {
    if ("DROP".equals(settings.get(key))) {
      add(address, setting, "DROP", UNTOLD);
    }
  }

  private void addIfSet(String address, Map<String, String> settings, String key, String setting) {
    String value = settings.getOrDefault(key, "-1");
    if (!value.startsWith("-")) {
      add(address, setting, value, "expired messages are missing without a gap");
    }
  }

  // One element per broker; a pair of primary and backup is one.
  private void examineCluster(String topology) throws IOException {
    int brokers = 0;
    try (JsonParser parser = JsonReader.parser(topology)) {
      for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
        brokers += token == JsonToken.START_OBJECT ? 1 : 0;
      }
    }
    if (brokers > 1) {
      add(
          "#",
          "cluster-connections",
          brokers + " brokers",
          "messages of other brokers are missing or late while a bridge is down");
    }
  }

  private void add(String address, String setting, String value, String effect) {
    risks.add(new DiscardRisk(address, setting, value, effect));
  }

  /** Returns the members of a JSON object as texts. */
  private static Map<String, String> strings(Object json) throws IOException {
    Map<String, String> members = new HashMap<>();
    try (JsonParser parser = JsonReader.parser(String.valueOf(json))) {
      String name = null;
      for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
        if (token == JsonToken.FIELD_NAME) {
          name = parser.currentName();
        } else if (token.isScalarValue() && name != null) {
          members.put(name, parser.getText());
        }
      }
    }
    return members;
  }
}
