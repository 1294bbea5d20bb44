package io.sluice.gateway.feed;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.nats.client.Connection;
import io.nats.client.ErrorListener;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.Nats;
import io.nats.client.Options;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import java.io.IOException;
import java.util.List;

/** Publisher to subjects that streams of JetStream store. Confined to the feed's thread. */
public final class NatsFeedSender implements FeedSender {
  private static final long STREAM_BYTES = 64L << 20;

  private final FeedPlan plan;
  private final Connection connection;

  private NatsFeedSender(FeedPlan plan, Connection connection) {
    this.plan = plan;
    this.connection = connection;
  }

  /**
   * Returns a source of senders, which creates missing streams: {@code stocks} stores the subjects
   * below {@code stocks}.
   *
   * @param servers URLs
   */
  public static Source source(List<String> servers, List<String> streams) {
    Options options =
        Options.builder()
            .servers(servers.toArray(String[]::new))
            .noReconnect()
            .errorListener(new ErrorListener() {}) // the feed logs failures itself, once
            .build();
    return plan -> {
      try {
        Connection connection = Nats.connect(options);
        create(connection.jetStreamManagement(), streams);
        return new NatsFeedSender(plan, connection);
      } catch (JetStreamApiException e) {
        throw new IOException(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException(e);
      }
    };
  }

  private static void create(JetStreamManagement management, List<String> streams)
      throws IOException, JetStreamApiException {
    List<String> known = management.getStreamNames();
    for (String stream : streams) {
      if (!known.contains(stream)) {
        management.addStream(
            StreamConfiguration.builder()
                .name(stream)
                .subjects(stream + ".>")
                .storageType(StorageType.File)
                .maxBytes(STREAM_BYTES)
                .build());
      }
    }
  }

  @Override
  public void send(int topic, String text) throws IOException {
    try {
      connection.publish(plan.topic(topic), text.getBytes(UTF_8));
    } catch (IllegalStateException e) { // closed, or too much waits for the server
      throw new IOException(e);
    }
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
