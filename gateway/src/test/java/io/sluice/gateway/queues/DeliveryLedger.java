package io.sluice.gateway.queues;

import io.sluice.gateway.queues.DeliveryRecord.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Evaluation of the records of all clients: none lost, every duplicate marked, none delivered after
 * its confirmed acknowledgement. Bound to one thread.
 */
final class DeliveryLedger {
  private static final int SHOWN = 10;
  private static final int CHUNK = DeliveryRecord.BYTES * 4_096;

  private final Map<Path, Long> offsets = new HashMap<>();
  private final BitSet delivered = new BitSet();

  /** Messages with a delivery that is not marked as redelivered. */
  private final BitSet unmarked = new BitSet();

  /** Times of confirmed acknowledgements. */
  private final Map<Integer, Long> settledNs = new HashMap<>();

  private final List<DeliveryRecord> duplicates = new ArrayList<>();
  private final List<String> violations = new ArrayList<>();
  private long deliveries;

  void add(Path file) {
    offsets.put(file, 0L);
  }

  /** Reads the records that were written since the last call. */
  void update() throws IOException {
    for (Map.Entry<Path, Long> file : offsets.entrySet()) {
      if (file.getKey().toFile().exists()) {
        file.setValue(read(file.getKey(), file.getValue()));
      }
    }
  }

  private long read(Path path, long offset) throws IOException {
    try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
      long position = offset;
      ByteBuffer chunk = ByteBuffer.allocate(CHUNK);
      while (file.read(chunk.clear(), position) >= DeliveryRecord.BYTES) {
        chunk.flip();
        while (chunk.remaining() >= DeliveryRecord.BYTES) {
          add(DeliveryRecord.read(chunk));
          position += DeliveryRecord.BYTES;
        }
      }
      return position;
    }
  }

  private void add(DeliveryRecord record) {
    int number = (int) record.number();
    if (record.kind() == Kind.SETTLED) {
      settledNs.putIfAbsent(number, record.atNs());
      return;
    }
    deliveries++;
    if (delivered.get(number)) {
      duplicates.add(record);
    }
    delivered.set(number);
    if (record.kind() == Kind.DELIVERED) {
      if (unmarked.get(number)) {
        violations.add("a duplicate is not marked: " + record);
      }
      unmarked.set(number);
    }
  }

  /** Returns the number of different messages that clients have received. */
  int delivered() {
    return delivered.cardinality();
  }

  /** Returns the number of messages whose acknowledgement is confirmed. */
  int settled() {
    return settledNs.size();
  }

  boolean isSettled(int number) {
    return settledNs.containsKey(number);
  }

  /**
   * Returns the first violations.
   *
   * @param count number of messages, from 1
   */
  List<String> violations(int count) {
    List<String> found = new ArrayList<>(violations);
    for (int number = 1; number <= count; number++) {
      if (!delivered.get(number)) {
        found.add("lost: " + number);
      }
    }
    // A client may read a delivery of a killed node after another client has settled the message.
    // A consumer that became active afterwards must not receive it.
    for (DeliveryRecord duplicate : duplicates) {
      Long settled = settledNs.get((int) duplicate.number());
      if (settled != null && duplicate.sinceNs() > settled) {
        found.add("delivered after its acknowledgement at " + settled + ": " + duplicate);
      }
    }
    return found.subList(0, Math.min(SHOWN, found.size()));
  }

  @Override
  public String toString() {
    return "%,d messages in %,d deliveries, of which %,d are duplicates; %,d settled"
        .formatted(delivered(), deliveries, duplicates.size(), settled());
  }
}
