import { NotSupportedError, type PlatformSession } from './port.ts';

function refuse(): never {
  throw new NotSupportedError();
}

/** Stands for a missing method, or for a missing part of the port such as `articles`. Throws when it is called or read from. */
const unsupported = new Proxy(refuse, { get: refuse });

/** Properties that `await` and `JSON.stringify` read on any object. They would call a function that they find there. */
const foreign = ['then', 'toJSON'];

function Unsupported() {}
Unsupported.prototype = new Proxy(Object.prototype, {
  get: (target, name, session) =>
    typeof name === 'symbol' || name in target || foreign.includes(name)
      ? Reflect.get(target, name, session)
      : unsupported,
});

/**
 * The base class of an adapter's session. An operation of the port that the subclass does not override reaches the proxy and
 * throws `NotSupportedError`.
 */
export const UnsupportedSession = Unsupported as unknown as new () => PlatformSession;
