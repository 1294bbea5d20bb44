package io.sluice.gateway.socket;

import io.netty.buffer.ByteBuf;
import io.netty.channel.IoEvent;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoRegistration;
import io.netty.channel.unix.Errors;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoEvent;
import io.netty.channel.uring.IoUringIoHandle;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringIoHandlerConfig;
import io.netty.channel.uring.IoUringIoOps;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.io.IOException;

/**
 * Sender that submits a batch of sends to an io_uring in one system call; the event loop stays on
 * epoll. Bound to that loop.
 *
 * <p>Sends do not block in the kernel (MSG_DONTWAIT): each is complete, partial or rejected when
 * {@link #submit} returns. No send is in flight between two batches. Buffers are therefore needed
 * during one batch only, and a socket's later bytes cannot overtake these.
 */
final class IoUringSender implements Sender, IoUringIoHandle {
  /** Maximum sends per system call; more would lengthen the call and save little. */
  private static final int ENTRIES = 512;

  private static final byte OP_SEND = 26;
  private static final int MSG_DONTWAIT = 0x40;
  private static final int MSG_NOSIGNAL = 0x4000;
  private static final int EAGAIN = 11;

  /** Context with which the ring does not block. */
  private static final IoHandlerContext NOW =
      new IoHandlerContext() {
        @Override
        public boolean canBlock() {
          return false;
        }

        @Override
        public long delayNanos(long currentTimeNanos) {
          return 0;
        }

        @Override
        public long deadlineNanos() {
          return -1;
        }
      };

  private final IoHandler ring;
  private final IoRegistration registration;
  private final SendTarget[] sockets = new SendTarget[ENTRIES];
  private final DirectSender direct = new DirectSender();
  private int queued;
  private int incomplete;
  private boolean broken;

  private IoUringSender(IoHandler ring) throws Exception {
    this.ring = ring;
    ring.initialize();
    this.registration = ring.register(this);
  }

  /**
   * Opens a ring. To be called on the loop.
   *
   * @throws IOException if the kernel or its policy does not allow it
   */
  static IoUringSender open(ThreadAwareExecutor loop) throws IOException {
    if (!IoUring.isAvailable()) {
      throw unavailable("io_uring is not available", IoUring.unavailabilityCause());
    }
    try {
      IoUringIoHandlerConfig config =
          new IoUringIoHandlerConfig().setRingSize(ENTRIES).setSingleIssuer(true);
      return new IoUringSender(IoUringIoHandler.newFactory(config).newHandler(loop));
    } catch (Exception e) { // any failure: the caller falls back to epoll
      throw unavailable("cannot open an io_uring", e);
    }
  }

  // The log shows the message only, so it includes the kernel's reason.
  private static IOException unavailable(String what, Throwable cause) {
    return new IOException(what + ": " + cause.getMessage(), cause);
  }

  @Override
  public void send(SendTarget socket, ByteBuf bytes, int from) {
    if (queued == ENTRIES) {
      submit();
    }
    if (broken) {
      direct.send(socket, bytes, from);
      return;
    }
    sockets[queued++] = socket;
    try {
      registration.submit(
          new IoUringIoOps(
              OP_SEND,
              (byte) 0,
              (short) 0,
              socket.fd().intValue(),
              0,
              bytes.memoryAddress() + from,
              bytes.writerIndex() - from,
              MSG_DONTWAIT | MSG_NOSIGNAL,
              queued - 1,
              (short) 0,
              (short) 0,
              0,
              0));
    } catch (RuntimeException | Error e) {
      onRingFailed(e);
    }
  }

  @Override
  public void submit() {
    if (queued == 0) {
      return;
    }
    incomplete = queued;
    try {
      ring.run(NOW);
      if (incomplete > 0) {
        throw new IOException(incomplete + " sends of " + queued + " have no completion");
      }
      queued = 0;
    } catch (IOException | RuntimeException | Error e) {
      onRingFailed(e);
    }
  }

  // Sends left in the ring would go to any socket that reuses the descriptor. The ring is therefore
  // never entered again, not even to close it. A send without completion may have been executed or
  // not: its socket fails.
  private void onRingFailed(Throwable cause) {
    broken = true;
    EpollSockets.fallBack("io-uring", "epoll", cause);
    int uncertain = queued;
    queued = 0;
    for (int i = 0; i < uncertain; i++) {
      SendTarget socket = sockets[i];
      sockets[i] = null;
      if (socket != null) {
        socket.onSendFailed(new IOException("io_uring failed", cause));
      }
    }
  }

  @Override
  public void handle(IoRegistration source, IoEvent event) {
    IoUringIoEvent sent = (IoUringIoEvent) event;
    complete((int) sent.userData(), sent.res());
  }

  private void complete(int index, int result) {
    SendTarget socket = sockets[index];
    sockets[index] = null;
    incomplete--;
    if (result >= 0 || result == -EAGAIN) {
      socket.onSent(Math.max(result, 0));
    } else {
      socket.onSendFailed(Errors.newIOException("send", result));
    }
  }

  @Override
  public void registered() {
    // No action.
  }

  @Override
  public void unregistered() {
    // The ring closes.
  }

  @Override
  public void close() {
    if (!broken && registration.cancel()) {
      ring.prepareToDestroy();
      ring.destroy();
    }
  }
}
