package io.sluice.gateway.hub;

import io.sluice.gateway.broker.Acknowledgement;
import io.sluice.gateway.broker.BrowseListener;
import io.sluice.gateway.broker.DurableState;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.PublishListener;
import io.sluice.gateway.broker.QueueConsumer;
import io.sluice.gateway.broker.QueueListener;
import io.sluice.gateway.broker.QueueRequest;
import io.sluice.gateway.broker.Queues;
import io.sluice.gateway.broker.Requester;
import io.sluice.gateway.broker.ResultListener;
import io.sluice.gateway.broker.SettleListener;
import io.sluice.gateway.broker.TopicSubscription;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.Settlement;
import io.sluice.gateway.protocol.queue.QueueDelivery;
import io.sluice.gateway.protocol.queue.QueueDelivery.Redelivery;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Queues of a broker controlled by the test, on the test's thread. */
public final class ScriptedQueues implements Queues {
  /** All consumers so far. */
  public final List<Opened> opened = new ArrayList<>();

  /** All browses so far. */
  public final List<Browsed> browsed = new ArrayList<>();

  /** One browse. */
  public record Browsed(QueueRequest request, int max, BrowseListener listener) {}

  /** One settlement. */
  public record Settled(long tag, boolean upTo, Settlement how, SettleListener listener) {
    @Override
    public String toString() {
      return how.code() + " " + tag + (upTo ? " and before" : "");
    }
  }

  /** One reply to a message. */
  public record Responded(long tag, Publication reply, PublishListener listener) {}

  /** One transaction. */
  public record Transaction(
      List<Acknowledgement> acknowledgements,
      List<Publication> publications,
      PublishListener listener) {}

  /** One request for a list of durable subscriptions. */
  public record Listed(String principal, int max, ResultListener<List<DurableState>> listener) {}

  /** One removal of a durable subscription. */
  public record Deleted(TopicSubscription subscription, ResultListener<Void> listener) {}

  /** All transactions without acknowledgements so far. */
  public final List<Transaction> published = new ArrayList<>();

  /** All requests for lists so far. */
  public final List<Listed> listed = new ArrayList<>();

  /** All removals so far. */
  public final List<Deleted> deleted = new ArrayList<>();

  /** One consumer; the test delivers its messages. */
  public static final class Opened implements QueueConsumer {
    public final QueueRequest request;
    public final QueueListener listener;
    public final List<Settled> settled = new ArrayList<>();
    public final List<Responded> responded = new ArrayList<>();
    public final List<Transaction> transactions = new ArrayList<>();
    public int credit;
    public boolean closed;
    private long tags;

    Opened(QueueRequest request, QueueListener listener) {
      this.request = request;
      this.listener = listener;
      this.credit = request.credit();
    }

    /** Delivers a message. */
    public void deliver(String payload) {
      listener.onDelivery(message(++tags, payload));
    }

    @Override
    public void credit(int newCredit) {
      credit = newCredit;
    }

    @Override
    public void settle(long tag, boolean upTo, Settlement how, SettleListener result) {
      settled.add(new Settled(tag, upTo, how, result));
    }

    @Override
    public void respond(long tag, Publication reply, PublishListener result) {
      responded.add(new Responded(tag, reply, result));
    }

    @Override
    public void transact(
        List<Acknowledgement> acknowledgements,
        List<Publication> publications,
        PublishListener result) {
      transactions.add(new Transaction(acknowledgements, publications, result));
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  /** Returns a text message. */
  public static QueueDelivery message(long tag, String payload) {
    byte[] text = payload.getBytes(StandardCharsets.UTF_8);
    return new QueueDelivery(
        tag, Redelivery.NONE, tag, 1, PayloadKind.TEXT, text, null, null, null, null, null, null);
  }

  @Override
  public QueueConsumer consume(QueueRequest request, QueueListener listener) {
    Opened added = new Opened(request, listener);
    opened.add(added);
    return added;
  }

  @Override
  public void browse(QueueRequest request, int max, BrowseListener listener) {
    browsed.add(new Browsed(request, max, listener));
  }

  @Override
  public void publish(List<Publication> publications, PublishListener listener) {
    published.add(new Transaction(List.of(), publications, listener));
  }

  @Override
  public void list(
      Requester requester, String principal, int max, ResultListener<List<DurableState>> listener) {
    listed.add(new Listed(principal, max, listener));
  }

  @Override
  public void delete(
      Requester requester, TopicSubscription subscription, ResultListener<Void> listener) {
    deleted.add(new Deleted(subscription, listener));
  }
}
