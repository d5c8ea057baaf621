/**
 * Returns the milliseconds of processor time that this process spends while `work` runs. Unlike elapsed time, it does not depend on
 * what else the machine does.
 */
export async function processorMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/**
 * Returns the milliseconds that `work` takes, counted in ticks of 10 ms. Ticks are late while this thread waits for a processor, so a
 * busy machine adds little.
 */
export async function patientMs(work: () => Promise<unknown>): Promise<number> {
  let ticks = 0;
  const timer = setInterval(() => {
    ticks += 1;
  }, 10);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return ticks * 10;
}
