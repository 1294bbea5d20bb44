package io.sluice.gateway.link;

import java.util.ArrayList;
import java.util.List;

/** A link whose other node reads nothing; tasks run at once. */
final class SentRecords implements LinkChannel {
  final List<LinkRecord> sent = new ArrayList<>();

  /** Returns the latest record of a type. */
  <T extends LinkRecord> T last(Class<T> type) {
    return sent.stream().filter(type::isInstance).map(type::cast).reduce((a, b) -> b).orElseThrow();
  }

  @Override
  public String peer() {
    return "";
  }

  @Override
  public void execute(Runnable task) {
    task.run();
  }

  @Override
  public void later(Runnable task, long delayMs) {}

  @Override
  public boolean isFull() {
    return false;
  }

  @Override
  public boolean isClosed() {
    return false;
  }

  @Override
  public void send(LinkRecord record) {
    sent.add(record);
  }

  @Override
  public void close(String why) {
    throw new AssertionError(why);
  }
}
