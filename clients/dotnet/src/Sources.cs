using System;
using System.Threading;
using System.Threading.Tasks;
using Newtonsoft.Json.Linq;
using Sluice.Internal;

namespace Sluice
{
    /// <summary>Source of consumers: a queue, a durable subscription or a shared subscription.</summary>
    public abstract class ConsumerSource
    {
        internal ConsumerSource(SluiceClient client, JObject source)
        {
            Client = client;
            Source = source;
        }

        internal SluiceClient Client { get; }

        internal JObject Source { get; }

        /// <summary>Consumes messages one after the other.</summary>
        public Consumer Consume(Func<Delivery, Task> handler, ConsumeOptions options = null)
        {
            Client.RequireOpen();
            SluiceClient.RequireNotNull(nameof(handler), handler);
            Consumer consumer = new Consumer(Client, Source, options ?? new ConsumeOptions(), handler);
            Client.Start(consumer.WorkAsync);
            Client.Start(() => Client.Dispatcher.StartAsync(consumer));
            return consumer;
        }

        /// <summary>Consumes messages one after the other.</summary>
        public Consumer Consume(Action<Delivery> handler, ConsumeOptions options = null)
        {
            SluiceClient.RequireNotNull(nameof(handler), handler);
            return Consume(
                delivery =>
                {
                    handler(delivery);
                    return Task.CompletedTask;
                },
                options);
        }
    }

    /// <summary>Queue of the broker.</summary>
    public sealed class MessageQueue : ConsumerSource
    {
        internal MessageQueue(SluiceClient client, string name)
            : base(client, Destination.Queue(name).ToMembers())
        {
            Name = name;
        }

        /// <summary>Name of the queue.</summary>
        public string Name { get; }

        /// <summary>Sends a message; completes when the broker has stored it.</summary>
        public Task PublishAsync(
            Payload payload, PublishOptions options = null, CancellationToken cancellationToken = default(CancellationToken))
        {
            return Client.PublishAsync(Destination.Queue(Name), payload, options, cancellationToken);
        }

        /// <summary>Sends a request and returns the first reply; the default timeout is 5 s.</summary>
        public Task<Reply> RequestAsync(
            Payload payload,
            TimeSpan? timeout = null,
            PublishOptions options = null,
            CancellationToken cancellationToken = default(CancellationToken))
        {
            return Client.RequestAsync(Destination.Queue(Name), payload, timeout, options, cancellationToken);
        }
    }

    /// <summary>Subscription whose consumers share the messages; it exists while it has a consumer.</summary>
    public sealed class SharedSubscription : ConsumerSource
    {
        internal SharedSubscription(SluiceClient client, string topic, string name)
            : base(client, new JObject { ["topic"] = topic, ["shared"] = name })
        {
        }
    }

    /// <summary>Subscription whose messages the broker retains until it is deleted.</summary>
    public sealed class DurableSubscription : ConsumerSource
    {
        internal DurableSubscription(SluiceClient client, string topic, string name)
            : base(client, new JObject { ["topic"] = topic, ["durable"] = name })
        {
        }

        /// <summary>Removes the subscription with its messages.</summary>
        public Task DeleteAsync(CancellationToken cancellationToken = default(CancellationToken))
        {
            JObject frame = new JObject { ["type"] = "delete" };
            Members.AddAll(frame, Source);
            return Client.SendAsync(frame, false, null, "timeout", cancellationToken);
        }
    }
}
