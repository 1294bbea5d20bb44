package io.sluice.gateway.link;

import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.StreamPlace;
import io.sluice.gateway.protocol.Destination;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.Feature;
import io.sluice.gateway.protocol.GapReason;
import io.sluice.gateway.protocol.InterestKey;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.PublishHeaders;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Binary form of the records of links. Stateless, for any thread. */
public final class LinkCodec {
  /** Version of the form. */
  public static final int VERSION = 1;

  /** The subprotocol of links. */
  public static final String SUBPROTOCOL = "sluice.v1.node";

  /** Capability of {@link LinkRecord.Lag}. */
  static final String LAG = "lag";

  /** Capability of {@link LinkRecord.Read}. */
  static final String READ_BACK = "read-back";

  /** Names of the optional records that this node handles; see {@link LinkRecord.Hello}. */
  public static final List<String> CAPABILITIES = List.of(LAG, READ_BACK);

  /** Bytes of a message's record besides its texts and its payload. */
  static final int ENTRY_BYTES = 48;

  private static final int NULL = -1;

  /** Flag in the kind of a message whose expiry follows. */
  private static final int EXPIRES = 0x40;

  /** Type of a record: its first byte is the ordinal. */
  private enum Type {
    HELLO,
    STATE,
    OPEN,
    CLOSE,
    CREDIT,
    BEGIN,
    ENTRY,
    GAP,
    LIVE,
    REFUSED,
    PUBLISH,
    PUBLISHED,
    PUBLISH_REFUSED,
    OF_QUEUES,
    USED,
    OF_PRESENCE,
    LAG,
    CONFIRM,
    CONFIRMED,
    OF_REVOCATIONS,
    READ,
    STORED,
    OF_GROUP
  }

  private static final Type[] TYPES = Type.values();
  private static final PayloadKind[] KINDS = PayloadKind.values();
  private static final PublishHeaders.Mode[] MODES = PublishHeaders.Mode.values();

  private LinkCodec() {}

  /** Reports a frame that another node must not send. */
  public static final class Malformed extends Exception {
    private static final long serialVersionUID = 1L;

    public Malformed(String what, Throwable cause) {
      super(what, cause);
    }
  }

  /** Appends a record to a frame. */
  public static void write(LinkRecord written, Buffer out) {
    if (written instanceof LinkRecord.Entry entry) {
      begin(Type.ENTRY, entry.ref(), out).appendLong(entry.offset());
      message(entry.message(), out);
    } else if (written instanceof LinkRecord.Stored stored) {
      begin(Type.STORED, stored.ref(), out).appendInt(stored.number());
      message(stored.message(), out);
    } else if (written instanceof LinkRecord.Credit credit) {
      begin(Type.CREDIT, credit.ref(), out).appendInt(credit.bytes());
    } else if (written instanceof LinkRecord.Publish publish) {
      begin(Type.PUBLISH, publish.ref(), out);
      text(publish.user(), out);
      out.appendInt(publish.sequence());
      writePublication(publish.publication(), out);
    } else if (written instanceof LinkRecord.Published published) {
      begin(Type.PUBLISHED, published.ref(), out);
    } else if (written instanceof LinkRecord.OfQueues part) {
      begin(Type.OF_QUEUES, 0, out);
      bytes(part.body(), out);
    } else if (written instanceof LinkRecord.OfPresence part) {
      begin(Type.OF_PRESENCE, 0, out);
      bytes(part.body(), out);
    } else if (written instanceof LinkRecord.OfGroup part) {
      begin(Type.OF_GROUP, 0, out);
      bytes(part.body(), out);
    } else {
      writeRare(written, out);
    }
  }

  private static void writeRare(LinkRecord written, Buffer out) {
    if (written instanceof LinkRecord.Hello hello) {
      begin(Type.HELLO, hello.version(), out).appendByte((byte) (hello.isRoot() ? 1 : 0));
      text(hello.node(), out);
      texts(hello.path(), out);
      out.appendInt(hello.tiers());
      texts(hello.capabilities(), out);
    } else if (written instanceof LinkRecord.State state) {
      begin(Type.STATE, 0, out);
      texts(state.lost(), out);
      texts(state.features().stream().map(Feature::name).sorted().toList(), out);
      text(state.text(), out);
    } else if (written instanceof LinkRecord.Used used) {
      begin(Type.USED, 0, out);
      texts(used.names(), out);
    } else if (written instanceof LinkRecord.Open open) {
      begin(Type.OPEN, open.ref(), out);
      text(open.key().topic(), out);
      text(open.key().selector(), out);
      out.appendLong(open.epoch()).appendLong(open.offset());
      place(open.reached(), out);
    } else if (written instanceof LinkRecord.Close close) {
      begin(Type.CLOSE, close.ref(), out);
    } else if (written instanceof LinkRecord.Begin begun) {
      begin(Type.BEGIN, begun.ref(), out).appendLong(begun.epoch()).appendLong(begun.offset());
      place(begun.place(), out);
      out.appendByte((byte) (begun.isConfirmed() ? 1 : 0));
    } else if (written instanceof LinkRecord.Confirm confirm) {
      begin(Type.CONFIRM, confirm.ref(), out).appendInt(confirm.number());
      place(confirm.claimed(), out);
    } else if (written instanceof LinkRecord.Confirmed confirmed) {
      begin(Type.CONFIRMED, confirmed.ref(), out).appendInt(confirmed.number());
      text(confirmed.problem(), out);
    } else if (written instanceof LinkRecord.Read read) {
      begin(Type.READ, read.ref(), out).appendInt(read.number());
      place(read.after(), out);
      place(read.upTo(), out);
      place(read.claimed(), out);
      out.appendInt(read.maxMessages()).appendLong(read.maxBytes());
    } else if (written instanceof LinkRecord.Gap gap) {
      begin(Type.GAP, gap.ref(), out).appendLong(gap.offset()).appendLong(gap.identity());
      text(gap.reason().name(), out);
    } else if (written instanceof LinkRecord.Live live) {
      begin(Type.LIVE, live.ref(), out);
    } else if (written instanceof LinkRecord.OfRevocations part) {
      begin(Type.OF_REVOCATIONS, 0, out);
      bytes(part.body(), out);
    } else if (written instanceof LinkRecord.Lag lag) {
      begin(Type.LAG, 0, out).appendLong(lag.messages()).appendLong(lag.ageMs());
    } else if (written instanceof LinkRecord.Refused refused) {
      refusal(Type.REFUSED, refused.ref(), refused.code(), refused.why(), out);
    } else if (written instanceof LinkRecord.PublishRefused refused) {
      refusal(Type.PUBLISH_REFUSED, refused.ref(), refused.code(), refused.why(), out);
    } else {
      throw new IllegalArgumentException(String.valueOf(written));
    }
  }

  private static Buffer begin(Type type, int ref, Buffer out) {
    return out.appendByte((byte) type.ordinal()).appendInt(ref);
  }

  private static void refusal(Type type, int ref, ErrorCode code, String why, Buffer out) {
    begin(type, ref, out);
    text(code.name(), out);
    text(why, out);
  }

  private static void message(Message message, Buffer out) {
    int kind = message.kind().ordinal();
    out.appendLong(message.identity()).appendLong(message.timeMs());
    if (message.expiresMs() == Message.NO_EXPIRY) {
      out.appendByte((byte) kind);
    } else {
      out.appendByte((byte) (kind | EXPIRES)).appendLong(message.expiresMs());
    }
    text(message.topic(), out);
    text(message.key(), out);
    bytes(message.properties(), out);
    bytes(message.payload(), out);
  }

  /** Appends a message of a client to a record. */
  public static void writePublication(Publication publication, Buffer out) {
    destination(publication.destination(), out);
    out.appendByte((byte) publication.kind().ordinal());
    bytes(publication.payload(), out);
    out.appendInt(publication.properties().size());
    publication
        .properties()
        .forEach(
            (name, value) -> {
              text(name, out);
              TypedValue.write(value, out);
            });
    PublishHeaders headers = publication.headers();
    out.appendInt(headers.priority()).appendLong(headers.ttlMs()).appendLong(headers.delayMs());
    out.appendByte((byte) headers.mode().ordinal());
    text(headers.messageType(), out);
    text(headers.correlationId(), out);
    text(headers.group(), out);
    destination(headers.replyTo(), out);
    text(headers.id(), out);
  }

  /**
   * Appends a destination to a record.
   *
   * @param destination may be null
   */
  public static void destination(Destination destination, Buffer out) {
    text(destination == null ? null : destination.name(), out);
    out.appendByte((byte) (destination != null && destination.isQueue() ? 1 : 0));
  }

  /**
   * @param place may be null
   */
  private static void place(StreamPlace place, Buffer out) {
    out.appendByte((byte) (place == null ? 0 : 1));
    if (place != null) {
      out.appendInt(place.stream());
      longs(place.ids(), out);
      longs(place.reused(), out);
      out.appendByte((byte) (place.whole() ? 1 : 0));
    }
  }

  private static void longs(long[] values, Buffer out) {
    out.appendInt(values.length);
    for (long each : values) {
      out.appendLong(each);
    }
  }

  private static void texts(List<String> texts, Buffer out) {
    out.appendInt(texts.size());
    texts.forEach(each -> text(each, out));
  }

  /**
   * Appends a text to a record.
   *
   * @param text may be null
   */
  public static void text(String text, Buffer out) {
    bytes(text == null ? null : text.getBytes(StandardCharsets.UTF_8), out);
  }

  /**
   * Appends bytes with their length to a record.
   *
   * @param bytes may be null
   */
  public static void bytes(byte[] bytes, Buffer out) {
    if (bytes == null) {
      out.appendInt(NULL);
    } else {
      out.appendInt(bytes.length).appendBytes(bytes);
    }
  }

  /**
   * Returns the records of a frame.
   *
   * @throws Malformed if it contains anything else
   */
  public static List<LinkRecord> read(Buffer frame) throws Malformed {
    Reader in = new Reader(frame);
    List<LinkRecord> records = new ArrayList<>();
    try {
      while (in.hasMore()) {
        records.add(in.next());
      }
    } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
      throw new Malformed("a record ends too early, or has an unknown value", e);
    }
    return records;
  }

  /**
   * Reader of the values of records. Used by one thread. All methods throw {@link
   * IndexOutOfBoundsException} or {@link IllegalArgumentException} for others.
   */
  public static final class Reader {
    private final Buffer in;
    private int at;

    /** Creates a reader of a frame, or of a record within one. */
    public Reader(Buffer in) {
      this.in = in;
    }

    /** Returns whether further values follow. */
    public boolean hasMore() {
      return at < in.length();
    }

    LinkRecord next() {
      Type type = TYPES[byteValue()];
      int ref = intValue();
      return switch (type) {
        case HELLO ->
            new LinkRecord.Hello(ref, byteValue() != 0, required(), texts(), intValue(), texts());
        case STATE ->
            new LinkRecord.State(
                texts(),
                texts().stream().map(Feature::valueOf).collect(Collectors.toUnmodifiableSet()),
                required());
        case USED -> new LinkRecord.Used(texts());
        case OPEN ->
            new LinkRecord.Open(
                ref, new InterestKey(required(), text()), longValue(), longValue(), place());
        case CLOSE -> new LinkRecord.Close(ref);
        case CREDIT -> new LinkRecord.Credit(ref, intValue());
        case BEGIN ->
            new LinkRecord.Begin(ref, longValue(), longValue(), place(), byteValue() != 0);
        case CONFIRM -> new LinkRecord.Confirm(ref, intValue(), requiredPlace());
        case CONFIRMED -> new LinkRecord.Confirmed(ref, intValue(), text());
        case READ ->
            new LinkRecord.Read(
                ref,
                intValue(),
                requiredPlace(),
                requiredPlace(),
                requiredPlace(),
                intValue(),
                longValue());
        case STORED -> new LinkRecord.Stored(ref, intValue(), message());
        case ENTRY -> new LinkRecord.Entry(ref, longValue(), message());
        case GAP ->
            new LinkRecord.Gap(ref, longValue(), longValue(), GapReason.valueOf(required()));
        case LIVE -> new LinkRecord.Live(ref);
        case LAG -> new LinkRecord.Lag(longValue(), longValue());
        case REFUSED -> new LinkRecord.Refused(ref, ErrorCode.valueOf(required()), required());
        case PUBLISH -> new LinkRecord.Publish(ref, required(), intValue(), publication());
        case PUBLISHED -> new LinkRecord.Published(ref);
        case PUBLISH_REFUSED ->
            new LinkRecord.PublishRefused(ref, ErrorCode.valueOf(required()), required());
        case OF_QUEUES -> new LinkRecord.OfQueues(requiredBytes());
        case OF_REVOCATIONS -> new LinkRecord.OfRevocations(requiredBytes());
        case OF_PRESENCE -> new LinkRecord.OfPresence(requiredBytes());
        case OF_GROUP -> new LinkRecord.OfGroup(requiredBytes());
      };
    }

    private Message message() {
      long identity = longValue();
      long timeMs = longValue();
      int kind = byteValue();
      long expiresMs = (kind & EXPIRES) == 0 ? Message.NO_EXPIRY : longValue();
      String topic = required();
      String key = text();
      byte[] properties = bytes();
      return new Message(
              topic, identity, timeMs, KINDS[kind & ~EXPIRES], requiredBytes(), properties, key)
          .expiring(expiresMs);
    }

    /** Reads what {@link LinkCodec#writePublication} has written. */
    public Publication publication() {
      Destination destination = destination();
      PayloadKind kind = KINDS[byteValue()];
      byte[] payload = requiredBytes();
      Map<String, Object> properties = new LinkedHashMap<>();
      for (int left = intValue(); left > 0; left--) {
        properties.put(required(), TypedValue.read(this));
      }
      PublishHeaders headers =
          new PublishHeaders(
              intValue(),
              longValue(),
              longValue(),
              MODES[byteValue()],
              text(),
              text(),
              text(),
              destination(),
              text());
      if (destination == null) {
        throw new IllegalArgumentException("a publish without a destination");
      }
      return new Publication(destination, kind, payload, properties, headers);
    }

    /** Reads a destination, or null. */
    public Destination destination() {
      String name = text();
      boolean isQueue = byteValue() != 0;
      if (name == null) {
        return null;
      }
      return isQueue ? Destination.queue(name) : Destination.topic(name);
    }

    private StreamPlace place() {
      return byteValue() == 0
          ? null
          : new StreamPlace(intValue(), longs(), longs(), byteValue() != 0);
    }

    private StreamPlace requiredPlace() {
      StreamPlace place = place();
      if (place == null) {
        throw new IllegalArgumentException("a record without a place");
      }
      return place;
    }

    private long[] longs() {
      int length = intValue();
      if (length < 0 || (long) length * Long.BYTES > in.length() - at) {
        throw new IllegalArgumentException("a list with " + length + " numbers");
      }
      long[] values = new long[length];
      for (int i = 0; i < length; i++) {
        values[i] = longValue();
      }
      return values;
    }

    private List<String> texts() {
      List<String> texts = new ArrayList<>();
      for (int left = intValue(); left > 0; left--) {
        texts.add(required());
      }
      return List.copyOf(texts);
    }

    /** Reads a text that is not null. */
    public String required() {
      return new String(requiredBytes(), StandardCharsets.UTF_8);
    }

    /** Reads a text, or null. */
    public String text() {
      byte[] bytes = bytes();
      return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
    }

    /** Reads bytes that are not null. */
    public byte[] requiredBytes() {
      byte[] bytes = bytes();
      if (bytes == null) {
        throw new IllegalArgumentException("a record without a value that it must have");
      }
      return bytes;
    }

    /** Reads bytes, or null. */
    public byte[] bytes() {
      int length = intValue();
      if (length == NULL) {
        return null;
      }
      if (length < 0 || length > in.length() - at) { // before an array of this size exists
        throw new IllegalArgumentException("a value of " + length + " bytes");
      }
      byte[] bytes = in.getBytes(at, at + length);
      at += length;
      return bytes;
    }

    /** Reads one byte. */
    public byte byteValue() {
      return in.getByte(at++);
    }

    /** Reads four bytes. */
    public int intValue() {
      int value = in.getInt(at);
      at += Integer.BYTES;
      return value;
    }

    /** Reads eight bytes. */
    public long longValue() {
      long value = in.getLong(at);
      at += Long.BYTES;
      return value;
    }
  }
}
