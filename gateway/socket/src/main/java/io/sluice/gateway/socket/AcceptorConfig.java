package io.sluice.gateway.socket;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.unix.Socket;
import io.netty.channel.unix.UnixChannelOption;
import java.io.IOException;

/** Options of a listening socket that Vert.x sets. For any thread. */
final class AcceptorConfig extends DefaultChannelConfig {
  /** Linux uses its own maximum if this is larger. */
  private static final int DEFAULT_BACKLOG = 4096;

  private final Socket socket;
  private final Runnable onReadNoMore;
  private volatile int backlog = DEFAULT_BACKLOG;

  /**
   * @param onReadNoMore called when the channel must stop accepting
   */
  AcceptorConfig(Channel channel, Socket socket, Runnable onReadNoMore) {
    super(channel);
    this.socket = socket;
    this.onReadNoMore = onReadNoMore;
  }

  int backlog() {
    return backlog;
  }

  @Override
  public <T> boolean setOption(ChannelOption<T> option, T value) {
    validate(option, value);
    try {
      if (option == ChannelOption.SO_BACKLOG) {
        backlog = (Integer) value;
      } else if (option == ChannelOption.SO_REUSEADDR) {
        socket.setReuseAddress((Boolean) value);
      } else if (option == UnixChannelOption.SO_REUSEPORT) {
        socket.setReusePort((Boolean) value);
      } else {
        return super.setOption(option, value);
      }
      return true;
    } catch (IOException e) {
      throw new ChannelException(e);
    }
  }

  @Override
  protected void autoReadCleared() {
    onReadNoMore.run();
  }
}
