package io.sluice.gateway.hub;

import io.sluice.gateway.broker.ReadBack;
import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.TopicPattern;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** Partitioned stream that the brokers of several nodes read, each in its own interleaving. */
final class ScriptedStream {
  /** The payload of a message is its partition times this, plus its offset. */
  static final int PARTITION = 1_000;

  private final List<List<Message>> partitions = new ArrayList<>();
  private int[] first;
  private int number;
  private long[] reused = {};

  /** Mark of the next messages. */
  private int mark;

  /** Whether all messages have the same topic. */
  boolean whole;

  ScriptedStream(int number, int partitionCount) {
    this.number = number;
    this.first = new int[partitionCount];
    IntStream.range(0, partitionCount).forEach(any -> partitions.add(new ArrayList<>()));
  }

  int number() {
    return number;
  }

  int partitions() {
    return partitions.size();
  }

  /** Appends messages to a partition. */
  void publish(String topic, int partition, int count) {
    for (int i = 0; i < count; i++) {
      publish(topic, partition, null);
    }
  }

  void publish(String topic, int partition, String key) {
    List<Message> messages = partitions.get(partition);
    int offset = messages.size();
    byte[] payload =
        String.valueOf(partition * PARTITION + offset).getBytes(StandardCharsets.US_ASCII);
    long id = StreamPlace.id(partition, offset, mark);
    messages.add(new Message(topic, id, 1, PayloadKind.TEXT, payload, null, key));
  }

  void addPartition() {
    partitions.add(new ArrayList<>());
    first = Arrays.copyOf(first, partitions.size());
  }

  /** Removes the messages of a partition before an offset. */
  void remove(int partition, int before) {
    first[partition] = before;
  }

  /** Removes the messages of a partition from an offset on, whose offsets are assigned again. */
  void truncate(int partition, int end) {
    List<Message> messages = partitions.get(partition);
    reused =
        new long[] {
          StreamPlace.id(partition, end), StreamPlace.id(partition, messages.size() - 1L, -1)
        };
    mark++;
    messages.subList(end, messages.size()).clear();
  }

  /** Deletes the stream and creates another one. */
  void recreate(int otherNumber) {
    number = otherNumber;
    partitions.forEach(List::clear);
    Arrays.fill(first, 0);
  }

  int end(int partition) {
    return partitions.get(partition).size();
  }

  Message message(int partition, int offset) {
    return partitions.get(partition).get(offset);
  }

  /** Returns the place before the next messages of partitions. */
  StreamPlace place(int[] next) {
    long[] ids =
        IntStream.range(0, next.length)
            .filter(partition -> next[partition] > 0)
            .mapToLong(partition -> message(partition, next[partition] - 1).identity())
            .toArray();
    return new StreamPlace(number, ids, reused, whole);
  }

  private boolean has(long id) {
    int partition = StreamPlace.partition(id);
    long offset = StreamPlace.offset(id);
    return offset < end(partition) && message(partition, (int) offset).identity() == id;
  }

  /** Answers a request as a source does. */
  void answer(ReadBack request) {
    List<Message> found = new ArrayList<>();
    if (number != request.after().stream()) {
      request.answer().accept(null, "another stream");
      return;
    }
    if (!request.claimed().stream().allMatch(this::has)) {
      request.answer().accept(null, ReadBack.REFUTED);
      return;
    }
    for (int partition = 0; partition < partitions.size(); partition++) {
      long from = request.after().offsetOf(partition) + 1;
      long to = request.upTo().offsetOf(partition);
      if (from <= to && from < first[partition]) {
        request.answer().accept(null, "removed");
        return;
      }
      for (long offset = from; offset <= to; offset++) {
        Message message = message(partition, (int) offset);
        String selector = request.key().selector();
        boolean selected = selector == null || selector.equals("key = '" + message.key() + "'");
        if (selected && TopicPattern.covers(request.key().topic(), message.topic())) {
          found.add(message);
        }
      }
    }
    if (found.size() > request.maxMessages()) {
      request.answer().accept(null, "too many");
    } else {
      request.answer().accept(found, null);
    }
  }
}
