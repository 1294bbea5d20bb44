package io.sluice.gateway.streams.events;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.gateway.auth.Credential;
import io.sluice.gateway.limits.Lease;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.MessageFormat;
import io.sluice.gateway.protocol.PositionText;
import io.sluice.gateway.protocol.Start;
import io.sluice.gateway.session.Connection;
import io.sluice.gateway.session.ProtocolContext;
import io.sluice.gateway.session.Session;
import io.sluice.gateway.session.SessionPolicy;
import io.sluice.gateway.websocket.CloseCode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the ids of streams with several topics. */
final class PositionConnectionTest {
  private static final String EPOCH_A = "00000000000000aa";
  private static final String EPOCH_B = "00000000000000bb";

  private final StringBuilder sent = new StringBuilder();
  private final List<ByteBuf> released = new ArrayList<>();
  private final List<Runnable> scheduled = new ArrayList<>();
  private long nowNs;
  private final PositionConnection connection =
      new PositionConnection(new Recording(), List.of("a", "b"), new Loop(), () -> nowNs);

  private static ByteBuf bytes(String text) {
    return Unpooled.copiedBuffer(text, UTF_8);
  }

  private static String event(String epoch, long offset, String data) {
    return "id: " + PositionText.of(epoch, offset) + "\ndata: " + data + "\n\n";
  }

  private void begin() {
    connection.begin(0, EPOCH_A);
    connection.begin(1, EPOCH_B);
    connection.begin(bytes("HEAD\n"));
  }

  @Test
  void shouldReplaceTheIdsOfABatchByOneOfAllTopics() {
    begin();
    connection.write(bytes(event(EPOCH_A, 1, "a1") + event(EPOCH_A, 2, "a2\ndata: x")));
    connection.write(bytes(event(EPOCH_B, 9, "b9")));
    connection.flushInBatch();
    String text = sent.toString();
    assertThat(text).startsWith("HEAD\ndata: a1\n\ndata: a2\ndata: x\n\ndata: b9\n\nid: ");
    EventStarts starts =
        EventStarts.ofLastEventId(EventSourceReader.of(text.substring(5)).lastEventId);
    assertThat(((Start.Position) starts.of("a")).offset()).isEqualTo(2);
    assertThat(((Start.Position) starts.of("b")).offset()).isEqualTo(9);
    assertThat(released).hasSize(1);
  }

  @Test
  void shouldSendNoIdWithoutAChange() {
    begin();
    connection.write(bytes(":\n\n"));
    connection.flush();
    assertThat(sent).hasToString("HEAD\n:\n\n");
  }

  @Test
  void shouldHoldEventsUntilTheResponseBegins() {
    connection.begin(0, EPOCH_A);
    connection.write(bytes(event(EPOCH_A, 1, "a1")));
    connection.flush();
    assertThat(sent).isEmpty();
    assertThat(connection.pendingBytes()).isPositive();
    connection.begin(bytes("HEAD\n"));
    assertThat(sent.toString()).startsWith("HEAD\ndata: a1\n\nid: ");
  }

  @Test
  void shouldDropThePositionOfAnUnknownLog() {
    begin();
    connection.write(bytes(event("00000000000000cc", 1, "c1")));
    connection.flush();
    assertThat(sent).hasToString("HEAD\ndata: c1\n\n");
  }

  @Test
  void shouldSendFewIdsWhileEventsArrive() {
    begin();
    for (int offset = 1; offset <= 1_000; offset++) {
      connection.write(bytes(event(EPOCH_A, offset, "a" + offset)));
      connection.flush();
    }
    assertThat(sent).as("one id").containsOnlyOnce("id: ");
    assertThat(scheduled).as("one task, which sends the latest id").hasSize(1);
    nowNs += 250_000_000;
    scheduled.get(0).run();
    EventStarts starts =
        EventStarts.ofLastEventId(EventSourceReader.of(sent.substring(5)).lastEventId);
    assertThat(((Start.Position) starts.of("a")).offset()).isEqualTo(1_000);
  }

  @Test
  void shouldKeepThePositionOfATopicThatWasResumed() {
    String resumed = PositionText.of(EPOCH_B, 7);
    connection.resume(EventStarts.checksum("b") + "=" + resumed + ",T=5");
    begin();
    connection.write(bytes(event(EPOCH_A, 1, "a1")));
    connection.flush();
    EventStarts starts =
        EventStarts.ofLastEventId(EventSourceReader.of(sent.substring(5)).lastEventId);
    assertThat(((Start.Position) starts.of("a")).offset()).isEqualTo(1);
    assertThat(((Start.Position) starts.of("b")).offset()).isEqualTo(7);
    assertThat(((Start.Position) starts.of("b")).timeMs()).isEqualTo(5);
  }

  @Test
  void shouldSendNothingOfAStreamThatIsRefused() {
    connection.begin(0, EPOCH_A);
    connection.move(0, PositionText.of(EPOCH_A, 1));
    connection.write(bytes(event(EPOCH_A, 2, "a2")));
    connection.abandon();
    connection.write(bytes("HTTP/1.1 403 Forbidden\n"));
    connection.flush();
    assertThat(sent).hasToString("HTTP/1.1 403 Forbidden\n");
  }

  /** Event loop whose tasks the test runs. */
  private final class Loop implements ProtocolContext {
    @Override
    public Session newSession(Connection client, Encoding encoding, Credential credential) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Encoding encoding(MessageFormat format) {
      throw new UnsupportedOperationException();
    }

    @Override
    public SessionPolicy policy() {
      throw new UnsupportedOperationException();
    }

    @Override
    public void executeLater(Runnable task, long delayMs) {
      scheduled.add(task);
    }

    @Override
    public void releaseAfterBatch(ByteBuf buffer) {
      released.add(buffer);
    }
  }

  /** Connection that records what is written. */
  private final class Recording implements Connection {
    @Override
    public void write(ByteBuf frames) {
      sent.append(frames.toString(UTF_8));
    }

    @Override
    public void flush() {}

    @Override
    public void flushInBatch() {}

    @Override
    public void abort() {}

    @Override
    public long pendingBytes() {
      return 0;
    }

    @Override
    public void close(CloseCode code) {}

    @Override
    public String address() {
      return "";
    }

    @Override
    public Lease lease() {
      return null;
    }

    @Override
    public void execute(Runnable task) {
      task.run();
    }
  }
}
