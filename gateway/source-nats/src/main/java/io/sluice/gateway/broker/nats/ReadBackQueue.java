package io.sluice.gateway.broker.nats;

import io.sluice.gateway.broker.ReadBack;
import io.sluice.gateway.limits.FairExecutor;
import io.sluice.gateway.protocol.Message;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * Queue of read-backs, which run one at a time on a separate thread. Streams take turns. Any
 * thread.
 */
final class ReadBackQueue {
  private static final int MAX_WAITING = 1_000;

  private final Supplier<NatsLink> link;
  private final NatsReader.Rules rules;
  private final BiConsumer<String, StreamFeed.Position> onConfirmed;
  private final FairExecutor reader = new FairExecutor(1, MAX_WAITING, "sluice-nats-read-back");

  /**
   * @param link returns the current connection, or null
   * @param onConfirmed receives topic and place of clients whose messages the server has
   */
  ReadBackQueue(
      Supplier<NatsLink> link,
      NatsReader.Rules rules,
      BiConsumer<String, StreamFeed.Position> onConfirmed) {
    this.link = link;
    this.rules = rules;
    this.onConfirmed = onConfirmed;
  }

  void add(ReadBack request) {
    String stream = Integer.toString(request.after().stream());
    if (!reader.execute(stream, () -> read(request))) {
      request.answer().accept(null, "too many read-backs are waiting");
    }
  }

  private void read(ReadBack request) {
    NatsLink current = link.get();
    if (current == null) {
      request.answer().accept(null, "the source is not connected");
      return;
    }
    List<Message> messages = null;
    String why = null;
    try {
      StreamReadBack read = new StreamReadBack(current, request, rules);
      messages = read.read();
      onConfirmed.accept(request.key().topic(), read.confirmed());
    } catch (StreamReadBack.Refused e) {
      why = e.getMessage();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      why = "the node is stopping";
    } catch (Exception e) { // the client may fail in any way
      why = "the server failed: " + e.getMessage();
    }
    request.answer().accept(messages, why);
  }

  void stop() {
    reader.stopNow();
  }
}
