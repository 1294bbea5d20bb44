package io.sluice.gateway.soak;

import io.sluice.gateway.TestNode;
import io.sluice.gateway.protocol.Encoding;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;

/**
 * Series of short-lived clients, each with a random encoding and kind of visit. Bound to one
 * thread, except {@link #stop}.
 */
final class Visitor implements Runnable {
  private static final long MIB = 1024 * 1024;

  // The test's broker retains the names of all topics, so the names of unused topics are reused.
  private static final int FRESH_NAMES = 100;

  private final int number;
  private final TestNode node;
  private final NumberedFeed feed;
  private final Random random;
  private final Map<Visit, LongAdder> visits;
  private int count;
  private volatile boolean stopping;

  /** Creates a visitor. Its number determines the first visit; the others are random. */
  Visitor(
      int number, TestNode node, NumberedFeed feed, Random random, Map<Visit, LongAdder> visits) {
    this.number = number;
    this.node = node;
    this.feed = feed;
    this.random = random;
    this.visits = visits;
  }

  /** Makes the current visit the last one. */
  void stop() {
    stopping = true;
  }

  @Override
  public void run() {
    Visit[] all = Visit.values();
    Visit next = all[number % all.length];
    while (!stopping) {
      visit(next);
      visits.get(next).increment();
      count++;
      next = all[random.nextInt(all.length)];
    }
  }

  private void visit(Visit visit) {
    if (visit == Visit.NO_HANDSHAKE) {
      abortHandshake();
      return;
    }
    String name = "visitor " + number + ", visit " + count + ", " + visit;
    Encoding encoding = Encoding.SLUICE.get(random.nextInt(Encoding.SLUICE.size()));
    try (CheckedClient client = new CheckedClient(node, encoding, name)) {
      behave(client, visit);
    }
  }

  private void behave(CheckedClient client, Visit visit) {
    switch (visit) {
      case GOODBYE -> {
        browse(client);
        client.leave();
      }
      case RESET -> {
        browse(client);
        client.reset();
      }
      case HALF_OPEN -> {
        client.subscribe(NumberedFeed.BULK);
        feed.awaitBulk(MIB);
      }
      case SLOW -> stopReading(client);
      case FRESH_TOPIC -> {
        String topic = fresh("topic");
        publishTwice(client, topic, List.of(topic));
      }
      case FRESH_PATTERN -> {
        String parent = fresh("pattern");
        publishTwice(client, parent + ".*", List.of(parent + ".a", parent + ".b"));
      }
      case FLAP -> flap(client);
      case NO_HANDSHAKE -> throw new IllegalArgumentException("without a client");
    }
  }

  private void browse(CheckedClient client) {
    Set<String> topics = new HashSet<>();
    for (int i = 1 + random.nextInt(4); i > 0; i--) {
      topics.add(tide());
    }
    if (random.nextBoolean()) {
      topics.add(random.nextBoolean() ? "tide.*" : "tide.>");
    }
    topics.forEach(client::subscribe);
    long goal = client.messages() + random.nextInt(30);
    while (client.messages() < goal) {
      client.read();
    }
    if (random.nextBoolean()) {
      client.unsubscribe(topics.iterator().next());
    }
  }

  // The kernel's buffer size is unknown, so the amount of unread data doubles each time.
  private void stopReading(CheckedClient client) {
    client.subscribe(NumberedFeed.BULK);
    long unread = 3 * MIB;
    do {
      feed.awaitBulk(unread);
      unread *= 2;
    } while (client.isServed());
  }

  // No other client publishes here, so the numbers continue after the topic was closed.
  private void publishTwice(CheckedClient client, String subscription, List<String> topics) {
    int half = 1 + random.nextInt(5);
    client.subscribe(subscription);
    publish(client, subscription, topics, 1, half);
    client.unsubscribe(subscription);
    client.subscribe(subscription);
    publish(client, subscription, topics, half + 1, 2 * half);
    if (random.nextBoolean()) {
      client.unsubscribe(subscription);
    }
  }

  private void publish(
      CheckedClient client, String subscription, List<String> topics, int first, int last) {
    for (int i = first; i <= last; i++) {
      for (String topic : topics) {
        client.publish(topic, Numbered.payload(i, random.nextInt(32 * 1024), random));
      }
    }
    for (String topic : topics) {
      while (client.last(subscription, topic) < last) {
        client.read();
      }
    }
  }

  private void flap(CheckedClient client) {
    String topic = tide();
    for (int i = 0; i < 10; i++) {
      client.subscribe(topic);
      client.unsubscribe(topic);
    }
  }

  private void abortHandshake() {
    if (random.nextBoolean()) {
      node.request().subprotocols("unheard-of").attempt().close();
      return;
    }
    try (Socket socket = new Socket("127.0.0.1", node.gateway().port())) {
      socket.getOutputStream().write("GET /ws HT".getBytes(StandardCharsets.US_ASCII));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String tide() {
    return NumberedFeed.VISITED.get(random.nextInt(NumberedFeed.VISITED.size()));
  }

  private String fresh(String kind) {
    return "fresh." + kind + "." + number + "." + count % FRESH_NAMES;
  }
}
