package io.sluice.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.nats.client.Connection;
import io.nats.client.JetStreamApiException;
import io.nats.client.PublishOptions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Publisher of numbered messages to a subject of a stream, on a thread. For any thread. */
final class NatsFlow implements MessageFlow {
  private static final long SECOND_NS = 1_000_000_000;

  private final Connection client;
  private final String subject;
  private final int count;
  private final long pauseNs;
  private final List<String> ids = new ArrayList<>();
  private final Thread thread = new Thread(this::run, "nats-flow");
  private volatile int storedCount;
  private volatile boolean stopped;
  private volatile List<String> stored;

  /**
   * @param perSecond number of messages that are published in a second
   */
  NatsFlow(Connection client, String subject, int count, int perSecond) {
    this.client = client;
    this.subject = subject;
    this.count = count;
    this.pauseNs = SECOND_NS / perSecond;
  }

  @Override
  public void start() {
    thread.start();
  }

  private void run() {
    while (ids.size() < count && !stopped) {
      publish(String.valueOf(ids.size()));
      storedCount = ids.size();
      LockSupport.parkNanos(pauseNs);
    }
  }

  /** Stores a message, whose confirmation may be lost: the server drops a repetition. */
  private void publish(String text) {
    try {
      long sequence =
          client
              .jetStream()
              .publish(
                  subject, text.getBytes(UTF_8), PublishOptions.builder().messageId(text).build())
              .getSeqno();
      ids.add("%04x%08x".formatted(0, sequence));
    } catch (IOException | JetStreamApiException | IllegalStateException e) {
      // published again
    }
  }

  void awaitSent(int messages) {
    while (storedCount < messages) {
      LockSupport.parkNanos(pauseNs);
    }
  }

  @Override
  public List<String> awaitStored() throws Exception {
    thread.join();
    stored = List.copyOf(ids);
    return stored;
  }

  // The publisher does not know the time, which is the end of an id.
  @Override
  public String storedId(String id) {
    return id.substring(0, 12);
  }

  @Override
  public int stored() {
    List<String> all = stored;
    return all == null ? -1 : all.size();
  }

  @Override
  public void stop() {
    stopped = true;
  }
}
