/**
 * Waits for SIGTERM or SIGINT, stops the service and ends the process with status 0. A second signal ends the process immediately with
 * status 1. If `onFailure` reports an error, stops the service and ends with status 1.
 */
export async function runUntilStopped(
  stop: () => Promise<void>,
  onFailure: (listener: (error: Error) => void) => void = () => {},
): Promise<void> {
  const failure = await new Promise<Error | null>((resolve) => {
    process.once('SIGTERM', () => resolve(null));
    process.once('SIGINT', () => resolve(null));
    onFailure(resolve);
  });
  if (failure) process.stderr.write(`postern: ${failure.message}; stopping\n`);
  const endAtOnce = () => process.exit(1);
  process.once('SIGTERM', endAtOnce);
  process.once('SIGINT', endAtOnce);
  await stop();
  // A connection that does not close would keep the process alive.
  process.exit(failure ? 1 : 0);
}
