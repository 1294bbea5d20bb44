package io.sluice.gateway.broker.provider;

import jakarta.jms.Destination;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSException;
import jakarta.jms.Session;
import org.apache.activemq.artemis.api.core.ActiveMQException;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.api.core.client.ClientSession;
import org.apache.activemq.artemis.api.core.client.ClientSession.QueueQuery;
import org.apache.activemq.artemis.jms.client.ActiveMQDestination;
import org.apache.activemq.artemis.jms.client.ActiveMQSession;
import org.apache.activemq.artemis.jms.client.JMSExceptionHelper;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks of reply destinations at an Artemis broker. A requestor may mark any name as temporary;
 * the broker has no such type. The thread that owns the session; waits for the broker.
 */
public final class ArtemisReplies {
  private static final Logger log = LoggerFactory.getLogger(ArtemisReplies.class);

  private ArtemisReplies() {}

  /** Implements {@link Provider#checkExists}. */
  public static boolean checkExists(Session session, Destination destination) throws JMSException {
    if (!(destination instanceof ActiveMQDestination named)) {
      return false;
    }
    SimpleString address = named.getSimpleAddress();
    try {
      ClientSession core = ((ActiveMQSession) session).getCoreSession();
      boolean temporary =
          (named.isQueue() || named.isTemporary())
              && isTemporary(core.queueQuery(address), address);
      if (temporary) {
        named.setCreated(true); // the client does not create it again
        return true;
      }
      if (named.isTemporary() || !core.addressQuery(address).isExists()) {
        throw missing(named);
      }
      return false;
    } catch (ActiveMQException e) {
      throw JMSExceptionHelper.convertFromActiveMQException(e);
    }
  }

  // A temporary topic has a temporary queue of its name. A subscription also has one, but at
  // another address.
  private static boolean isTemporary(QueueQuery queue, SimpleString address) {
    return queue.isExists() && queue.isTemporary() && address.equals(queue.getAddress());
  }

  /**
   * Implements {@link Provider#checkSent}. The broker routes a message to an existing queue. It
   * creates a missing one, which is not temporary. A queue that does not exist after the send has
   * existed during it.
   */
  public static void checkSent(Session session, Destination destination) throws JMSException {
    ActiveMQDestination named = (ActiveMQDestination) destination;
    ClientSession core = ((ActiveMQSession) session).getCoreSession();
    try {
      QueueQuery queue = core.queueQuery(named.getSimpleAddress());
      if (!queue.isExists() || queue.isTemporary()) {
        return;
      }
    } catch (ActiveMQException e) {
      throw JMSExceptionHelper.convertFromActiveMQException(e);
    }
    InvalidDestinationException missing = missing(named);
    try {
      core.deleteQueue(named.getSimpleAddress());
    } catch (ActiveMQException e) {
      log.atDebug().setCause(e).log("queue was not deleted");
      missing.initCause(e);
    }
    throw missing;
  }

  private static InvalidDestinationException missing(ActiveMQDestination named) {
    return new InvalidDestinationException(
        (named.isTemporary() ? "no temporary destination " : "no address ") + named.getAddress());
  }
}
