package io.sluice.gateway.hub;

import io.sluice.gateway.history.LogEntry;
import io.sluice.gateway.history.TopicLog;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.query.LogReader;

/** Reader of one log. For any thread. */
record TopicLogReader(TopicLog log) implements LogReader {
  @Override
  public long last() {
    return log.last();
  }

  @Override
  public Message at(long offset) {
    LogEntry entry = log.at(offset);
    return entry == null ? null : entry.message();
  }

  @Override
  public boolean isSameAs(LogReader other) {
    return other instanceof TopicLogReader reader && reader.log.epoch() == log.epoch();
  }
}
