package io.sluice.gateway.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.broker.BrokerListener;
import io.sluice.gateway.broker.DeliveryInfo;
import io.sluice.gateway.broker.ReadBack;
import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.broker.TopicListener;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.NodeRoots;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.Message;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of requests of a leaf to roots of different versions. */
final class LinkSourceTest {
  private static final InterestKey KEY = InterestKey.of("t");

  private final Exposition exposition = new Exposition("link-source-test");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
  private final ScheduledExecutorService control = Executors.newSingleThreadScheduledExecutor();
  private final SentRecords channel = new SentRecords();
  private final LinkSource source =
      new LinkSource(
          LinkOptions.of(Config.defaults()),
          new NodeRoots("node", List.of("ws://root"), List.of(">")),
          new Links(),
          control,
          new Listener(),
          metrics);

  private static final class Links implements RootLinks {
    @Override
    public void follow(List<String> urls, Receiver receiver) {
      // the test connects
    }

    @Override
    public CompletionStage<Integer> preSubscribe(List<String> names) {
      return CompletableFuture.completedFuture(0);
    }

    @Override
    public void execute(Runnable task) {
      task.run();
    }

    @Override
    public LinkQueues.Leaf newLeaf() {
      return null;
    }

    @Override
    public LinkGroup.Leaf join(
        LinkChannel channel, String root, IntFunction<LinkGroup.LeafLog> logs) {
      return null;
    }
  }

  private static final class Listener implements BrokerListener, TopicListener {
    @Override
    public void onLive() {
      // no test awaits it
    }

    @Override
    public void onLost() {
      // likewise
    }

    @Override
    public void onProbe(long sequence) {
      // likewise
    }

    @Override
    public void onProof(long sentMs) {
      // likewise
    }

    @Override
    public void onMessage(Message message, DeliveryInfo delivery) {
      // likewise
    }

    @Override
    public void onMissed(GapReason reason, DeliveryInfo delivery) {
      // likewise
    }

    @Override
    public void onActive(boolean again) {
      // likewise
    }

    @Override
    public void onRefused(ErrorCode code, String why) {
      // likewise
    }
  }

  @AfterEach
  void close() {
    control.shutdownNow();
    metrics.close();
    exposition.close();
  }

  private static StreamPlace place(long offset) {
    return new StreamPlace(9, new long[] {StreamPlace.id(0, offset)});
  }

  /** Requests stored messages from a root, and returns why there are none, unless it was asked. */
  private String readBack(List<String> capabilities) throws Exception {
    LinkRecord.Hello root =
        new LinkRecord.Hello(LinkCodec.VERSION, true, "root", List.of("a"), 1, capabilities);
    CompletableFuture<String> problem = new CompletableFuture<>();
    source.onRoot(channel, root);
    control.submit(() -> source.open(KEY, new Listener())).get();
    source.readBack(
        new ReadBack(
            KEY,
            place(1),
            Set.of(),
            place(9),
            100,
            1_000,
            1_000,
            (messages, why) -> problem.complete(why)));
    control.submit(() -> {}).get();
    return problem.getNow(null);
  }

  @Test
  void shouldRequestStoredMessagesFromItsRoot() throws Exception {
    assertThat(readBack(LinkCodec.CAPABILITIES)).isNull();
    assertThat(channel.last(LinkRecord.Read.class).maxMessages()).isEqualTo(100);
  }

  @Test
  void shouldSendNoRequestToAnOlderRoot() throws Exception {
    assertThat(readBack(List.of(LinkCodec.LAG)))
        .isEqualTo("the root reads no messages back for leaves");
    assertThat(channel.sent).noneMatch(LinkRecord.Read.class::isInstance);
  }
}
