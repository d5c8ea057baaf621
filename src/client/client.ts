import { Endpoints } from './endpoints.ts';
import { type ClientOptions, Transport } from './transport.ts';

/** A client of Postern: `new Postern({ baseUrl, apiKey, authToken })`. It keeps no connection and needs no `close`. */
export class Postern extends Endpoints {
  readonly #transport: Transport;

  constructor(options: ClientOptions) {
    const transport = new Transport(options);
    super(transport);
    this.#transport = transport;
  }

  /** Returns a client with other options, for example one that acts as another account. */
  withOptions(changes: Partial<ClientOptions>): Postern {
    return new Postern({ ...this.#transport.options, ...changes });
  }
}
