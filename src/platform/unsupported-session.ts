import { NotSupportedError, type PlatformSession } from './port.ts';

function refuse(): never {
  throw new NotSupportedError();
}

/** Stands for a method, or for a part of the port such as `articles`: to call it, or to read from it, is refused. */
const unsupported = new Proxy(refuse, { get: refuse });

/** Read by `await` and by `JSON.stringify`, which take a function there for more than it is. */
const foreign = ['then', 'toJSON'];

function Unsupported() {}
Unsupported.prototype = new Proxy(Object.prototype, {
  get: (target, name, session) =>
    typeof name === 'symbol' || name in target || foreign.includes(name)
      ? Reflect.get(target, name, session)
      : unsupported,
});

/**
 * Base class of an adapter's session: an operation of the port that the adapter does not override throws
 * `NotSupportedError`. Only operations that the subclass lacks reach the proxy.
 */
export const UnsupportedSession = Unsupported as unknown as new () => PlatformSession;
