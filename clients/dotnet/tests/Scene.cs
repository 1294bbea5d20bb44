using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Threading.Tasks;

namespace Sluice.Tests
{
    /// <summary>Scripted node with a client, and the entries that its callbacks have recorded.</summary>
    internal sealed class Scene : IDisposable
    {
        private readonly BlockingCollection<string> _entries = new BlockingCollection<string>();
        private readonly List<SluiceClient> _clients = new List<SluiceClient>();

        internal ScriptedNode Node { get; } = new ScriptedNode();

        internal SluiceClient Connect(Action<SluiceOptions> change = null)
        {
            SluiceOptions options = new SluiceOptions
            {
                Urls = { Node.Url },
                MinBackoff = TimeSpan.FromMilliseconds(1),
                MaxBackoff = TimeSpan.FromMilliseconds(2),
                OnError = error => Add("error " + error.Code)
            };
            change?.Invoke(options);
            SluiceClient client = SluiceClient.Connect(options);
            _clients.Add(client);
            return client;
        }

        internal void Add(string entry)
        {
            _entries.Add(entry);
        }

        internal SubscribeOptions Recording(StartFrom from = null)
        {
            return new SubscribeOptions
            {
                From = from,
                OnGap = gap => Add("gap " + gap.Reason),
                OnState = state => Add(state.ToString()),
                OnError = error => Add("refused " + error.Code)
            };
        }

        /// <summary>Asserts the next entries.</summary>
        internal void Expect(params string[] entries)
        {
            foreach (string expected in entries)
            {
                if (!_entries.TryTake(out string entry, ScriptedNode.TimeoutMs))
                {
                    throw new TimeoutException("no entry, expected " + expected);
                }
                Check.Equal(expected, entry);
            }
        }

        /// <summary>Asserts the next entries of several callbacks, whose order is not defined.</summary>
        internal void ExpectInAnyOrder(params string[] entries)
        {
            List<string> missing = new List<string>(entries);
            while (missing.Count > 0)
            {
                if (!_entries.TryTake(out string entry, ScriptedNode.TimeoutMs))
                {
                    throw new TimeoutException("no entry, expected " + string.Join(", ", missing));
                }
                Check.True(missing.Remove(entry), "entry " + entry + " is among " + string.Join(", ", missing));
            }
        }

        internal void ExpectNothing()
        {
            Check.Equal(0, _entries.Count);
        }

        internal static void Await(Task task)
        {
            if (!task.Wait(ScriptedNode.TimeoutMs))
            {
                throw new TimeoutException("the task has not completed");
            }
        }

        internal static void Fails(string code, Func<Task> call)
        {
            try
            {
                Await(call());
            }
            catch (AggregateException e) when (e.GetBaseException() is SluiceException failure)
            {
                Check.Equal(code, failure.Code);
                return;
            }
            catch (SluiceException failure)
            {
                Check.Equal(code, failure.Code);
                return;
            }
            throw new InvalidOperationException("the call has succeeded, expected " + code);
        }

        public void Dispose()
        {
            foreach (SluiceClient client in _clients)
            {
                client.Dispose();
            }
            Node.Dispose();
        }
    }
}
