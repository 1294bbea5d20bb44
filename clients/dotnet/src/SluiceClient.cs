using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Newtonsoft.Json.Linq;
using Sluice.Internal;

namespace Sluice
{
    /// <summary>Client of one or more nodes. Any thread may call it.</summary>
    public sealed class SluiceClient : IDisposable
    {
        internal const string Version = "0.1.0";
        private static readonly TimeSpan DefaultRequestTimeout = TimeSpan.FromSeconds(5);
        private static readonly TimeSpan AnswerMargin = TimeSpan.FromSeconds(1);
        private static readonly TimeSpan DisposeTimeout = TimeSpan.FromSeconds(3);

        private readonly CancellationTokenSource _lifetime = new CancellationTokenSource();
        private readonly CallbackQueue _callbacks;
        private readonly Connector _connector;
        private readonly Calls _calls;
        private volatile SluiceException _end;
        private volatile int _state = (int)ConnectionState.Connecting;
        private volatile string _lastFailure;
        private long _lastRef;

        private SluiceClient(SluiceOptions options)
        {
            Options = options;
            Lifetime = _lifetime.Token;
            _callbacks = new CallbackQueue(options.OnError);
            _calls = new Calls(this, options);
            Dispatcher = new Dispatcher(this);
            _connector = new Connector(this, options);
        }

        /// <summary>State of the connection.</summary>
        public ConnectionState State => (ConnectionState)_state;

        /// <summary>Reason for which the latest connection or attempt has ended; null before the first.</summary>
        public string LastFailure
        {
            get => _lastFailure;
            internal set => _lastFailure = value;
        }

        internal SluiceOptions Options { get; }

        internal Loop Loop { get; } = new Loop();

        internal Dispatcher Dispatcher { get; }

        /// <summary>Notifies the receiving task that it may have to read again.</summary>
        internal Signal Progress { get; } = new Signal();

        /// <summary>Cancelled when the client is closed.</summary>
        internal CancellationToken Lifetime { get; }

        /// <summary>Connection with a hello; null while there is none.</summary>
        internal Connection Connection { get; private set; }

        internal bool IsClosed => _end != null;

        /// <summary>Starts a client, which connects in the background until it is closed.</summary>
        /// <exception cref="SluiceException">An option is invalid; the message names it.</exception>
        public static SluiceClient Connect(SluiceOptions options)
        {
            SluiceClient client = new SluiceClient(options.Check());
            client.Start(client._connector.RunAsync);
            return client;
        }

        /// <summary>Starts a client with one address and the default options.</summary>
        public static SluiceClient Connect(string url)
        {
            return Connect(new SluiceOptions { Urls = new List<string> { url } });
        }

        /// <summary>
        /// Subscribes to a topic or pattern, once for each selector. The task of the handler completes before
        /// the next message.
        /// </summary>
        public Subscription Subscribe(string topic, Func<Message, Task> onMessage, SubscribeOptions options = null)
        {
            RequireOpen();
            RequireNotNull(nameof(onMessage), onMessage);
            Subscription subscription = new Subscription(this, topic, options ?? new SubscribeOptions(), onMessage);
            Dispatcher.Reserve(subscription);
            Start(subscription.PumpAsync);
            Start(() => Dispatcher.StartAsync(subscription));
            return subscription;
        }

        /// <summary>Subscribes to a topic or pattern, once for each selector.</summary>
        public Subscription Subscribe(string topic, Action<Message> onMessage, SubscribeOptions options = null)
        {
            RequireNotNull(nameof(onMessage), onMessage);
            return Subscribe(
                topic,
                message =>
                {
                    onMessage(message);
                    return Task.CompletedTask;
                },
                options);
        }

        /// <summary>Publishes a message; completes when the broker has accepted it.</summary>
        public Task PublishAsync(
            Destination destination,
            Payload payload,
            PublishOptions options = null,
            CancellationToken cancellationToken = default(CancellationToken))
        {
            JObject frame = Publication(destination, payload);
            frame["type"] = "publish";
            Members.AddAll(frame, (options ?? PublishOptions.None).ToMembers());
            return SendAsync(frame, options?.Id != null, null, "publish-timeout", cancellationToken);
        }

        /// <summary>Sends a request and returns the first reply; the default timeout is 5 s. It is never repeated.</summary>
        public async Task<Reply> RequestAsync(
            Destination destination,
            Payload payload,
            TimeSpan? timeout = null,
            PublishOptions options = null,
            CancellationToken cancellationToken = default(CancellationToken))
        {
            TimeSpan limit = timeout ?? DefaultRequestTimeout;
            SluiceOptions.RequireDuration(nameof(timeout), limit);
            JObject frame = Publication(destination, payload);
            frame["type"] = "request";
            Members.AddAll(
                frame, (options ?? PublishOptions.None).ToMembers("id", "replyTo", "correlationId", "ttl"));
            frame["timeout"] = (long)limit.TotalMilliseconds;
            Frame answer = await SendAsync(frame, false, limit + AnswerMargin, "timeout", cancellationToken)
                .ConfigureAwait(false);
            try
            {
                return new Reply(answer);
            }
            catch (BadFrameException e)
            {
                throw SluiceException.BadAnswer(e);
            }
        }

        /// <summary>Returns a queue of the broker.</summary>
        public MessageQueue Queue(string name)
        {
            return new MessageQueue(this, name);
        }

        /// <summary>Returns a durable subscription of the client's principal.</summary>
        public DurableSubscription Durable(string topic, string name)
        {
            return new DurableSubscription(this, topic, name);
        }

        /// <summary>Returns a shared subscription of the client's principal.</summary>
        public SharedSubscription Shared(string topic, string name)
        {
            return new SharedSubscription(this, topic, name);
        }

        /// <summary>
        /// Commits the messages that a function publishes and acknowledges, all of them or nothing. The
        /// handler of a consumer awaits it, after which its message is not acknowledged again.
        /// </summary>
        public Task TransactionAsync(
            Action<Transaction> fill, CancellationToken cancellationToken = default(CancellationToken))
        {
            RequireNotNull(nameof(fill), fill);
            Transaction transaction = new Transaction();
            fill(transaction);
            return Loop.Run(() => transaction.CommitAsync(this, cancellationToken));
        }

        /// <summary>Connects at once if the client waits for its next attempt, such as after a network change.</summary>
        public void RetryNow()
        {
            Start(
                () =>
                {
                    _connector.RetryNow();
                    return Task.CompletedTask;
                });
        }

        /// <summary>Closes the connection permanently. Unanswered calls fail with "closed" or "connection-lost".</summary>
        public Task CloseAsync()
        {
            return Loop.Run(
                async () =>
                {
                    Connection connection = Connection;
                    Finish(new SluiceException("closed", "the client is closed"), null);
                    if (connection != null)
                    {
                        await connection.CloseAsync();
                        connection.End();
                    }
                });
        }

        /// <summary>Closes the client, and waits shortly for the close frame.</summary>
        public void Dispose()
        {
            CloseAsync().Wait(DisposeTimeout);
        }

        internal long NextRef()
        {
            return Interlocked.Increment(ref _lastRef);
        }

        internal void RequireOpen()
        {
            SluiceException end = _end;
            if (end != null)
            {
                throw new SluiceException("closed", end.Message, end);
            }
        }

        internal static void RequireNotNull(string name, object value)
        {
            if (value == null)
            {
                throw SluiceException.InvalidArgument(name + " must not be null");
            }
        }

        /// <summary>Starts work on the loop. Its failure is a bug, and closes the client.</summary>
        internal void Start(Func<Task> work)
        {
            Loop.Run(
                async () =>
                {
                    try
                    {
                        await work();
                    }
                    catch (OperationCanceledException)
                    {
                        // The work ends with its connection or with the client.
                    }
                    catch (Exception e)
                    {
                        Refuse(new SluiceException("internal", "a bug in the client: " + e, e));
                        Connection?.End();
                    }
                });
        }

        internal Task<Frame> SendAsync(
            JObject frame, bool isRepeatable, TimeSpan? limit, string code, CancellationToken token)
        {
            return Loop.Run(
                () => _calls.SendAsync(frame, isRepeatable, limit ?? Options.PublishTimeout, code, token));
        }

        internal void Report(SluiceException error)
        {
            _callbacks.Report(error);
        }

        /// <summary>Completes after the reports that wait now.</summary>
        internal Task Reported => _callbacks.Called;

        internal void Notify(ConnectionState state)
        {
            if (State != state && State != ConnectionState.Closed)
            {
                _state = (int)state;
                _callbacks.Post(Options.OnState, state);
            }
        }

        /// <summary>Ends the client with an error for everything that it serves.</summary>
        internal void Refuse(SluiceException refusal)
        {
            Finish(refusal, refusal);
            Report(refusal);
        }

        internal async Task OnOpenAsync(Connection connection)
        {
            Connection = connection;
            bool isUp = connection.Hello.OptionalText("broker") != "down";
            Notify(isUp ? ConnectionState.Open : ConnectionState.Stale);
            await Dispatcher.OnOpenAsync(connection);
            _calls.OnOpen();
        }

        /// <summary>Keeps new calls for the next connection, unless this one is no longer in use.</summary>
        internal void PauseCalls(Connection connection)
        {
            if (connection == Connection)
            {
                _calls.Pause();
            }
        }

        internal void OnEnd(Connection connection)
        {
            Connection = null;
            _calls.Pause();
            connection.End();
            Dispatcher.OnEnd();
        }

        internal async Task OnFrameAsync(Connection connection, Frame frame)
        {
            if (connection.OnAnswer(frame) || await Dispatcher.OnFrameAsync(connection, frame))
            {
                return;
            }
            if (frame.Kind == "stale" || frame.Kind == "live")
            {
                Notify(frame.Kind == "stale" ? ConnectionState.Stale : ConnectionState.Open);
            }
            // Other types are late answers or unknown, which must be ignored.
        }

        internal static JObject Publication(Destination destination, Payload payload)
        {
            RequireNotNull(nameof(destination), destination);
            RequireNotNull(nameof(payload), payload);
            JObject frame = destination.ToMembers();
            payload.AddTo(frame);
            return frame;
        }

        private void Finish(SluiceException end, SluiceException refusal)
        {
            if (_end != null)
            {
                return;
            }
            _end = end;
            _calls.OnOpen();
            Dispatcher.Finish(refusal);
            Notify(ConnectionState.Closed);
            // Cancel would continue the waiting tasks within this call.
            _lifetime.CancelAfter(TimeSpan.Zero);
        }
    }
}
