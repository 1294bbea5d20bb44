package io.sluice.gateway.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.sluice.gateway.socket.ClientSocket;
import io.sluice.gateway.socket.SendProgress;

/** Socket without a peer, which passes all bytes to an output. Bound to its event loop. */
final class OutputSocket implements ClientSocket {
  private final EventLoop eventLoop;
  private final SessionOutput output;
  private final ClientSocket.Owner owner;
  private boolean ended;

  OutputSocket(EventLoop eventLoop, SessionOutput output, ClientSocket.Owner owner) {
    this.eventLoop = eventLoop;
    this.output = output;
    this.owner = owner;
  }

  @Override
  public void write(ByteBuf bytes) {
    output.write(bytes);
  }

  @Override
  public void flush() {
    output.flush();
  }

  @Override
  public void flushInBatch() {
    output.flush();
  }

  @Override
  public long pendingBytes() {
    return ended ? 0 : output.pendingBytes();
  }

  @Override
  public void finish(ByteBuf last) {
    execute(this::close);
  }

  @Override
  public void finishEarly(ByteBuf last) {
    abort();
  }

  @Override
  public boolean readReceived() {
    return !ended;
  }

  @Override
  public SendProgress progress(long withinMs) {
    return SendProgress.NONE;
  }

  @Override
  public void abort() {
    output.discard();
    execute(this::close);
  }

  @Override
  public void close() {
    if (!ended) {
      ended = true;
      owner.onClosed();
      output.end();
    }
  }

  @Override
  public void execute(Runnable task) {
    eventLoop.execute(task);
  }
}
