package io.sluice.gateway.compression;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Check of the frames of a client that connects again and again, mostly from its position. Used by
 * one thread at a time.
 */
final class MessageCheck {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int MOST_PER_CONNECTION = 4_000;
  private static final int PAUSE_EVERY = 2_000;
  private static final int LONGEST_PAUSE_MS = 1_500;
  private static final long NONE = -1;

  private final String topic;
  private final boolean slow;
  private final Random random;
  private final int most;
  private volatile long left;
  private long leftAtEnd;
  private String position;
  private String epoch;
  private long expected;
  private int connections;
  private int resumes;

  /**
   * @param messages number of messages to receive
   * @param slow whether the client stops reading from time to time
   */
  MessageCheck(String topic, long messages, boolean slow, long seed) {
    this.topic = topic;
    this.left = messages;
    this.most = (int) Math.max(1, Math.min(MOST_PER_CONNECTION, messages / 4));
    this.slow = slow;
    this.random = new Random(seed);
  }

  boolean isDone() {
    return left == 0;
  }

  boolean isSlow() {
    return slow;
  }

  int connections() {
    return connections;
  }

  int resumes() {
    return resumes;
  }

  /** Begins a connection and returns its first frame. */
  String subscribe() {
    connections++;
    expected = NONE;
    leftAtEnd = Math.max(0, left - 1 - random.nextInt(most));
    return "{\"type\":\"subscribe\",\"ref\":1,\"topic\":\"%s\",\"from\":%s}"
        .formatted(topic, from());
  }

  private String from() {
    if (position != null && random.nextInt(4) > 0) {
      resumes++;
      return position;
    }
    return random.nextBoolean() ? "\"snapshot\"" : "{\"last\":50}";
  }

  /** Checks a frame, and pauses if the client is slow. Returns whether the connection continues. */
  boolean onText(String text) {
    JsonNode frame = json(text);
    switch (frame.get("type").asText()) {
      case "subscribed" -> epoch = frame.get("epoch").asText();
      case "gap" -> expected = NONE;
      case "message" -> onMessage(frame.get("offset").asLong(), frame.get("payload").asText());
      case "error" -> throw new AssertionError(text);
      default -> {
        // no message
      }
    }
    return left > leftAtEnd;
  }

  private static JsonNode json(String text) {
    try {
      return JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw new AssertionError("not JSON: " + text, e);
    }
  }

  private void onMessage(long offset, String payload) {
    if (expected != NONE && offset != expected) {
      throw new AssertionError("offset " + offset + " instead of " + expected);
    }
    Quotes.checkedNumber(payload);
    expected = offset + 1;
    position = "{\"epoch\":\"%s\",\"offset\":%d,\"ids\":[]}".formatted(epoch, offset);
    left--;
    if (slow && random.nextInt(PAUSE_EVERY) == 0) {
      new CompletableFuture<Void>()
          .completeOnTimeout(null, random.nextInt(LONGEST_PAUSE_MS), TimeUnit.MILLISECONDS)
          .join();
    }
  }
}
