import type { Config } from '../shared/config/config.ts';
import type { Logger } from '../shared/observability/logger.ts';
import type { Tracing } from '../shared/observability/tracing.ts';
import { type Runtime, sleep } from '../shared/runtime/runtime.ts';
import { version } from '../shared/version.ts';

/** The time in milliseconds that a stopping service waits for the collector. */
const closeMs = 2_000;

/** Loads OpenTelemetry and starts to export traces. The import is dynamic, because most installations have no collector. */
export async function openTracing(
  { endpoint, protocol }: NonNullable<Config['traces']>,
  { runtime, logger }: { runtime: Runtime; logger: Logger },
): Promise<Tracing> {
  const { openTelemetry } = await import('../shared/observability/open-telemetry.ts');
  const instance = runtime.randomBytes(9).toString('base64url');
  const tracing = await openTelemetry({ protocol, version, instance, logger });
  logger.info({ endpoint, protocol }, 'traces are exported');
  return tracing;
}

/** Sends the last spans, for at most `closeMs`. */
export async function closeTracing(tracing: Tracing, runtime: Runtime): Promise<void> {
  await Promise.race([tracing.close().catch(() => {}), sleep(runtime, closeMs)]);
}
