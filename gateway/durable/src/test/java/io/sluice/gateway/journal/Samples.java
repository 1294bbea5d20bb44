package io.sluice.gateway.journal;

import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.store.StoreFailure;
import io.sluice.gateway.store.StoredMessage;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;

/** Distinct messages that are generated from their offsets. */
final class Samples {
  /** Kinds in the stored journals of earlier formats. */
  private static final List<PayloadKind> KINDS =
      List.of(PayloadKind.TEXT, PayloadKind.BYTES, PayloadKind.JSON);

  /** Latest offset in the stored journals of earlier formats. */
  private static final int STORED = 21;

  static final JournalLimits ROOMY =
      new JournalLimits(1_000_000, 1L << 30, Duration.ofDays(36_500), 1L << 32);

  private Samples() {}

  /** Returns the message of {@code offset}, whose arrival in milliseconds equals the offset. */
  static StoredMessage message(long offset) {
    return message(offset, 100 + (int) (offset % 900));
  }

  static StoredMessage message(long offset, int bytes) {
    Random random = new Random(offset);
    byte[] payload = new byte[bytes];
    random.nextBytes(payload);
    PayloadKind kind = KINDS.get((int) (offset % KINDS.size()));
    byte[] properties =
        offset % 2 == 0 ? null : ("{\"n\":" + offset + "}").getBytes(StandardCharsets.UTF_8);
    return new StoredMessage(
        offset,
        offset,
        new Message(
                "stocks." + offset % 7,
                random.nextLong(),
                offset,
                kind,
                payload,
                properties,
                offset % 3 == 0 ? "key" + offset : null)
            .expiring(offset > STORED && offset % 4 == 0 ? offset + 1 : Message.NO_EXPIRY),
        null,
        offset % 5 != 0);
  }

  /** Appends {@code count} messages without a sync. */
  static void append(TopicJournal topic, int count) throws StoreFailure {
    for (int i = 0; i < count; i++) {
      topic.append(message(topic.nextOffset()));
    }
  }

  static List<StoredMessage> all(TopicJournal topic) throws StoreFailure {
    return topic.read(0, Integer.MAX_VALUE);
  }

  static List<Long> offsets(TopicJournal topic) throws StoreFailure {
    return all(topic).stream().map(StoredMessage::offset).toList();
  }

  /** Returns whether the messages are those generated for their offsets. */
  static boolean areGenuine(List<StoredMessage> messages) {
    return messages.stream().allMatch(stored -> isSame(stored, message(stored.offset())));
  }

  static boolean isSame(StoredMessage one, StoredMessage other) {
    Message a = one.message();
    Message b = other.message();
    return one.offset() == other.offset()
        && one.arrivalMs() == other.arrivalMs()
        && a.topic().equals(b.topic())
        && a.identity() == b.identity()
        && a.timeMs() == b.timeMs()
        && a.expiresMs() == b.expiresMs()
        && a.kind() == b.kind()
        && Arrays.equals(a.payload(), b.payload())
        && Arrays.equals(a.properties(), b.properties())
        && Objects.equals(a.key(), b.key())
        && one.persistent() == other.persistent();
  }

  static List<Long> range(long from, long to) {
    List<Long> offsets = new ArrayList<>();
    for (long offset = from; offset <= to; offset++) {
      offsets.add(offset);
    }
    return offsets;
  }
}
