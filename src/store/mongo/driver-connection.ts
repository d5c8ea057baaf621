import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import type { MongoClientOptions } from 'mongodb';

type ConnectionType = new (socket: Socket, options: unknown) => object;

const { Connection } = createRequire(import.meta.url)('mongodb/lib/cmap/connection.js') as {
  Connection: ConnectionType;
};

/**
 * Ends operations whose connection closes while they wait to send. The driver waits for the socket's event `drain` or `error`, but a socket
 * that is closed without an error emits neither, and the time limit of the socket only closes it. Such an operation would never end, and
 * neither would the use of its connection.
 */
class EndingConnection extends Connection {
  constructor(socket: Socket, options: unknown) {
    super(socket, options);
    // The driver's own listener comes first. It stores the error that the operation finds when it goes on.
    socket.once('close', () => {
      // A message that is still being compressed is written later.
      socket.write = () => true;
      socket.emit('drain');
    });
  }
}

/** The driver accepts this option, but its types do not contain it. */
export const endingConnections = { connectionType: EndingConnection } as MongoClientOptions;
