using System.Threading.Tasks;

namespace Sluice.Internal
{
    /// <summary>Notification of the tasks that wait at that moment. Only the loop uses it.</summary>
    internal sealed class Signal
    {
        private TaskCompletionSource<bool> _next = Loop.NewSource<bool>();

        /// <summary>Completes at the next notification.</summary>
        internal Task<bool> Next => _next.Task;

        internal void Notify()
        {
            TaskCompletionSource<bool> waiting = _next;
            _next = Loop.NewSource<bool>();
            waiting.TrySetResult(true);
        }
    }
}
