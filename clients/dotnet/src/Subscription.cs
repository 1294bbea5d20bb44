using System;
using System.Collections.Generic;
using System.Threading.Tasks;
using Newtonsoft.Json.Linq;
using Sluice.Internal;

namespace Sluice
{
    /// <summary>
    /// Subscription to a topic or pattern. It survives reconnects until it is closed or the node refuses
    /// it permanently.
    /// </summary>
    public sealed class Subscription : IDisposable
    {
        /// <summary>
        /// Factor of the limit of queued events while a call is unanswered. A handler that waits for an
        /// answer would otherwise wait for itself.
        /// </summary>
        private const int CallFactor = 16;

        private readonly SluiceClient _client;
        private readonly JObject _members;
        private readonly SubscribeOptions _options;
        private readonly Func<Message, Task> _onMessage;
        private readonly Queue<Event> _queue = new Queue<Event>();
        private readonly Signal _arrived = new Signal();
        private SubscriptionState _lastState = SubscriptionState.Pending;
        private volatile Position _position;
        private Event _tail;
        private bool _isBusy;
        private bool _isEnded;
        private bool _isClosed;

        internal Subscription(
            SluiceClient client, string topic, SubscribeOptions options, Func<Message, Task> onMessage)
        {
            _client = client;
            Topic = Destination.Topic(topic).Name;
            _members = options.ToMembers();
            _options = options;
            _onMessage = onMessage;
            Continuity = new Continuity(options.From ?? StartFrom.Now);
            _position = Continuity.Position;
        }

        /// <summary>Topic or pattern.</summary>
        public string Topic { get; }

        /// <summary>
        /// Position after the message that was passed to the handler last, to be stored; null before the
        /// first answer and during a snapshot. Any thread may read it.
        /// </summary>
        public Position Position => _position;

        internal string Key => IsTagged ? Topic + " " + _options.Where : Topic;

        internal bool IsTagged => _options.Where != null;

        internal Continuity Continuity { get; }

        internal long? Ref { get; set; }

        internal int Failures { get; set; }

        /// <summary>Ends the subscription. A running handler is completed; waiting messages are discarded.</summary>
        public Task CloseAsync()
        {
            return _client.Loop.Run(() => _client.Dispatcher.UnsubscribeAsync(this));
        }

        /// <summary>Ends the subscription without waiting for the node.</summary>
        public void Dispose()
        {
            Loop.Ignore(CloseAsync());
        }

        /// <summary>Returns the request on a new connection.</summary>
        internal JObject Frame(long reference)
        {
            Ref = reference;
            JObject frame = new JObject { ["type"] = "subscribe", ["ref"] = reference, ["topic"] = Topic };
            Members.AddAll(frame, _members);
            JToken from = Continuity.Subscribe().Value;
            if (from != null)
            {
                frame["from"] = from;
            }
            return frame;
        }

        internal async Task OnSubscribedAsync(Connection connection, Frame frame)
        {
            string reason = Continuity.Subscribed(frame, connection.Overlap);
            if (reason != null)
            {
                await PutAsync(connection, new Event { Gap = new Gap(Topic, reason) });
            }
            Failures = 0;
            Notify(SubscriptionState.Live);
        }

        internal Task OnMessageAsync(Connection connection, Frame frame)
        {
            Message message = new Message(frame);
            return Continuity.Message(frame)
                ? PutAsync(connection, new Event { Message = message })
                : Task.CompletedTask;
        }

        internal Task OnGapAsync(Connection connection, Frame frame)
        {
            return PutAsync(connection, new Event { Gap = new Gap(Topic, Continuity.Gap(frame)) });
        }

        /// <summary>Reports a gap; the position passes the frame, which is null if it may be of any subscription.</summary>
        internal Task OnUnreadableAsync(Connection connection, Frame frame)
        {
            if (frame != null)
            {
                Continuity.Unreadable(frame);
            }
            return PutAsync(connection, new Event { Gap = new Gap(Topic, "unreadable") });
        }

        internal void OnCaughtUp(long time)
        {
            Continuity.CaughtUp(time);
            UpdatePosition();
        }

        /// <summary>Records a refusal; returns whether the subscription is requested again later.</summary>
        internal bool OnRefused(SluiceException error)
        {
            Ref = null;
            bool isTemporary = Dispatcher.IsTemporary(error);
            if (isTemporary)
            {
                Failures++;
                if (_queue.Count < _client.Options.MaxQueued)
                {
                    Enqueue(new Event { Error = error });
                }
                Notify(SubscriptionState.Refused);
            }
            else
            {
                End(error);
            }
            return isTemporary;
        }

        /// <summary>Ends the subscription after the queued events, the last of which is the error, if any.</summary>
        internal void End(SluiceException error)
        {
            if (_isEnded)
            {
                return;
            }
            if (error != null)
            {
                Enqueue(new Event { Error = error });
            }
            Notify(SubscriptionState.Closed);
            _isEnded = true;
            _arrived.Notify();
        }

        /// <summary>Ends the subscription at once.</summary>
        internal void Close()
        {
            if (!_isClosed)
            {
                _queue.Clear();
                End(null);
                _isClosed = true;
                _client.Progress.Notify();
            }
        }

        internal void Notify(SubscriptionState state)
        {
            if (!_isEnded && state != _lastState)
            {
                _lastState = state;
                if (_queue.Count > 0 && _tail.IsState)
                {
                    // States must not fill the queue while a handler is slow.
                    _tail.State = state;
                    _tail.Position = Continuity.Position;
                    return;
                }
                Enqueue(new Event { State = state });
            }
        }

        private void Enqueue(Event one)
        {
            one.Position = Continuity.Position;
            _tail = one;
            _queue.Enqueue(one);
            _arrived.Notify();
        }

        private async Task PutAsync(Connection connection, Event one)
        {
            Enqueue(one);
            // The socket is not read while the handler is slower.
            while (_queue.Count > Limit(connection) && !_isEnded && !connection.IsEnded)
            {
                await _client.Progress.Next;
            }
        }

        private long Limit(Connection connection)
        {
            return connection.IsIdle ? _client.Options.MaxQueued : (long)_client.Options.MaxQueued * CallFactor;
        }

        /// <summary>Passes queued events to the application, one after the other, until the end.</summary>
        internal async Task PumpAsync()
        {
            while (true)
            {
                while (_queue.Count == 0)
                {
                    if (_isEnded)
                    {
                        return;
                    }
                    await _arrived.Next;
                }
                Event one = _queue.Dequeue();
                _client.Progress.Notify();
                _position = one.Position;
                _isBusy = true;
                await Task.Run(() => PassAsync(one));
                _isBusy = false;
                UpdatePosition();
            }
        }

        private void UpdatePosition()
        {
            if (!_isBusy && _queue.Count == 0)
            {
                _position = Continuity.Position;
            }
        }

        private async Task PassAsync(Event one)
        {
            try
            {
                if (one.Message != null)
                {
                    await _onMessage(one.Message);
                }
                else if (one.Gap != null)
                {
                    _options.OnGap?.Invoke(one.Gap);
                }
                else if (one.Error != null)
                {
                    _options.OnError?.Invoke(one.Error);
                }
                else
                {
                    _options.OnState?.Invoke(one.State);
                }
            }
            catch (Exception e)
            {
                string text = "a handler of " + Topic + " has failed: " + e.Message;
                _client.Report(new SluiceException("handler-failed", text, e));
                // Otherwise the reports of a failing handler fill the memory while OnError is slow.
                await _client.Reported;
            }
        }

        /// <summary>One of its members, with the position after it.</summary>
        private sealed class Event
        {
            internal Message Message { get; set; }

            internal Gap Gap { get; set; }

            internal SluiceException Error { get; set; }

            internal SubscriptionState State { get; set; }

            internal bool IsState => Message == null && Gap == null && Error == null;

            internal Position Position { get; set; }
        }
    }
}
