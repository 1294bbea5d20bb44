package io.sluice.gateway.session;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.limits.Lease;
import io.sluice.gateway.websocket.CloseCode;

/**
 * Connection that passes all calls on to another one, for subclasses that change some of them.
 * Bound to its event loop.
 */
public abstract class ForwardingConnection implements Connection {
  /** The other connection. */
  protected final Connection target;

  /** Creates a connection that changes nothing. */
  protected ForwardingConnection(Connection target) {
    this.target = target;
  }

  @Override
  public void write(ByteBuf frames) {
    target.write(frames);
  }

  @Override
  public void flush() {
    target.flush();
  }

  @Override
  public void flushInBatch() {
    target.flushInBatch();
  }

  @Override
  public void abort() {
    target.abort();
  }

  @Override
  public void charge(int frames) {
    target.charge(frames);
  }

  @Override
  public long pendingBytes() {
    return target.pendingBytes();
  }

  @Override
  public void close(CloseCode code) {
    target.close(code);
  }

  @Override
  public int rttMs() {
    return target.rttMs();
  }

  @Override
  public long unansweredPingMs() {
    return target.unansweredPingMs();
  }

  @Override
  public String endReason() {
    return target.endReason();
  }

  @Override
  public boolean isMovable() {
    return target.isMovable();
  }

  @Override
  public String address() {
    return target.address();
  }

  @Override
  public Lease lease() {
    return target.lease();
  }

  @Override
  public boolean isStream() {
    return target.isStream();
  }

  @Override
  public void execute(Runnable task) {
    target.execute(task);
  }
}
