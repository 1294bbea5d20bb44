package io.sluice.gateway.session;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.netty.buffer.ByteBuf;
import io.sluice.gateway.limits.Lease;
import io.sluice.gateway.websocket.CloseCode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/** Connection of a JSON client that accepts flushed bytes up to a limit. */
public final class TestConnection implements Connection {
  public static final String ADDRESS = "192.0.2.1";

  private static final ObjectMapper JSON = new ObjectMapper();

  public final List<JsonNode> frames = new ArrayList<>();
  private final Executor loop;
  private long room = Long.MAX_VALUE;
  private long pending;
  private long taken;
  private CloseCode closed;

  /** Lease with which the node admitted the connection. */
  public Lease lease = Lease.unlimited();

  /** Whether the connection is an HTTP stream. */
  public boolean stream;

  /** Thrown by each write if not null. */
  RuntimeException failure;

  public TestConnection(Executor loop) {
    this.loop = loop;
  }

  /** Accepts this number of further bytes. */
  public void takeOnly(long bytes) {
    room = taken + bytes;
  }

  long taken() {
    return taken;
  }

  /** Null while the session is open. */
  public CloseCode closed() {
    return closed;
  }

  /** Returns whether any frame contains this text. */
  boolean wasTold(String what) {
    return frames.stream().anyMatch(frame -> frame.toString().contains(what));
  }

  /** Returns the types of all frames in order. */
  List<String> types() {
    return frames.stream().map(frame -> frame.get("type").asText()).toList();
  }

  @Override
  public void write(ByteBuf written) {
    if (failure != null) {
      throw failure;
    }
    pending += written.readableBytes();
    ByteBuf rest = written.duplicate();
    while (rest.isReadable()) {
      rest.skipBytes(1);
      int length = rest.readUnsignedByte();
      length = length == 126 ? rest.readUnsignedShort() : length;
      read(rest.readSlice(length).toString(StandardCharsets.UTF_8));
    }
  }

  private void read(String text) {
    try {
      frames.add(JSON.readTree(text));
    } catch (JsonProcessingException e) {
      throw new AssertionError(text, e);
    }
  }

  @Override
  public void flush() {
    long now = Math.min(pending, room - taken);
    pending -= now;
    taken += now;
  }

  @Override
  public void flushInBatch() {
    flush();
  }

  @Override
  public void abort() {
    pending = 0;
  }

  @Override
  public long pendingBytes() {
    return pending;
  }

  @Override
  public void close(CloseCode code) {
    closed = code;
  }

  @Override
  public String address() {
    return ADDRESS;
  }

  @Override
  public Lease lease() {
    return lease;
  }

  @Override
  public boolean isStream() {
    return stream;
  }

  @Override
  public void execute(Runnable task) {
    loop.execute(task);
  }
}
