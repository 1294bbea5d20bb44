package io.sluice.cluster;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Message by which a node announces itself. Immutable, for any thread.
 *
 * <p>A later version may append fields, which earlier ones ignore.
 *
 * @param node the sender
 * @param number sequence number in this incarnation; messages may arrive out of order
 */
record Status(Node node, long number) {
  /** First byte of the message. */
  static final int CHANNEL = 5;

  static final int MAX_NAME_BYTES = 255;
  static final int MAX_URL_BYTES = 2048;

  /** Encodes the message; texts must be within the limits. */
  byte[] encode() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    Load load = node.load();
    try {
      DataOutputStream out = new DataOutputStream(bytes);
      out.writeByte(CHANNEL);
      out.writeUTF(node.id());
      out.writeLong(node.incarnation());
      out.writeLong(number);
      out.writeUTF(node.publicUrl());
      out.writeUTF(node.adminUrl());
      out.writeUTF(node.version());
      out.writeInt(node.state().code());
      out.writeLong(node.sinceMs());
      out.writeInt(node.capacity());
      out.writeInt(load.connections());
      out.writeInt(load.movable());
      out.writeDouble(load.messageRate());
      out.writeDouble(load.cpu());
      out.writeDouble(load.loopLagMs());
    } catch (IOException e) {
      throw new UncheckedIOException("a buffer in memory cannot be written", e);
    }
    return bytes.toByteArray();
  }

  /** Decodes a message; fails if it is malformed. */
  static Status decode(byte[] bytes) throws IOException {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      in.readByte();
      String name = text(in, MAX_NAME_BYTES);
      long incarnation = in.readLong();
      long number = in.readLong();
      String publicUrl = text(in, MAX_URL_BYTES);
      String adminUrl = text(in, MAX_URL_BYTES);
      String version = text(in, MAX_NAME_BYTES);
      NodeState state = NodeState.of(in.readInt());
      long sinceMs = in.readLong();
      int capacity = in.readInt();
      Load load =
          new Load(in.readInt(), in.readInt(), in.readDouble(), in.readDouble(), in.readDouble());
      if (name.isEmpty() || capacity < 0) {
        throw new IOException("status without a name, or with capacity " + capacity);
      }
      Node node =
          new Node(name, incarnation, publicUrl, adminUrl, version, state, sinceMs, load, capacity);
      return new Status(node, number);
    } catch (IllegalArgumentException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private static String text(DataInputStream in, int maxLength) throws IOException {
    String text = in.readUTF();
    if (text.length() > maxLength) {
      throw new IOException("text of " + text.length() + " characters in a status");
    }
    return text;
  }
}
