import { NotSupportedError, type PlatformArticles, type PlatformSession } from './port.ts';

/**
 * Replaces a method or property that an adapter does not implement, such as `articles`. Calling it or reading from it
 * throws.
 */
function unsupported(name: string) {
  const refuse = () => {
    throw new NotSupportedError(`The adapter does not implement ${name}`);
  };
  return new Proxy(refuse, { get: refuse });
}

/**
 * `await` calls the method `then` of a value if it has one, and `JSON.stringify` calls `toJSON`. An unsupported operation has neither, so
 * these names must stay undefined.
 */
const foreign = ['then', 'toJSON'];

function Unsupported() {}
Unsupported.prototype = new Proxy(Object.prototype, {
  get: (target, name, session) =>
    typeof name === 'symbol' || name in target || foreign.includes(name)
      ? Reflect.get(target, name, session)
      : unsupported(name),
});

/** The base class of platform sessions. Operations that a subclass does not override throw `NotSupportedError`. */
export const UnsupportedSession = Unsupported as unknown as new () => PlatformSession;
export const UnsupportedArticles = Unsupported as unknown as new () => PlatformArticles;
