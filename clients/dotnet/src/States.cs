namespace Sluice
{
    /// <summary>State of the connection.</summary>
    public enum ConnectionState
    {
        /// <summary>The client is connecting, or waits for the next attempt.</summary>
        Connecting,

        /// <summary>Connected; messages are delivered.</summary>
        Open,

        /// <summary>Connected, but the node has lost its broker.</summary>
        Stale,

        /// <summary>The node is about to stop, or has named a better one; the client moves soon.</summary>
        Draining,

        /// <summary>Closed permanently.</summary>
        Closed
    }

    /// <summary>State of a subscription.</summary>
    public enum SubscriptionState
    {
        /// <summary>There is no connection, or the node has not answered yet.</summary>
        Pending,

        /// <summary>Messages are delivered.</summary>
        Live,

        /// <summary>The node has refused the subscription for now; it is requested again soon.</summary>
        Refused,

        /// <summary>The subscription or its client is closed, or the node has refused it permanently.</summary>
        Closed
    }

    /// <summary>State of a consumer.</summary>
    public enum ConsumerState
    {
        /// <summary>There is no connection, or the node has not answered yet.</summary>
        Pending,

        /// <summary>The broker's consumer is active.</summary>
        Consuming,

        /// <summary>
        /// The node has refused the consumer. It is requested again at the next connection, and earlier if
        /// the reason is temporary.
        /// </summary>
        Refused,

        /// <summary>The consumer or its client is closed.</summary>
        Closed
    }
}
