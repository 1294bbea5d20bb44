using System;
using System.Threading;
using System.Threading.Tasks;

namespace Sluice.Internal
{
    /// <summary>
    /// Executes the work of one client on the thread pool, one piece at a time. Awaits within it continue
    /// on it, so that its data need no locks. Code of the application runs elsewhere.
    /// </summary>
    internal sealed class Loop
    {
        private readonly TaskFactory _factory = new TaskFactory(
            CancellationToken.None,
            TaskCreationOptions.DenyChildAttach,
            TaskContinuationOptions.None,
            new ConcurrentExclusiveSchedulerPair().ExclusiveScheduler);

        internal Task Run(Func<Task> work)
        {
            return _factory.StartNew(work).Unwrap();
        }

        internal Task<T> Run<T>(Func<Task<T>> work)
        {
            return _factory.StartNew(work).Unwrap();
        }

        /// <summary>Returns the result of a task, or throws when the token is cancelled.</summary>
        internal static async Task<T> WithCancellation<T>(Task<T> task, CancellationToken token)
        {
            TaskCompletionSource<T> cancelled = NewSource<T>();
            using (token.Register(() => cancelled.TrySetCanceled()))
            {
                Task<T> first = await Task.WhenAny(task, cancelled.Task);
                return await first;
            }
        }

        /// <summary>Completes with the task, or throws when the token is cancelled; the task continues.</summary>
        internal static async Task WithCancellation(Task task, CancellationToken token)
        {
            TaskCompletionSource<bool> cancelled = NewSource<bool>();
            using (token.Register(() => cancelled.TrySetCanceled()))
            {
                await await Task.WhenAny(task, cancelled.Task);
            }
        }

        /// <summary>Observes a task whose result is not needed.</summary>
        internal static void Ignore(Task task)
        {
            task.ContinueWith(
                ended => ended.Exception,
                CancellationToken.None,
                TaskContinuationOptions.OnlyOnFaulted,
                TaskScheduler.Default);
        }

        internal static TaskCompletionSource<T> NewSource<T>()
        {
            return new TaskCompletionSource<T>(TaskCreationOptions.RunContinuationsAsynchronously);
        }
    }
}
