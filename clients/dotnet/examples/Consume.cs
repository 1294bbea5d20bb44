using System;
using System.Threading;
using Sluice;

/// <summary>
/// Prints and acknowledges messages of a queue, or of a durable subscription of a topic:
/// mono Consume.exe ws://localhost:8080/ws orders
/// mono Consume.exe ws://localhost:8080/ws orders.eu desk-1
/// </summary>
public static class Consume
{
    public static int Main(string[] arguments)
    {
        if (arguments.Length != 2 && arguments.Length != 3)
        {
            Console.Error.WriteLine("usage: Consume.exe URL QUEUE | Consume.exe URL TOPIC NAME");
            return 2;
        }
        ConsumeOptions options = new ConsumeOptions
        {
            Credit = 10,
            OnState = Print,
            OnError = error => Console.WriteLine(error.Code)
        };
        using (SluiceClient client = SluiceClient.Connect(arguments[0]))
        {
            ConsumerSource source = arguments.Length == 3
                ? client.Durable(arguments[1], arguments[2])
                : (ConsumerSource)client.Queue(arguments[1]);
            source.Consume(delivery => Process(delivery), options);
            Thread.Sleep(Timeout.Infinite);
        }
        return 0;
    }

    /// <summary>Replace the output by the processing of the message; an exception releases it.</summary>
    private static void Process(Delivery delivery)
    {
        Console.WriteLine((delivery.IsRedelivered && !delivery.IsRedeliveryUnknown ? "AGAIN " : "MESSAGE ") + delivery.Text);
    }

    private static void Print(ConsumerState state)
    {
        if (state != ConsumerState.Pending)
        {
            Console.WriteLine(state.ToString().ToUpperInvariant());
        }
    }
}
