using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Newtonsoft.Json.Linq;

namespace Sluice.Internal
{
    /// <summary>Requests subscriptions and consumers on each connection, and passes frames to them.</summary>
    internal sealed class Dispatcher
    {
        /// <summary>Refusals after which the node may accept the subscription or consumer later.</summary>
        private static readonly HashSet<string> Temporary = new HashSet<string>
        {
            "rate-limited", "broker-unavailable", "too-many-topics", "too-many-consumers"
        };

        private readonly SluiceClient _client;

        /// <summary>Subscriptions by topic and selector; any thread may add one.</summary>
        private readonly ConcurrentDictionary<string, Subscription> _subscriptions =
            new ConcurrentDictionary<string, Subscription>();
        private readonly List<Consumer> _consumers = new List<Consumer>();
        private readonly Dictionary<long, Subscription> _subscriptionRefs = new Dictionary<long, Subscription>();
        private readonly Dictionary<long, Consumer> _consumerRefs = new Dictionary<long, Consumer>();

        internal Dispatcher(SluiceClient client)
        {
            _client = client;
        }

        /// <summary>Whether a delivery is not settled.</summary>
        internal bool HasPending => _consumers.Any(consumer => consumer.HasPending);

        internal static bool IsTemporary(SluiceException error)
        {
            return Temporary.Contains(error.Code);
        }

        /// <summary>Registers a subscription; any thread may call it.</summary>
        internal void Reserve(Subscription subscription)
        {
            if (!_subscriptions.TryAdd(subscription.Key, subscription))
            {
                throw SluiceException.InvalidArgument("a subscription exists: " + subscription.Key);
            }
        }

        internal async Task StartAsync(Subscription subscription)
        {
            if (_client.IsClosed)
            {
                subscription.Close();
            }
            else if (_client.Connection != null)
            {
                await RequestAsync(_client.Connection, subscription);
            }
        }

        internal async Task StartAsync(Consumer consumer)
        {
            if (_client.IsClosed)
            {
                consumer.End();
                return;
            }
            _consumers.Add(consumer);
            if (_client.Connection != null)
            {
                await RequestAsync(_client.Connection, consumer);
            }
        }

        internal async Task UnsubscribeAsync(Subscription subscription)
        {
            subscription.Close();
            Forget(subscription);
            long? reference = subscription.Ref;
            if (_client.Connection == null || reference == null)
            {
                return;
            }
            _subscriptionRefs.Remove(reference.Value);
            JObject frame = new JObject
            {
                ["type"] = "unsubscribe", ["ref"] = _client.NextRef(), ["topic"] = subscription.Topic
            };
            if (subscription.IsTagged)
            {
                frame["subscription"] = reference.Value;
            }
            await _client.Connection.SendQuietlyAsync(frame);
        }

        private void Forget(Subscription subscription)
        {
            if (_subscriptions.TryGetValue(subscription.Key, out Subscription known) && known == subscription)
            {
                _subscriptions.TryRemove(subscription.Key, out known);
            }
        }

        internal void Remove(Consumer consumer)
        {
            _consumers.Remove(consumer);
        }

        internal async Task OnOpenAsync(Connection connection)
        {
            foreach (Subscription subscription in _subscriptions.Values.ToList())
            {
                await RequestAsync(connection, subscription);
            }
            foreach (Consumer consumer in _consumers.ToList())
            {
                await RequestAsync(connection, consumer);
            }
        }

        internal void OnEnd()
        {
            _subscriptionRefs.Clear();
            _consumerRefs.Clear();
            foreach (Subscription subscription in _subscriptions.Values)
            {
                subscription.Ref = null;
                subscription.Notify(SubscriptionState.Pending);
            }
            foreach (Consumer consumer in _consumers)
            {
                consumer.OnEnd();
            }
        }

        /// <summary>Ends everything, with the refusal of the node if there is one.</summary>
        internal void Finish(SluiceException refusal)
        {
            foreach (Subscription subscription in _subscriptions.Values.ToList())
            {
                if (refusal == null)
                {
                    subscription.Close();
                }
                else
                {
                    subscription.End(refusal);
                }
            }
            _subscriptions.Clear();
            foreach (Consumer consumer in _consumers)
            {
                consumer.End();
            }
            _consumers.Clear();
        }

        internal async Task PauseAsync()
        {
            foreach (Consumer consumer in _consumers.ToList())
            {
                await consumer.PauseAsync();
            }
        }

        /// <summary>Requests a subscription, unless it is requested already.</summary>
        private async Task RequestAsync(Connection connection, Subscription subscription)
        {
            if (subscription.Ref != null || connection != _client.Connection)
            {
                return;
            }
            if (subscription.IsTagged && !connection.HasFeature("selectors"))
            {
                Forget(subscription);
                subscription.End(new SluiceException("unsupported", "the node has no selectors"));
                return;
            }
            long reference = _client.NextRef();
            _subscriptionRefs[reference] = subscription;
            await connection.SendQuietlyAsync(subscription.Frame(reference));
        }

        private async Task RequestAsync(Connection connection, Consumer consumer)
        {
            if (consumer.Ref == null && connection == _client.Connection)
            {
                long reference = _client.NextRef();
                _consumerRefs[reference] = consumer;
                await connection.SendQuietlyAsync(consumer.Frame(connection, reference));
            }
        }

        private async Task RequestLaterAsync(Connection connection, Subscription subscription)
        {
            await Task.Delay(_client.Options.Backoff(subscription.Failures), _client.Lifetime);
            if (_subscriptions.TryGetValue(subscription.Key, out Subscription known) && known == subscription)
            {
                await RequestAsync(connection, subscription);
            }
        }

        private async Task RequestLaterAsync(Connection connection, Consumer consumer)
        {
            await Task.Delay(_client.Options.Backoff(consumer.Failures), _client.Lifetime);
            if (_consumers.Contains(consumer))
            {
                await RequestAsync(connection, consumer);
            }
        }

        /// <summary>Processes a frame; returns whether its type is one of subscriptions, consumers or errors.</summary>
        internal async Task<bool> OnFrameAsync(Connection connection, Frame frame)
        {
            switch (frame.Kind)
            {
                case "subscribed":
                    if (_subscriptionRefs.TryGetValue(frame.Number("ref"), out Subscription subscribed))
                    {
                        await subscribed.OnSubscribedAsync(connection, frame);
                    }
                    return true;
                case "message":
                    Subscription receiver = Answered(frame, frame.OptionalText("pattern") ?? frame.Text("topic"));
                    await (receiver?.OnMessageAsync(connection, frame) ?? Task.CompletedTask);
                    return true;
                case "gap":
                    Subscription incomplete = Answered(frame, frame.Text("topic"));
                    await (incomplete?.OnGapAsync(connection, frame) ?? Task.CompletedTask);
                    return true;
                case "caught-up":
                    OnCaughtUp(frame.Number("time"));
                    return true;
                case "consuming":
                case "delivery":
                case "released":
                    OnConsumerFrame(connection, frame);
                    return true;
                case "error":
                    OnError(connection, frame);
                    return true;
                default:
                    return false;
            }
        }

        /// <summary>
        /// Isolates what an unreadable frame concerns: rejects a delivery, refuses a subscription, or reports
        /// a gap. The frame is null if even its type is unknown.
        /// </summary>
        internal async Task OnUnreadableAsync(Connection connection, Frame frame, BadFrameException cause)
        {
            long reference = frame?.Integer("ref") ?? -1;
            switch (frame?.Kind)
            {
                case "delivery":
                    if (_consumerRefs.ContainsKey(reference) && frame.Integer("tag") is long tag)
                    {
                        JObject reject = new JObject
                        {
                            ["type"] = "reject", ["ref"] = _client.NextRef(), ["subscription"] = reference, ["tag"] = tag
                        };
                        await connection.SendQuietlyAsync(reject);
                    }
                    break;
                case "subscribed":
                    if (_subscriptionRefs.TryGetValue(reference, out Subscription refused))
                    {
                        OnRefused(connection, reference, refused, SluiceException.BadAnswer(cause));
                    }
                    break;
                case null:
                case "message":
                case "gap":
                    await OnUnreadableMessageAsync(connection, frame);
                    break;
            }
        }

        private async Task OnUnreadableMessageAsync(Connection connection, Frame frame)
        {
            Subscription found = frame == null ? null : SubscriptionOf(frame);
            foreach (Subscription one in found == null ? _subscriptions.Values.ToArray() : new[] { found })
            {
                if (one.Ref != null && one.Continuity.IsAnswered)
                {
                    await one.OnUnreadableAsync(connection, found == null ? null : frame);
                }
            }
        }

        /// <summary>Returns the subscription of an unreadable message or gap; null if it is unknown.</summary>
        private Subscription SubscriptionOf(Frame frame)
        {
            Subscription found = null;
            if (frame.Has("ref"))
            {
                _subscriptionRefs.TryGetValue(frame.Integer("ref") ?? -1, out found);
            }
            else if ((frame.Members["pattern"] ?? frame.Members["topic"]) is JValue key && key.Value is string topic)
            {
                _subscriptions.TryGetValue(topic, out found);
            }
            return found;
        }

        private Subscription Answered(Frame frame, string topic)
        {
            Subscription found;
            if (frame.Has("ref"))
            {
                _subscriptionRefs.TryGetValue(frame.Number("ref"), out found);
            }
            else
            {
                _subscriptions.TryGetValue(topic, out found);
            }
            return found != null && found.Ref != null && found.Continuity.IsAnswered ? found : null;
        }

        private void OnCaughtUp(long time)
        {
            foreach (Subscription subscription in _subscriptions.Values)
            {
                subscription.OnCaughtUp(time);
            }
        }

        private void OnConsumerFrame(Connection connection, Frame frame)
        {
            if (!_consumerRefs.TryGetValue(frame.Number("ref"), out Consumer consumer))
            {
                return;
            }
            switch (frame.Kind)
            {
                case "consuming":
                    consumer.OnConsuming();
                    break;
                case "delivery":
                    consumer.OnDelivery(connection, frame);
                    break;
                default:
                    consumer.OnReleased(frame);
                    break;
            }
        }

        private void OnError(Connection connection, Frame frame)
        {
            SluiceException error = Members.ErrorOf(frame);
            long reference = frame.OptionalNumber("ref") ?? -1;
            if (_subscriptionRefs.TryGetValue(reference, out Subscription subscription))
            {
                OnRefused(connection, reference, subscription, error);
            }
            else if (_consumerRefs.TryGetValue(reference, out Consumer consumer))
            {
                _consumerRefs.Remove(reference);
                if (consumer.OnRefused(error))
                {
                    _client.Start(() => RequestLaterAsync(connection, consumer));
                }
            }
            else if (_consumerRefs.TryGetValue(frame.OptionalNumber("subscription") ?? -1, out consumer))
            {
                consumer.Report(error);
            }
            else
            {
                _client.Report(error);
            }
        }

        private void OnRefused(Connection connection, long reference, Subscription subscription, SluiceException error)
        {
            _subscriptionRefs.Remove(reference);
            if (subscription.OnRefused(error))
            {
                _client.Start(() => RequestLaterAsync(connection, subscription));
            }
            else
            {
                Forget(subscription);
            }
        }
    }
}
