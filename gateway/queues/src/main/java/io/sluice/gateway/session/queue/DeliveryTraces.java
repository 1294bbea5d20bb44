package io.sluice.gateway.session.queue;

import io.sluice.gateway.broker.SettleListener;
import io.sluice.gateway.protocol.ClientFrame;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.Settlement;
import io.sluice.gateway.trace.DeliveryTrace;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Traces of the pending messages of one consumer; its credit limits their number. Bound to the
 * client's event loop.
 */
final class DeliveryTraces {
  /** Tag of all pending messages. */
  static final long ALL = 0;

  private final NavigableMap<Long, DeliveryTrace> byTag = new TreeMap<>();

  void add(long tag, DeliveryTrace trace) {
    byTag.put(tag, trace);
  }

  void onWriting(long tag) {
    DeliveryTrace trace = byTag.get(tag);
    if (trace != null) {
      trace.onWriting();
    }
  }

  void onWritten(long tag) {
    DeliveryTrace trace = byTag.get(tag);
    if (trace != null) {
      trace.onWritten();
    }
  }

  /** Ends traces of messages that return to the queue. */
  void end(long tag, String reason) {
    for (DeliveryTrace trace : removed(tag, tag == ALL, byTag.values())) {
      trace.onSettling(reason);
      trace.onAccepted();
    }
  }

  /** Returns a listener that ends the traces of settled messages with the result. */
  SettleListener settling(ClientFrame.Settle frame, SettleListener result) {
    List<DeliveryTrace> settled = settling(frame, frame.how());
    return settled.isEmpty() ? result : new TracedSettlement(settled, result);
  }

  /** Removes and returns the traces of messages that a transaction acknowledges. */
  List<DeliveryTrace> acknowledging(List<ClientFrame.Settle> acks) {
    List<DeliveryTrace> traces = new ArrayList<>();
    acks.forEach(ack -> traces.addAll(settling(ack, Settlement.ACK)));
    return traces;
  }

  private List<DeliveryTrace> settling(ClientFrame.Settle frame, Settlement how) {
    long tag = frame.tag();
    List<DeliveryTrace> settled = removed(tag, frame.upTo(), byTag.headMap(tag, true).values());
    settled.forEach(each -> each.onSettling(how.code()));
    return settled;
  }

  /** Removes and returns several traces, or that of one message. */
  private List<DeliveryTrace> removed(long tag, boolean several, Collection<DeliveryTrace> those) {
    if (several) {
      List<DeliveryTrace> traces = List.copyOf(those);
      those.clear();
      return traces;
    }
    DeliveryTrace trace = byTag.remove(tag);
    return trace == null ? List.of() : List.of(trace);
  }

  /** Result of a settlement that first ends the traces of its messages. Any thread. */
  private record TracedSettlement(List<DeliveryTrace> traces, SettleListener result)
      implements SettleListener {
    @Override
    public void onSettled() {
      traces.forEach(DeliveryTrace::onAccepted);
      result.onSettled();
    }

    @Override
    public void onRefused(ErrorCode code, String why) {
      traces.forEach(each -> each.onRefused(code.code()));
      result.onRefused(code, why);
    }
  }
}
