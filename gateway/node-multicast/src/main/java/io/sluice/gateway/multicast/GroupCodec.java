package io.sluice.gateway.multicast;

import io.sluice.gateway.link.LinkCodec;
import io.sluice.gateway.multicast.GroupRecord.Place;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.List;

/** Binary form of records about a group. Stateless, for any thread. */
final class GroupCodec {
  /** Type of a record: its first byte is the ordinal. */
  private enum Type {
    JOIN,
    OFFER,
    SENT,
    JOINED,
    LEFT,
    RECEIVED,
    REPAIR
  }

  private static final Type[] TYPES = Type.values();

  private GroupCodec() {}

  static byte[] write(GroupRecord written) {
    Buffer out = Buffer.buffer();
    if (written instanceof GroupRecord.Join join) {
      begin(Type.JOIN, out);
      LinkCodec.text(join.address(), out);
      out.appendInt(join.port()).appendInt(join.stream()).appendInt(join.session());
      out.appendInt(join.key());
      LinkCodec.bytes(join.secret(), out);
    } else if (written instanceof GroupRecord.Offer offer) {
      begin(Type.OFFER, out).appendInt(offer.ref()).appendInt(offer.channel());
      out.appendLong(offer.epoch());
    } else if (written instanceof GroupRecord.Sent sent) {
      places(sent.places(), begin(Type.SENT, out));
    } else if (written instanceof GroupRecord.Joined) {
      begin(Type.JOINED, out);
    } else if (written instanceof GroupRecord.Left left) {
      LinkCodec.text(left.why(), begin(Type.LEFT, out));
    } else if (written instanceof GroupRecord.Received received) {
      places(received.places(), begin(Type.RECEIVED, out));
    } else if (written instanceof GroupRecord.Repair repair) {
      place(repair.place(), begin(Type.REPAIR, out));
    }
    return out.getBytes();
  }

  private static Buffer begin(Type type, Buffer out) {
    return out.appendByte((byte) type.ordinal());
  }

  private static void places(List<Place> places, Buffer out) {
    out.appendInt(places.size());
    places.forEach(each -> place(each, out));
  }

  private static void place(Place place, Buffer out) {
    out.appendInt(place.ref()).appendInt(place.channel()).appendLong(place.offset());
  }

  /**
   * Reads a record.
   *
   * @return null if it is not valid
   */
  static GroupRecord read(byte[] body) {
    try {
      LinkCodec.Reader in = new LinkCodec.Reader(Buffer.buffer(body));
      return read(in);
    } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
      return null;
    }
  }

  private static GroupRecord read(LinkCodec.Reader in) {
    return switch (TYPES[in.byteValue()]) {
      case JOIN ->
          new GroupRecord.Join(
              in.required(),
              in.intValue(),
              in.intValue(),
              in.intValue(),
              in.intValue(),
              in.requiredBytes());
      case OFFER -> new GroupRecord.Offer(in.intValue(), in.intValue(), in.longValue());
      case SENT -> new GroupRecord.Sent(places(in));
      case JOINED -> new GroupRecord.Joined();
      case LEFT -> new GroupRecord.Left(in.required());
      case RECEIVED -> new GroupRecord.Received(places(in));
      case REPAIR -> new GroupRecord.Repair(place(in));
    };
  }

  private static List<Place> places(LinkCodec.Reader in) {
    List<Place> places = new ArrayList<>();
    for (int left = in.intValue(); left > 0; left--) {
      places.add(place(in));
    }
    return places;
  }

  private static Place place(LinkCodec.Reader in) {
    return new Place(in.intValue(), in.intValue(), in.longValue());
  }
}
