package io.sluice.gateway.broker.selector;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import jakarta.jms.DeliveryMode;
import jakarta.jms.InvalidSelectorException;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.Topic;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Comparison of the node's evaluation of random selectors for random messages with that of real
 * brokers.
 */
final class SelectorEvaluationIT {
  private static final int ROUNDS = 12;
  private static final int SELECTORS = 50;
  private static final int MESSAGES = 60;
  private static final String NUMBER = "number";
  private static final String LAST = "last";

  /** Timeout after which the test fails. */
  private static final long RECEIVE_MS = 60_000;

  private static final List<String> TEXTS =
      List.of(
          "",
          "a",
          "ab",
          "A",
          "a_b",
          "a%b",
          "O'Hare",
          "5",
          "true",
          "x\ny",
          ".*",
          "(",
          "\\",
          "\u00e4\ud83d\ude00",
          "ID:1",
          "null");
  private static final List<String> NAMES =
      List.of("i", "l", "s", "b", "f", "d", "t", "u", "flag", "mixed", "none", "JMSPriority");

  /**
   * Whether comparisons of the two types of floating point occur, and arithmetic with other types.
   * At Classic, such a selector fails the send of the message.
   */
  private boolean anyTypes;

  private final long seed = Long.getLong("sluice.seed", System.nanoTime());
  private final Random random = new Random(seed);

  private <T> T of(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }

  private boolean oneIn(int count) {
    return random.nextInt(count) == 0;
  }

  private Message message(Session session, int number) throws JMSException {
    Message message = session.createTextMessage("x");
    message.setIntProperty(NUMBER, number);
    for (String name : List.of("i", "l", "s", "b", "f", "d", "t", "u", "flag", "mixed")) {
      if (!oneIn(4)) {
        message.setObjectProperty(name, value(name));
      }
    }
    if (oneIn(2)) {
      message.setJMSType(of(TEXTS));
    }
    if (oneIn(2)) {
      message.setJMSCorrelationID(of(TEXTS));
    }
    return message;
  }

  private Object value(String name) {
    return switch (name) {
      case "i" -> random.nextInt(7) - 3;
      case "l" -> oneIn(5) ? Long.MAX_VALUE : (long) random.nextInt(7);
      case "s" -> (short) random.nextInt(7);
      case "b" -> (byte) random.nextInt(7);
      case "f" -> anyTypes ? (Object) (random.nextInt(14) / 2f) : random.nextInt(14) / 2d;
      case "d" -> random.nextInt(14) / 2d;
      case "flag" -> random.nextBoolean();
      case "mixed" -> value(of(List.of("i", "d", "t", "flag")));
      default -> of(TEXTS);
    };
  }

  private String condition(int depth) {
    if (depth == 0 || oneIn(3)) {
      return predicate();
    }
    return switch (random.nextInt(4)) {
      case 0 -> "NOT (" + condition(depth - 1) + ")";
      case 1 -> condition(depth - 1) + " AND " + condition(depth - 1);
      case 2 -> condition(depth - 1) + " or " + condition(depth - 1);
      default -> "(" + condition(depth - 1) + ")";
    };
  }

  private String predicate() {
    String not = oneIn(2) ? " NOT" : "";
    return switch (random.nextInt(11)) {
      case 0 -> of(NAMES) + " IS" + not + " NULL";
      case 1 -> of(List.of("t", "u", "mixed", "JMSType")) + not + " IN (" + literals() + ")";
      case 2 -> of(List.of("t", "u", "mixed", "JMSCorrelationID")) + not + " LIKE " + pattern();
      case 3 -> number(2) + not + " BETWEEN " + number(1) + " AND " + number(1);
      case 4 -> of(List.of("flag", "mixed", "none", "flag = TRUE", "flag <> FALSE"));
      case 5 -> of(List.of("t", "u", "mixed")) + of(List.of(" = ", " <> ")) + literal();
      case 6 -> "JMSDeliveryMode" + of(List.of(" = ", " <> ")) + "'NON_PERSISTENT'";
      case 7 -> of(List.of("JMSMessageID IS NOT NULL", "JMSTimestamp > 1000", "JMSPriority = 4"));
      case 8 -> of(NAMES) + of(List.of(" = ", " <> ")) + of(NAMES);
      default -> number(2) + of(List.of(" = ", "<>", "<", "<= ", " >", ">=")) + number(2);
    };
  }

  private String number(int depth) {
    if (depth > 0 && oneIn(2)) {
      return "("
          + number(depth - 1)
          + of(List.of(" + ", " - ", " * ", " / ", " % "))
          + number(depth - 1)
          + ")";
    }
    return switch (random.nextInt(5)) {
      case 0 -> of(List.of("1", "0", "3.5", "1e0", "2.", "0x2", "7L", "- 2", "+1"));
      case 1 -> "-" + of(List.of("i", "d", "l"));
      default -> of(List.of("i", "l", "s", "b", "f", "d", anyTypes ? "mixed" : "i", "JMSPriority"));
    };
  }

  private String literal() {
    return "'" + of(TEXTS).replace("'", "''") + "'";
  }

  private String literals() {
    StringBuilder all = new StringBuilder(literal());
    for (int i = random.nextInt(7); i > 0; i--) {
      all.append(", ").append(literal());
    }
    return all.toString();
  }

  private String pattern() {
    String escape = of(List.of("!", "%", "_", "'"));
    boolean escaped = oneIn(3);
    StringBuilder pattern = new StringBuilder();
    for (int i = random.nextInt(5); i > 0; i--) {
      pattern.append(of(List.of("%", "%%", "_", "a", "b", "''", ".", "\\", "%_%")));
      if (escaped && oneIn(2)) {
        pattern.append(escape.replace("'", "''")).append(of(List.of("%", "_", "a")));
      }
    }
    return "'" + pattern + "'" + (escaped ? " ESCAPE '" + escape.replace("'", "''") + "'" : "");
  }

  @Tag("full")
  @ParameterizedTest
  @ValueSource(strings = {"artemis", "classic"})
  void shouldEvaluateLikeTheBroker(String provider) throws Exception {
    anyTypes = provider.equals("artemis");
    int selected = 0;
    try (TestBroker broker = TestBroker.start(provider);
        TestPublisher publisher = new TestPublisher(provider, broker.url())) {
      for (int round = 0; round < ROUNDS; round++) {
        selected += compare(publisher.session(), "selected." + round);
      }
    }
    assertThat(selected).as("messages that a selector selects").isGreaterThan(ROUNDS * MESSAGES);
  }

  private int compare(Session session, String name) throws JMSException {
    Topic topic = session.createTopic(name);
    Map<String, Selector> selectors = new LinkedHashMap<>();
    List<MessageConsumer> consumers = new ArrayList<>();
    while (selectors.size() < SELECTORS) {
      String where = condition(3);
      Selector compiled = compiled(where);
      MessageConsumer consumer = consumer(session, topic, where);
      assertThat(compiled == null)
          .as("refused, as by the broker: %s, seed %d", where, seed)
          .isEqualTo(consumer == null);
      if (consumer != null && selectors.put(where, compiled) == null) {
        consumers.add(consumer);
      } else if (consumer != null) {
        consumer.close();
      }
    }
    MessageConsumer all = session.createConsumer(topic);
    publish(session, topic);
    List<MessageFields> fields = new ArrayList<>();
    for (int i = 0; i < MESSAGES; i++) {
      fields.add(MessageFields.of(all.receive(RECEIVE_MS)));
    }
    all.close();
    int selected = 0;
    int next = 0;
    for (Map.Entry<String, Selector> selector : selectors.entrySet()) {
      TreeSet<Integer> byNode = new TreeSet<>();
      for (int i = 0; i < MESSAGES; i++) {
        if (selector.getValue().matches(fields.get(i))) {
          byNode.add(i);
        }
      }
      MessageConsumer consumer = consumers.get(next++);
      assertThat(byNode)
          .describedAs("selected by %s of %s, seed %d", selector.getKey(), fields, seed)
          .isEqualTo(received(consumer));
      consumer.close();
      selected += byNode.size();
    }
    return selected;
  }

  // Selectors with several wildcards are refused by the node only.
  private static Selector compiled(String where) {
    try {
      return Selector.compile(where);
    } catch (InvalidSelector e) {
      return null;
    }
  }

  private static MessageConsumer consumer(Session session, Topic topic, String where)
      throws JMSException {
    if (SelectorSyntax.problem(where) != null) {
      return null;
    }
    try {
      return session.createConsumer(topic, "(" + where + ") OR " + LAST + " = TRUE");
    } catch (InvalidSelectorException e) {
      return null;
    }
  }

  private void publish(Session session, Topic topic) throws JMSException {
    MessageProducer producer = session.createProducer(topic);
    for (int i = 0; i < MESSAGES; i++) {
      producer.setDeliveryMode(oneIn(2) ? DeliveryMode.PERSISTENT : DeliveryMode.NON_PERSISTENT);
      producer.send(message(session, i));
    }
    Message last = session.createMessage();
    last.setBooleanProperty(LAST, true);
    producer.send(last);
    producer.close();
  }

  private static TreeSet<Integer> received(MessageConsumer consumer) throws JMSException {
    TreeSet<Integer> numbers = new TreeSet<>();
    while (true) {
      Message message = consumer.receive(RECEIVE_MS);
      assertThat(message).isNotNull();
      if (message.propertyExists(LAST)) {
        return numbers;
      }
      numbers.add(message.getIntProperty(NUMBER));
    }
  }
}
