package io.sluice.gateway.shard;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.history.EncodedMessage;
import io.sluice.gateway.history.HubClock;
import io.sluice.gateway.history.LogEntry;
import io.sluice.gateway.protocol.MessageEncoder;
import io.sluice.gateway.shard.CompressionWindow.StreamTraffic;
import java.util.Arrays;
import java.util.List;

/**
 * Delivery of messages to clients with a {@link CompressionWindow} or with compressed frames.
 * Clients with equal windows or dictionaries share the frames. Bound to the shard's event loop and
 * reused.
 */
final class StreamDelivery {
  private final MessageEncoder encoder;
  private final FlushBatch batch;
  private final FrameJoiner joiner;
  private final HubClock clock;
  private final StreamForms forms;

  /** Runs of the current live batch by their start. */
  private final Run[] live = new Run[StreamForms.STARTS];

  /** Clients that received each of them. */
  private final int[] received = new int[StreamForms.STARTS];

  /** Latest paced runs of this batch by encoding and start. */
  private final Run[] paced = new Run[2 * StreamForms.STARTS];

  /** Latest runs of this batch for tagged subscriptions, by the end of their ref. */
  private final TaggedRun[] tagged = new TaggedRun[Pacer.REF_SLOTS];

  /** Frames of consecutive messages in one buffer. */
  private record Run(
      LogEntry first,
      LogEntry last,
      int count,
      ByteBuf bytes,
      StreamForms.Effect effect,
      int forms,
      long[] tally) {

    boolean matches(List<LogEntry> messages, int from, int to) {
      return count == to - from && first == messages.get(from) && last == messages.get(to - 1);
    }
  }

  /** Run with a ref; clients of one application often choose the same refs. */
  private record TaggedRun(long ref, int slot, Run run) {}

  /** Source of the encoded message of an entry, with a reference until the end of the batch. */
  @FunctionalInterface
  interface Source {
    EncodedMessage encoded(LogEntry entry, LogEntry previous, int form);
  }

  StreamDelivery(MessageEncoder encoder, FlushBatch batch, FrameJoiner joiner, HubClock clock) {
    this.encoder = encoder;
    this.batch = batch;
    this.joiner = joiner;
    this.clock = clock;
    this.forms = new StreamForms(batch.compression());
  }

  /** Clears the caches at the end of the batch, because its buffers are released. */
  void endBatch() {
    Arrays.fill(paced, null);
    Arrays.fill(tagged, null);
  }

  /** Counts the traffic of live messages. */
  void count(MessageBatch messages, StreamTraffic stream) {
    stream.add(messages.payloadBytes(), clock.nanos());
  }

  /** Begins the delivery of live messages in one encoding. */
  LiveRuns begin(MessageBatch messages, boolean binary, LogEntry previous, StreamTraffic stream) {
    Arrays.fill(live, null);
    Arrays.fill(received, 0);
    return new LiveRuns(messages, binary, previous, stream, clock.nanos());
  }

  /** Live messages in one encoding. */
  final class LiveRuns {
    private final MessageBatch messages;
    private final boolean binary;
    private final LogEntry previous;
    private final StreamTraffic stream;
    private final long nowNs;

    private LiveRuns(
        MessageBatch messages,
        boolean binary,
        LogEntry previous,
        StreamTraffic stream,
        long nowNs) {
      this.messages = messages;
      this.binary = binary;
      this.previous = previous;
      this.stream = stream;
      this.nowNs = nowNs;
    }

    /** Sends the messages to a client. */
    void send(SubscriptionState subscription) {
      int start = start(subscription);
      Run run = run(start);
      accept(subscription, run.bytes());
      applied(subscription, start, run);
    }

    /** Sends the messages unless the client lags; returns whether it accepted them. */
    boolean offer(SubscriptionState subscription) {
      int start = start(subscription);
      Run run = run(start);
      boolean accepted = accepts(subscription, run.bytes());
      if (accepted) {
        applied(subscription, start, run);
      }
      return accepted;
    }

    private int start(SubscriptionState subscription) {
      return StreamDelivery.start(subscription, stream, messages.first().offset, nowNs);
    }

    private void applied(SubscriptionState subscription, int start, Run run) {
      received[start]++;
      apply(run.effect(), subscription, stream, messages.last().offset);
    }

    private Run run(int start) {
      Run run = live[start];
      if (run == null) {
        forms.begin(binary, start, previous);
        ByteBuf bytes = messages.frames(forms, encoder);
        run = of(messages.first().entry, messages.last().entry, messages.size(), bytes);
        live[start] = run;
      }
      return run;
    }

    /** Counts the deliveries; returns their number. */
    int end() {
      int sent = 0;
      for (int start = 0; start < received.length; start++) {
        if (received[start] > 0) {
          count(live[start], received[start]);
          sent += received[start];
        }
      }
      return sent;
    }

    /** Returns the forms that were used, as a bit set of ordinals. */
    int forms() {
      int used = 0;
      for (Run run : live) {
        used |= run == null ? 0 : run.forms();
      }
      return used;
    }
  }

  private Run of(LogEntry first, LogEntry last, int count, ByteBuf bytes) {
    return new Run(
        first, last, count, bytes, forms.effect(), forms.used(), batch.compression().sequence());
  }

  private void count(Run run, int clients) {
    batch.sent(clients, run.count(), run.bytes().readableBytes());
    batch.compression().sent(run.tally(), clients);
  }

  private static int start(
      SubscriptionState subscription, StreamTraffic stream, long next, long nowNs) {
    Subscriber client = subscription.subscriber;
    CompressionWindow window = client.window();
    if (client.inflates()) {
      boolean natively = window != null && !subscription.tagged && window.selects(stream, nowNs);
      if (!natively) {
        return StreamForms.framedStart(subscription.dictionary == next - 1);
      }
    }
    return StreamForms.start(window, stream, next, nowNs);
  }

  /** Applies the effect after the frames were accepted. */
  private static void apply(
      StreamForms.Effect effect,
      SubscriptionState subscription,
      StreamTraffic stream,
      long lastOffset) {
    switch (effect) {
      case NONE -> {
        // the client has neither a new window nor a new dictionary
      }
      case ENDS_WITH_LAST -> subscription.subscriber.window().endAt(stream, lastOffset);
      case RETAINS_LAST -> subscription.dictionary = lastOffset;
      case UNKNOWN -> subscription.subscriber.window().forget();
    }
  }

  /** Makes the next message independent of earlier ones. */
  private static void forget(SubscriptionState subscription) {
    subscription.dictionary = SubscriptionState.NO_MESSAGE;
    if (subscription.subscriber.window() != null) {
      subscription.subscriber.window().forget();
    }
  }

  // A client that has failed may have accepted the frames.
  private static void accept(SubscriptionState subscription, ByteBuf frames) {
    try {
      subscription.subscriber.onFrames(frames);
    } catch (RuntimeException | Error e) {
      forget(subscription);
      throw e;
    }
  }

  private static boolean accepts(SubscriptionState subscription, ByteBuf frames) {
    try {
      return subscription.subscriber.offerFrames(frames);
    } catch (RuntimeException | Error e) {
      forget(subscription);
      throw e;
    }
  }

  /**
   * Sends messages of a list: at least one, and as many as have room.
   *
   * @param previous the entry before the first message in the log, or null
   * @param end index up to which messages are sent
   * @param room maximum bytes, unless the first message has more
   * @return the index of the next message
   */
  int send(
      SubscriptionState subscription,
      List<LogEntry> messages,
      int from,
      int end,
      long room,
      LogEntry previous,
      Source source) {
    StreamTraffic stream = subscription.topic.stream();
    boolean binary = subscription.subscriber.encoding().isBinary();
    int start = start(subscription, stream, messages.get(from).offset(), clock.nanos());
    forms.begin(binary, start, previous);
    int to = join(messages, from, end, room, source);
    int slot = binary ? StreamForms.STARTS + start : start;
    Run run =
        subscription.tagged
            ? tagged(subscription.ref, slot, messages, from, to)
            : run(slot, messages, from, to);
    count(run, 1);
    accept(subscription, run.bytes());
    apply(run.effect(), subscription, stream, messages.get(to - 1).offset());
    return to;
  }

  private int join(List<LogEntry> messages, int from, int end, long room, Source source) {
    long left = room;
    joiner.begin();
    int to = from;
    while (to < end) {
      LogEntry entry = messages.get(to);
      int form = forms.next(entry);
      EncodedMessage encoded = source.encoded(entry, forms.previous(), form);
      ByteBuf frame = encoded.frame(form, forms.previous(), encoder);
      left -= frame.readableBytes();
      if (left < 0 && to > from) {
        break;
      }
      forms.add(encoded, form, frame);
      joiner.add(frame);
      to++;
    }
    return to;
  }

  private Run run(int slot, List<LogEntry> messages, int from, int to) {
    Run cached = paced[slot];
    if (cached != null && cached.matches(messages, from, to)) {
      return cached;
    }
    Run run = of(messages.get(from), messages.get(to - 1), to - from, joiner.join());
    paced[slot] = run;
    return run;
  }

  private Run tagged(long ref, int slot, List<LogEntry> messages, int from, int to) {
    int index = (int) ref & Pacer.REF_SLOTS - 1;
    TaggedRun cached = tagged[index];
    if (cached != null
        && cached.ref() == ref
        && cached.slot() == slot
        && cached.run().matches(messages, from, to)) {
      return cached.run();
    }
    Run run = of(messages.get(from), messages.get(to - 1), to - from, joiner.joinTagged(ref));
    tagged[index] = new TaggedRun(ref, slot, run);
    return run;
  }
}
