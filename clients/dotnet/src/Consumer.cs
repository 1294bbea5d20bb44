using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Newtonsoft.Json.Linq;
using Sluice.Internal;

namespace Sluice
{
    /// <summary>Consumer, which survives reconnects until it is closed.</summary>
    public sealed class Consumer : IDisposable
    {
        /// <summary>Consumer whose handler the current code belongs to.</summary>
        private static readonly AsyncLocal<Consumer> Running = new AsyncLocal<Consumer>();

        private readonly JObject _source;
        private readonly JObject _members;
        private readonly ConsumeOptions _options;
        private readonly Func<Delivery, Task> _handler;
        private readonly CallbackQueue _callbacks;

        /// <summary>Deliveries for the handler; the credit limits them.</summary>
        private readonly Queue<Delivery> _queue = new Queue<Delivery>();
        private readonly HashSet<Delivery> _pending = new HashSet<Delivery>();
        private readonly Signal _arrived = new Signal();
        private readonly SemaphoreSlim _processing = new SemaphoreSlim(1);
        private volatile int _state = (int)ConsumerState.Pending;
        private int _credit;
        private Connection _connection;
        private Task _closing;
        private bool _isClosing;

        internal Consumer(SluiceClient client, JObject source, ConsumeOptions options, Func<Delivery, Task> handler)
        {
            Client = client;
            _source = source;
            _members = options.ToMembers();
            _options = options;
            _credit = options.Credit;
            _handler = handler;
            _callbacks = new CallbackQueue(options.OnError);
        }

        /// <summary>Current state; any thread may read it.</summary>
        public ConsumerState State => (ConsumerState)_state;

        internal SluiceClient Client { get; }

        internal long? Ref { get; private set; }

        internal int Failures { get; private set; }

        internal bool HasPending => _pending.Count > 0;

        /// <summary>Changes the credit; 0 pauses the consumer.</summary>
        public Task SetCreditAsync(int credit)
        {
            ConsumeOptions.RequireCredit(credit);
            return Client.Loop.Run(
                () =>
                {
                    _credit = credit;
                    return SendCreditAsync(credit);
                });
        }

        /// <summary>
        /// Ends the consumer. A running handler is completed, other messages return to the queue. Within
        /// the handler the returned task completes at once, and the consumer ends after the handler.
        /// </summary>
        public Task CloseAsync()
        {
            Task closing = Client.Loop.Run(() => _closing ?? (_closing = CloseInLoopAsync()));
            return Running.Value == this ? Task.CompletedTask : closing;
        }

        /// <summary>Ends the consumer without waiting.</summary>
        public void Dispose()
        {
            Loop.Ignore(CloseAsync());
        }

        private async Task CloseInLoopAsync()
        {
            _isClosing = true;
            await PauseAsync();
            await _processing.WaitAsync();
            _processing.Release();
            await SendAsync(
                new JObject { ["type"] = "unsubscribe", ["ref"] = Client.NextRef(), ["subscription"] = Ref });
            Client.Dispatcher.Remove(this);
            End();
        }

        /// <summary>Pauses the consumer on this connection.</summary>
        internal Task PauseAsync()
        {
            return SendCreditAsync(0);
        }

        private Task SendCreditAsync(int credit)
        {
            return SendAsync(new JObject { ["type"] = "credit", ["subscription"] = Ref, ["credit"] = credit });
        }

        private async Task SendAsync(JObject frame)
        {
            if (_connection != null && Ref != null)
            {
                await _connection.SendQuietlyAsync(frame);
            }
        }

        /// <summary>Ends the consumer without the node.</summary>
        internal void End()
        {
            _isClosing = true;
            ReturnAll();
            Notify(ConsumerState.Closed);
            _arrived.Notify();
        }

        /// <summary>Returns the request on a new connection.</summary>
        internal JObject Frame(Connection connection, long reference)
        {
            Ref = reference;
            _connection = connection;
            Notify(ConsumerState.Pending);
            JObject frame = new JObject { ["type"] = "consume", ["ref"] = reference, ["credit"] = _credit };
            Members.AddAll(frame, _source);
            Members.AddAll(frame, _members);
            return frame;
        }

        internal void Report(SluiceException error)
        {
            _callbacks.Report(error);
        }

        internal void OnConsuming()
        {
            Failures = 0;
            Notify(ConsumerState.Consuming);
        }

        internal void OnDelivery(Connection connection, Frame frame)
        {
            Delivery delivery = new Delivery(this, connection, frame);
            _pending.Add(delivery);
            _queue.Enqueue(delivery);
            _arrived.Notify();
        }

        internal void OnSettled(Delivery delivery)
        {
            _pending.Remove(delivery);
        }

        internal void OnReleased(Frame frame)
        {
            long? tag = frame.OptionalNumber("tag");
            foreach (Delivery delivery in _pending.Where(one => tag == null || one.Tag == tag).ToList())
            {
                delivery.MarkSettled();
            }
            if (_source["shared"] != null && frame.Text("reason") == "broker-lost")
            {
                Report(new SluiceException("messages-missing", "messages of a shared subscription may be missing"));
            }
        }

        /// <summary>Records a refusal; returns whether the consumer is requested again soon.</summary>
        internal bool OnRefused(SluiceException error)
        {
            Ref = null;
            ReturnAll();
            Failures++;
            Notify(ConsumerState.Refused);
            Report(error);
            return Dispatcher.IsTemporary(error);
        }

        /// <summary>Records the end of the connection: unsettled messages have returned to the queue.</summary>
        internal void OnEnd()
        {
            Ref = null;
            _connection = null;
            ReturnAll();
            Notify(ConsumerState.Pending);
        }

        private void Notify(ConsumerState state)
        {
            if (State != state && State != ConsumerState.Closed)
            {
                _state = (int)state;
                _callbacks.Post(_options.OnState, state);
            }
        }

        private void ReturnAll()
        {
            foreach (Delivery delivery in _pending.ToList())
            {
                delivery.MarkSettled();
            }
        }

        /// <summary>Passes deliveries to the handler, one after the other, until the consumer is closed.</summary>
        internal async Task WorkAsync()
        {
            while (!_isClosing)
            {
                if (_queue.Count == 0)
                {
                    await _arrived.Next;
                    continue;
                }
                Delivery delivery = _queue.Dequeue();
                if (!delivery.IsSettled)
                {
                    await _processing.WaitAsync();
                    await ProcessAsync(delivery);
                    _processing.Release();
                    // Otherwise the reports of a failing handler fill the memory while OnError is slow.
                    await _callbacks.Called;
                }
            }
        }

        private async Task ProcessAsync(Delivery delivery)
        {
            string settlement = _options.ManualAck ? null : "ack";
            try
            {
                await Task.Run(
                    () =>
                    {
                        Running.Value = this;
                        return _handler(delivery);
                    });
            }
            catch (Exception e)
            {
                Report(new SluiceException("handler-failed", "the handler has failed: " + e.Message, e));
                settlement = "release";
            }
            if (settlement != null && !delivery.IsSettled)
            {
                await SettleAsync(delivery, settlement);
            }
        }

        private async Task SettleAsync(Delivery delivery, string settlement)
        {
            try
            {
                await delivery.SettleAsync(settlement);
            }
            catch (SluiceException e)
            {
                Report(e);
            }
        }
    }
}
