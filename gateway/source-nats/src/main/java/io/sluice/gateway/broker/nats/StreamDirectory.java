package io.sluice.gateway.broker.nats;

import io.nats.client.Connection;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.JetStreamStatusException;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Streams at the server. For any thread; methods block unless they state otherwise. */
final class StreamDirectory {
  private static final String API_INFO = "$JS.API.INFO";

  /** JetStream is not enabled at the server, or for the account. */
  private static final Set<Integer> NOT_ENABLED = Set.of(10076, 10039);

  private final Connection connection;
  private final JetStreamManagement management;
  private final long timeoutMs;
  private volatile Listing latest;

  private record Listing(long startedNs, List<SubjectStream> streams) {}

  /**
   * Source of the messages of a topic or pattern.
   *
   * @param stream stream that stores all of them; null if none stores any
   * @param problem reason for which they cannot be subscribed; null if they can
   */
  record Found(SubjectStream stream, String problem) {}

  StreamDirectory(Connection connection, JetStreamManagement management, long timeoutMs) {
    this.connection = connection;
    this.management = management;
    this.timeoutMs = timeoutMs;
    this.latest = new Listing(System.nanoTime() - 1, List.of());
  }

  /**
   * Returns the source of a topic or pattern.
   *
   * @param sinceNs the streams are those of this time or later; nanoseconds
   */
  Found find(String pattern, long sinceNs) throws IOException, JetStreamApiException {
    refresh(sinceNs);
    return find(pattern);
  }

  /** Returns the source of a topic or pattern by the latest list of streams. Never blocks. */
  Found find(String pattern) {
    List<SubjectStream> storing =
        latest.streams().stream().filter(stream -> stream.stores(pattern)).toList();
    if (storing.isEmpty()) {
      return new Found(null, null);
    }
    SubjectStream first = storing.get(0);
    if (storing.size() > 1) {
      return new Found(
          null,
          "the streams %s and %s store messages of %s: subscribe to a pattern of one stream"
              .formatted(first.name(), storing.get(1).name(), pattern));
    }
    return first.storesAll(pattern)
        ? new Found(first, null)
        : new Found(
            null,
            "stream %s stores only %s of %s: subscribe to a pattern within these"
                .formatted(first.name(), String.join(", ", first.subjects()), pattern));
  }

  /** Reads the list of streams again, unless it is that of a time or later. One thread reads. */
  synchronized void refresh(long sinceNs) throws IOException, JetStreamApiException {
    if (latest.startedNs() - sinceNs < 0) {
      long startedNs = System.nanoTime();
      latest = new Listing(startedNs, read());
    }
  }

  private List<SubjectStream> read() throws IOException, JetStreamApiException {
    if (!hasJetStream()) {
      return List.of();
    }
    try {
      return management.getStreams().stream()
          .filter(info -> !info.getConfiguration().getSubjects().isEmpty())
          .map(SubjectStream::of)
          .toList();
    } catch (JetStreamApiException e) {
      if (NOT_ENABLED.contains(e.getApiErrorCode())) {
        return List.of();
      }
      throw e;
    }
  }

  // A server without JetStream has no responder; the client's methods report that as a timeout.
  private boolean hasJetStream() throws IOException {
    try {
      connection.request(API_INFO, null).get(timeoutMs, TimeUnit.MILLISECONDS);
      return true;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof JetStreamStatusException) {
        return false;
      }
      throw new IOException(e.getCause());
    } catch (TimeoutException e) {
      throw new IOException("the server does not answer requests for JetStream", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }
}
