package io.sluice.client.internal;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** Encoder of the frames of a client, whose payload may be a {@code byte[]}. */
public final class FrameEncoder {
  private static final int TEXT = 0x02;
  private static final int BYTES = 0x12;
  private static final int HAS_MEMBERS = 0x20;
  private static final long MAX_REF = 0xffffffffL;
  private static final int MAX_LENGTH = 0xffff;
  private static final Set<String> IN_HEADER = Set.of("type", "ref", "topic", "payload");

  private FrameEncoder() {}

  /** Returns the frame as JSON. */
  public static String text(Map<String, Object> frame) {
    if (!(frame.get("payload") instanceof byte[])) {
      return Json.write(frame);
    }
    Map<String, Object> copy = new LinkedHashMap<>(frame);
    copy.put("payload", Base64.getEncoder().encodeToString((byte[]) frame.get("payload")));
    copy.put("encoding", "base64");
    return Json.write(copy);
  }

  /** Returns a publish of text or bytes as a binary frame; null for frames without that form. */
  public static byte[] binary(Map<String, Object> frame) {
    Object payload = frame.get("payload");
    boolean isBytes = payload instanceof byte[];
    boolean isText = payload instanceof String && !frame.containsKey("encoding");
    if (!"publish".equals(frame.get("type")) || !(isBytes || isText)) {
      return null;
    }
    byte[] topic = utf8((String) frame.getOrDefault("topic", ""));
    byte[] members = members(frame);
    long ref = (Long) frame.get("ref");
    if (ref > MAX_REF || topic.length > MAX_LENGTH || members.length > MAX_LENGTH) {
      return null;
    }
    byte[] body = isBytes ? (byte[]) payload : utf8((String) payload);
    boolean hasMembers = members.length > 0;
    int length = 7 + topic.length + (hasMembers ? 2 + members.length : 0) + body.length;
    ByteBuffer out = ByteBuffer.allocate(length);
    out.put((byte) ((isBytes ? BYTES : TEXT) | (hasMembers ? HAS_MEMBERS : 0)));
    out.putInt((int) ref).putShort((short) topic.length).put(topic);
    if (hasMembers) {
      out.putShort((short) members.length).put(members);
    }
    return out.put(body).array();
  }

  private static byte[] members(Map<String, Object> frame) {
    Map<String, Object> members = new LinkedHashMap<>(frame);
    members.keySet().removeAll(IN_HEADER);
    return members.isEmpty() ? new byte[0] : utf8(Json.write(members));
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
