package io.sluice.gateway.broker.forward;

import io.sluice.gateway.broker.Acknowledgement;
import io.sluice.gateway.broker.DurableState;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.QueueRequest;
import io.sluice.gateway.broker.Requester;
import io.sluice.gateway.broker.TopicSubscription;
import io.sluice.gateway.link.LinkCodec;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.Settlement;
import io.sluice.gateway.protocol.queue.QueueDelivery;
import io.sluice.gateway.protocol.queue.ReleaseReason;
import io.sluice.gateway.protocol.queue.Reply;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Binary form of the records of queues. Stateless, for any thread. */
final class QueueCodec {
  /** Type of a record: its first byte is the ordinal. */
  private enum Type {
    CONSUME,
    CREDIT,
    CLOSE,
    SETTLE,
    RESPOND,
    TRANSACT,
    BROWSE,
    PUBLISH_ALL,
    LIST,
    DELETE,
    ASK,
    CONSUMING,
    DELIVERED,
    RELEASED,
    REFUSED,
    DONE,
    BROWSED,
    LISTED,
    REPLIED
  }

  private static final Type[] TYPES = Type.values();
  private static final PayloadKind[] KINDS = PayloadKind.values();
  private static final Settlement[] SETTLEMENTS = Settlement.values();
  private static final ReleaseReason[] REASONS = ReleaseReason.values();
  private static final QueueDelivery.Redelivery[] REDELIVERIES = QueueDelivery.Redelivery.values();

  private QueueCodec() {}

  /** Returns the bytes of a record. */
  static byte[] write(QueueRecord written) {
    Buffer out = Buffer.buffer();
    if (written instanceof QueueRecord.Call call) {
      writeCall(call, out);
    } else {
      writeResult((QueueRecord.Result) written, out);
    }
    return out.getBytes();
  }

  private static void writeCall(QueueRecord.Call written, Buffer out) {
    if (written instanceof QueueRecord.Settle settle) {
      begin(Type.SETTLE, settle, out).appendInt(settle.consumer()).appendLong(settle.tag());
      flag(settle.upTo(), out);
      ordinal(settle.how(), out);
    } else if (written instanceof QueueRecord.Credit credit) {
      begin(Type.CREDIT, credit, out).appendInt(credit.credit());
    } else if (written instanceof QueueRecord.Consume consume) {
      request(consume.request(), begin(Type.CONSUME, consume, out));
    } else if (written instanceof QueueRecord.Close close) {
      begin(Type.CLOSE, close, out);
    } else if (written instanceof QueueRecord.Browse browse) {
      request(browse.request(), begin(Type.BROWSE, browse, out));
      out.appendInt(browse.max());
    } else if (written instanceof QueueRecord.Respond respond) {
      begin(Type.RESPOND, respond, out).appendInt(respond.consumer());
      requester(respond.requester(), out);
      out.appendLong(respond.tag());
      LinkCodec.writePublication(respond.reply(), out);
    } else if (written instanceof QueueRecord.Ask ask) {
      requester(ask.requester(), begin(Type.ASK, ask, out));
      out.appendLong(ask.timeoutMs());
      LinkCodec.writePublication(ask.publication(), out);
    } else {
      writeRareCall(written, out);
    }
  }

  private static void writeRareCall(QueueRecord.Call written, Buffer out) {
    if (written instanceof QueueRecord.Transact transact) {
      begin(Type.TRANSACT, transact, out).appendInt(transact.consumer());
      requester(transact.requester(), out);
      out.appendInt(transact.acknowledgements().size());
      for (Acknowledgement each : transact.acknowledgements()) {
        out.appendLong(each.tag());
        flag(each.upTo(), out);
      }
      publications(transact.publications(), out);
    } else if (written instanceof QueueRecord.PublishAll publish) {
      requester(publish.requester(), begin(Type.PUBLISH_ALL, publish, out));
      publications(publish.publications(), out);
    } else if (written instanceof QueueRecord.ListDurables list) {
      requester(list.requester(), begin(Type.LIST, list, out));
      LinkCodec.text(list.principal(), out);
      out.appendInt(list.max());
    } else if (written instanceof QueueRecord.Delete delete) {
      requester(delete.requester(), begin(Type.DELETE, delete, out));
      subscription(delete.subscription(), out);
    } else {
      throw new IllegalArgumentException(String.valueOf(written));
    }
  }

  private static void writeResult(QueueRecord.Result written, Buffer out) {
    if (written instanceof QueueRecord.Delivered delivered) {
      delivery(delivered.message(), begin(Type.DELIVERED, delivered, out));
    } else if (written instanceof QueueRecord.Done done) {
      begin(Type.DONE, done, out);
    } else if (written instanceof QueueRecord.Consuming consuming) {
      begin(Type.CONSUMING, consuming, out);
    } else if (written instanceof QueueRecord.Released released) {
      begin(Type.RELEASED, released, out).appendLong(released.tag());
      ordinal(released.reason(), out);
    } else if (written instanceof QueueRecord.Refused refused) {
      LinkCodec.text(refused.code().name(), begin(Type.REFUSED, refused, out));
      LinkCodec.text(refused.why(), out);
    } else if (written instanceof QueueRecord.Browsed browsed) {
      flag(browsed.more(), begin(Type.BROWSED, browsed, out));
      out.appendInt(browsed.skipped());
    } else if (written instanceof QueueRecord.Listed listed) {
      begin(Type.LISTED, listed, out).appendInt(listed.durables().size());
      listed.durables().forEach(each -> durable(each, out));
      flag(listed.last(), out);
    } else if (written instanceof QueueRecord.Replied replied) {
      reply(replied.reply(), begin(Type.REPLIED, replied, out));
    } else {
      throw new IllegalArgumentException(String.valueOf(written));
    }
  }

  private static Buffer begin(Type type, QueueRecord written, Buffer out) {
    return out.appendByte((byte) type.ordinal()).appendInt(written.ref());
  }

  private static void flag(boolean value, Buffer out) {
    out.appendByte((byte) (value ? 1 : 0));
  }

  private static void ordinal(Enum<?> value, Buffer out) {
    out.appendByte((byte) value.ordinal());
  }

  private static void requester(Requester requester, Buffer out) {
    LinkCodec.text(requester.session(), out);
    LinkCodec.text(requester.user(), out);
    out.appendInt(requester.sequence());
  }

  private static void request(QueueRequest request, Buffer out) {
    requester(request.requester(), out);
    LinkCodec.text(request.queue(), out);
    if (request.queue() == null) {
      subscription(request.subscription(), out);
    }
    LinkCodec.text(request.where(), out);
    out.appendInt(request.credit());
  }

  private static void subscription(TopicSubscription subscription, Buffer out) {
    LinkCodec.text(subscription.principal(), out);
    LinkCodec.text(subscription.topic(), out);
    LinkCodec.text(subscription.name(), out);
    flag(subscription.durable(), out);
  }

  private static void publications(List<Publication> publications, Buffer out) {
    out.appendInt(publications.size());
    publications.forEach(each -> LinkCodec.writePublication(each, out));
  }

  private static void durable(DurableState state, Buffer out) {
    subscription(state.subscription(), out);
    LinkCodec.text(state.where(), out);
    out.appendLong(state.messages()).appendLong(state.consumers());
  }

  private static void delivery(QueueDelivery message, Buffer out) {
    out.appendLong(message.tag());
    ordinal(message.redelivery(), out);
    out.appendLong(message.identity()).appendLong(message.timeMs());
    ordinal(message.kind(), out);
    LinkCodec.bytes(message.payload(), out);
    LinkCodec.bytes(message.properties(), out);
    LinkCodec.text(message.messageType(), out);
    LinkCodec.text(message.correlationId(), out);
    LinkCodec.destination(message.replyTo(), out);
    LinkCodec.text(message.group(), out);
    LinkCodec.text(message.topic(), out);
  }

  private static void reply(Reply reply, Buffer out) {
    out.appendLong(reply.identity()).appendLong(reply.timeMs());
    ordinal(reply.kind(), out);
    LinkCodec.bytes(reply.payload(), out);
    LinkCodec.bytes(reply.properties(), out);
    LinkCodec.text(reply.messageType(), out);
  }

  /**
   * Returns the record of bytes.
   *
   * @throws LinkCodec.Malformed if they are anything else
   */
  static QueueRecord read(byte[] bytes) throws LinkCodec.Malformed {
    Reader reader = new Reader(new LinkCodec.Reader(Buffer.buffer(bytes)));
    try {
      QueueRecord read = reader.next();
      if (!reader.in.hasMore()) {
        return read;
      }
    } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
      throw new LinkCodec.Malformed("a record of queues has an unknown value", e);
    }
    throw new LinkCodec.Malformed("a record of queues is too long", null);
  }

  /** Reader of one record. Each element of a list has at least one byte. */
  private record Reader(LinkCodec.Reader in) {
    QueueRecord next() {
      Type type = TYPES[in.byteValue()];
      int ref = in.intValue();
      return type.compareTo(Type.CONSUMING) < 0 ? call(type, ref) : result(type, ref);
    }

    private QueueRecord call(Type type, int ref) {
      return switch (type) {
        case CONSUME -> new QueueRecord.Consume(ref, request());
        case CREDIT -> new QueueRecord.Credit(ref, in.intValue());
        case CLOSE -> new QueueRecord.Close(ref);
        case SETTLE ->
            new QueueRecord.Settle(
                ref, in.intValue(), in.longValue(), flag(), SETTLEMENTS[in.byteValue()]);
        case RESPOND ->
            new QueueRecord.Respond(
                ref, in.intValue(), requester(), in.longValue(), in.publication());
        case TRANSACT ->
            new QueueRecord.Transact(
                ref,
                in.intValue(),
                requester(),
                list(() -> new Acknowledgement(in.longValue(), flag())),
                list(in::publication));
        case BROWSE -> new QueueRecord.Browse(ref, request(), in.intValue());
        case PUBLISH_ALL -> new QueueRecord.PublishAll(ref, requester(), list(in::publication));
        case LIST -> new QueueRecord.ListDurables(ref, requester(), in.text(), in.intValue());
        case DELETE -> new QueueRecord.Delete(ref, requester(), subscription());
        default -> new QueueRecord.Ask(ref, requester(), in.longValue(), in.publication());
      };
    }

    private QueueRecord result(Type type, int ref) {
      return switch (type) {
        case CONSUMING -> new QueueRecord.Consuming(ref);
        case DELIVERED -> new QueueRecord.Delivered(ref, delivery());
        case RELEASED -> new QueueRecord.Released(ref, in.longValue(), REASONS[in.byteValue()]);
        case REFUSED ->
            new QueueRecord.Refused(ref, ErrorCode.valueOf(in.required()), in.required());
        case DONE -> new QueueRecord.Done(ref);
        case BROWSED -> new QueueRecord.Browsed(ref, flag(), in.intValue());
        case LISTED -> new QueueRecord.Listed(ref, list(this::durable), flag());
        default -> new QueueRecord.Replied(ref, reply());
      };
    }

    private boolean flag() {
      return in.byteValue() != 0;
    }

    private <T> List<T> list(Supplier<T> element) {
      List<T> elements = new ArrayList<>();
      for (int left = in.intValue(); left > 0; left--) {
        elements.add(element.get());
      }
      return elements;
    }

    private Requester requester() {
      return new Requester(in.required(), in.required(), in.intValue());
    }

    private QueueRequest request() {
      Requester requester = requester();
      String queue = in.text();
      TopicSubscription subscription = queue == null ? subscription() : null;
      return new QueueRequest(requester, queue, subscription, in.text(), in.intValue());
    }

    private TopicSubscription subscription() {
      return new TopicSubscription(in.required(), in.required(), in.required(), flag());
    }

    private DurableState durable() {
      return new DurableState(subscription(), in.text(), in.longValue(), in.longValue());
    }

    private QueueDelivery delivery() {
      return new QueueDelivery(
          in.longValue(),
          REDELIVERIES[in.byteValue()],
          in.longValue(),
          in.longValue(),
          KINDS[in.byteValue()],
          in.requiredBytes(),
          in.bytes(),
          in.text(),
          in.text(),
          in.destination(),
          in.text(),
          in.text());
    }

    private Reply reply() {
      return new Reply(
          in.longValue(),
          in.longValue(),
          KINDS[in.byteValue()],
          in.requiredBytes(),
          in.bytes(),
          in.text());
    }
  }
}
