package io.sluice.gateway.http;

import io.sluice.testkit.TestPublisher;
import jakarta.jms.JMSException;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Messages that a test publishes: random texts of random sizes, created in advance, so that a
 * receiver can compare the n-th message of a topic. Immutable once filled; then for any thread.
 */
final class Publications {
  private static final String CHARACTERS =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 {}[]:,./\"\\\t";

  private final Random random;
  private final Map<String, List<byte[]>> texts = new LinkedHashMap<>();

  Publications(Random random) {
    this.random = random;
  }

  /** Adds messages of one topic. Small ones are as frequent as large ones. */
  Publications with(String topic, int count, int mostBytes) {
    List<byte[]> all = texts.computeIfAbsent(topic, name -> new ArrayList<>());
    for (int i = 0; i < count; i++) {
      all.add(text((int) Math.round(Math.exp(random.nextDouble() * Math.log(mostBytes)))));
    }
    return this;
  }

  // Includes characters of two bytes. Every third text is repetitive and therefore compressible.
  private byte[] text(int bytes) {
    ByteArrayOutputStream text = new ByteArrayOutputStream(bytes);
    int period = random.nextInt(3) == 0 ? 1 + random.nextInt(100) : bytes;
    long seed = random.nextLong();
    Random characters = new Random(seed);
    for (int i = 1; text.size() < bytes; i++) {
      if (text.size() + 1 < bytes && characters.nextInt(50) == 0) {
        text.writeBytes("\u00e9".getBytes(StandardCharsets.UTF_8));
      } else {
        text.write(CHARACTERS.charAt(characters.nextInt(CHARACTERS.length())));
      }
      if (i % period == 0) {
        characters.setSeed(seed);
      }
    }
    return text.toByteArray();
  }

  /** Returns the number of messages of a topic. */
  int count(String topic) {
    return texts.get(topic).size();
  }

  /** Returns all topics. */
  List<String> topics() {
    return List.copyOf(texts.keySet());
  }

  /** Returns the content of the n-th message of a topic, from 1. */
  byte[] text(String topic, long number) {
    List<byte[]> all = texts.get(topic);
    if (number < 1 || number > all.size()) {
      throw new AssertionError(topic + " has no message " + number);
    }
    return all.get((int) number - 1);
  }

  /** Publishes the n-th message of a topic. */
  void publish(TestPublisher publisher, String topic, int number) {
    try {
      publisher.text(topic, new String(text(topic, number), StandardCharsets.UTF_8));
    } catch (JMSException e) {
      throw new AssertionError(e);
    }
  }
}
